foreach(part bad_inputs check json load override schema)
  parsim_test(scenario_${part}_test scenario_${part}_test.cc DEPENDS parsim_scenario)
endforeach()
