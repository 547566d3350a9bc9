parsim_test(trace_test trace_test.cc DEPENDS parsim_report)
