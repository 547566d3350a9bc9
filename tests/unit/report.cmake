parsim_test(report_test
  report_breakdown_test.cc
  DEPENDS parsim_report)
