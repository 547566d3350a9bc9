parsim_test(report_test
  report_breakdown_test.cc
  report_critical_path_test.cc
  report_quantities_test.cc
  report_order_account_test.cc
  report_schedule_svg_test.cc
  report_text_test.cc
  DEPENDS parsim_report)
