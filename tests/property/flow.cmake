parsim_test(test_fold fold_test.cc DEPENDS parsim_lowering parsim_engine parsim_report)
