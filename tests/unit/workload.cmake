parsim_test(workload_test
  workload_parameters_test.cc workload_layer_test.cc workload_list_test.cc
  DEPENDS parsim_workload)
parsim_test(cost_test cost_test.cc DEPENDS parsim_cost)
parsim_test(models_test workload_models_test.cc DEPENDS parsim_workload nlohmann_json::nlohmann_json)
