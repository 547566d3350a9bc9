# One static library a stage folder; PARSIM_DEPENDS says which stages it may use, so that
# dependencies point one way.
add_library(parsim_options INTERFACE)
target_compile_options(parsim_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about its own std::string when optimising (GCC bug 105651).
  target_compile_options(parsim_options INTERFACE -Wno-restrict)
endif()
target_include_directories(parsim_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(parsim_options INTERFACE JSON_DIAGNOSTICS=0)

# parsim_library(<stage> <sources>... [DEPENDS <stages or targets>...])
function(parsim_library stage)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(parsim_${stage} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(parsim_${stage} PUBLIC parsim_options fmt::fmt ${ARG_DEPENDS})
endfunction()

# parsim_test(<name> <sources>... [DEPENDS <targets>...]): one test program, each case in its own process.
# Its folder is its label; target unit_tests builds those of tests/unit. A case that lacks the shared data
# says so and counts as skipped.
add_custom_target(unit_tests)
function(parsim_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE parsim_catch_main ${ARG_DEPENDS})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME label)
  catch_discover_tests(${name} TEST_PREFIX "${name}: "
    PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "skipped: shared data not present")
  if(label STREQUAL "unit")
    add_dependencies(unit_tests ${name})
  endif()
endfunction()
