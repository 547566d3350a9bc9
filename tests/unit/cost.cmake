parsim_test(test_cost cost_test.cc DEPENDS parsim_cost)
