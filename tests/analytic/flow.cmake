set(PARSIM_FLOW parsim_lowering parsim_engine parsim_report)
parsim_test(test_pipeline_bubble pipeline_bubble_test.cc DEPENDS ${PARSIM_FLOW})
parsim_test(test_data_parallel data_parallel_test.cc DEPENDS ${PARSIM_FLOW})
parsim_test(test_workload workload_test.cc DEPENDS parsim_workload)
