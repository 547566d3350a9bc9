parsim_test(engine_test engine_fluid_test.cc engine_graph_test.cc engine_simgrid_test.cc DEPENDS
                parsim_engine)
