parsim_test(test_plan plan_test.cc DEPENDS parsim_plan)
