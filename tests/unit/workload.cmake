parsim_test(test_workload_blocks
  workload_parameters_test.cc workload_layer_test.cc workload_list_test.cc
  DEPENDS parsim_workload)
parsim_test(test_models workload_models_test.cc DEPENDS parsim_workload nlohmann_json::nlohmann_json)
