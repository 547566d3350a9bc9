add_test(NAME "unit: model data"
  COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/models_data_test.py ${PROJECT_SOURCE_DIR})
set_tests_properties("unit: model data" PROPERTIES LABELS unit)
