parsim_test(test_graph graph_test.cc DEPENDS parsim_graph)
