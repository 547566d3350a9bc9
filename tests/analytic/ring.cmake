parsim_test(ring_test ring_test.cc DEPENDS parsim_network parsim_engine)
