if(TARGET parsim)
  foreach(script commands docs output_files scenarios schedules)
    add_test(NAME "cli: ${script}"
      COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/${script}.py
        $<TARGET_FILE:parsim> ${PROJECT_SOURCE_DIR})
    set_tests_properties("cli: ${script}" PROPERTIES LABELS cli)
  endforeach()
endif()
