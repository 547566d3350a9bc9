if(TARGET parsim)
  foreach(script bad_inputs schema_agreement)
    add_test(NAME "cli: ${script}"
      COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/${script}.py
        $<TARGET_FILE:parsim> ${PROJECT_SOURCE_DIR})
  endforeach()
endif()
