parsim_test(base_text_test base_text_test.cc DEPENDS parsim_base)
parsim_test(base_unit_text_test base_unit_text_test.cc DEPENDS parsim_base)
parsim_test(base_file_test base_file_test.cc DEPENDS parsim_base)
