parsim_test(test_schedule schedule_test.cc DEPENDS parsim_schedule)
