#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/report/format.h"
#include "tests/catch.h"
#include "tests/unit/report_cases.h"

using namespace parsim::cases;
using parsim::Bytes;
using parsim::Report;
using parsim::Seconds;

namespace {

/// Every part filled, with long names.
Report sample() {
  Report report;
  report.scenario = "a scenario with a long name: " + std::string(60, 'x');
  report.engine = "simgrid";
  report.step_time = Seconds{12.5};
  report.throughput = {1234567.0, 98.7, 142.25, 0.456, 0.567};
  report.breakdown.compute = Seconds{10.0};
  report.breakdown.bubble = Seconds{2.5};
  report.breakdown.rank = 7;
  report.bubble_fraction = 0.2;
  report.bubbles = {{0, Seconds{2.5}, 0.2, Seconds{1.0}, Seconds{0.5}, Seconds{1.0}}};
  report.device_memory = Bytes{80.0 * 1073741824.0};
  report.peak_memory = Bytes{60.0 * 1073741824.0};
  report.memory = {
      {0, report.peak_memory, Bytes{1e10}, Bytes{2e10}, Bytes{3e10}, Bytes{1023.9e9}, Bytes{0.0}}};
  report.critical_path = {{"rank 3: " + std::string(90, 'y'), Seconds{0.0}, Seconds{12.5},
                           "waits for " + std::string(90, 'z'), "backward"}};
  report.time_by_class = {{"gemm", Seconds{8.0}}, {"norm", Seconds{2.0}}};
  report.links = {
      {"node0.\u00e4\u00e4" + std::string(70, 'n'), "device_port", 1536, 0.123, Bytes{1e12}}};
  report.assumptions = {
      "an assumption with many words that goes on for longer than any line has "
      "columns for it to go on"};
  report.simulation = {61440, 1536, 8, 0.0, 0.0};
  return report;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t width = 0;
  while (std::getline(lines, line)) {
    width = std::max(width, parsim::columns(line));
  }
  return width;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("quantities carry four digits and their unit") {
  using parsim::bytes_text;
  using parsim::rate_text;
  using parsim::time_text;
  CHECK(time_text(Seconds{0.0}) == "0 s");
  CHECK(time_text(Seconds{1.0}) == "1.000 s");
  CHECK(time_text(Seconds{12.3456}) == "12.35 s");
  CHECK(time_text(Seconds{123456.0}) == "123456 s");
  CHECK(time_text(Seconds{0.99999}) == "1.000 s");
  CHECK(time_text(Seconds{0.0123456}) == "12.35 ms");
  CHECK(time_text(Seconds{2.5e-6}) == "2.500 us");
  CHECK(time_text(Seconds{2.5e-11}) == "0.025 ns");
  CHECK(bytes_text(Bytes{512.0}) == "512.0 B");
  CHECK(bytes_text(Bytes{80.0 * 1073741824.0}) == "80.00 GiB");
  CHECK(rate_text(1234567.0, "tokens/s") == "1.235 Mtokens/s");
  CHECK(rate_text(9.9996, "samples/s") == "10.00 samples/s");
  CHECK(parsim::percent_text(0.4567) == "45.7 %");
  CHECK(parsim::count_text(0) == "0");
  CHECK(parsim::count_text(999) == "999");
  CHECK(parsim::count_text(-1234567) == "-1,234,567");
}

TEST_CASE("texts are cut and wrapped by columns, not bytes") {
  CHECK(parsim::clip("\u00e4\u00f6\u00fc\u00df", 4) == "\u00e4\u00f6\u00fc\u00df");
  CHECK(parsim::clip("\u00e4\u00f6\u00fc\u00df\u00df", 4) == "\u00e4\u00f6..");
  CHECK(parsim::pad_left("\u00e4", 3) == "  \u00e4");
  const auto lines = parsim::wrap("one two three four", 9);
  CHECK(lines == std::vector<std::string>{"one two", "three", "four"});
  CHECK(parsim::wrap("", 9).size() == 1);
}

TEST_CASE("the text report keeps to its width") {
  const Report report = sample();
  for (const int width : {60, 61, 75, 80, 100, 200}) {
    CAPTURE(width);
    CHECK(widest(parsim::text_report(report, width, false)) <= static_cast<std::size_t>(width));
  }
  CHECK(widest(parsim::text_report(report, 10, false)) <= 60);
}

TEST_CASE("the text report states the result with units") {
  const std::string text = parsim::text_report(sample(), 100, false);
  for (const char* part :
       {"12.50 s", "1.235 Mtokens/s", "142.2 TFLOP/s", "MFU 45.6 %", "HFU 56.7 %",
        "60.00 GiB of 80.00 GiB", "80.0 %", "rank 7", "61,440 tasks"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  CHECK(!contains(text, "\x1b"));
  CHECK(contains(parsim::text_report(sample(), 100, true), "\x1b[1m"));
}

TEST_CASE("what does not fit is said, with the amount") {
  Report report = sample();
  report.fits = false;
  report.peak_memory = Bytes{81.5 * 1073741824.0};
  CHECK(contains(parsim::text_report(report, 80, false), "does not fit: 1.500 GiB too much"));
}

TEST_CASE("the JSON report has the stable core, byte by byte the same twice") {
  const std::string text = parsim::json_report(sample(), "{\"name\": \"x\"}");
  CHECK(text == parsim::json_report(sample(), "{\"name\": \"x\"}"));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["schema_version"] == 1);
  CHECK(json["step_time_s"] == 12.5);
  for (const char* pointer : {"/scenario",
                              "/engine",
                              "/throughput/tokens_per_s",
                              "/throughput/samples_per_s",
                              "/throughput/tflops_per_device",
                              "/throughput/mfu",
                              "/throughput/hfu",
                              "/breakdown_s/compute",
                              "/breakdown_s/exposed_tensor",
                              "/breakdown_s/exposed_data",
                              "/breakdown_s/exposed_pipeline",
                              "/breakdown_s/exposed_other",
                              "/breakdown_s/bubble",
                              "/breakdown_s/optimizer",
                              "/breakdown_s/other",
                              "/bubble/fraction",
                              "/bubble/per_stage/0/stage",
                              "/bubble/per_stage/0/idle_s",
                              "/bubble/per_stage/0/fraction",
                              "/bubble/per_stage/0/warmup_s",
                              "/bubble/per_stage/0/steady_s",
                              "/bubble/per_stage/0/cooldown_s",
                              "/memory/fits",
                              "/memory/peak_bytes",
                              "/memory/per_stage/0/stage",
                              "/memory/per_stage/0/peak_bytes",
                              "/memory/per_stage/0/weights",
                              "/memory/per_stage/0/gradients",
                              "/memory/per_stage/0/optimizer",
                              "/memory/per_stage/0/activations",
                              "/memory/per_stage/0/other",
                              "/critical_path/0/task",
                              "/critical_path/0/start_s",
                              "/critical_path/0/end_s",
                              "/critical_path/0/why",
                              "/uncertainty/low_s",
                              "/uncertainty/high_s",
                              "/assumptions/0",
                              "/simulation/tasks",
                              "/simulation/ranks",
                              "/simulation/ranks_simulated",
                              "/simulation/wall_s",
                              "/simulation/tasks_per_s",
                              "/resolved_scenario/name"}) {
    CAPTURE(pointer);
    CHECK(json.contains(nlohmann::json::json_pointer(pointer)));
  }
  CHECK(json["simulation"]["wall_s"].is_null());
  CHECK(json["uncertainty"]["low_s"].is_null());
}

TEST_CASE("JSON has no NaN and no infinity, and survives broken UTF-8") {
  Report report = sample();
  report.throughput.mfu = std::numeric_limits<double>::quiet_NaN();
  report.step_time = Seconds{std::numeric_limits<double>::infinity()};
  report.throughput.tokens_per_s.reset();
  report.scenario = "\xff";
  const auto json = nlohmann::json::parse(parsim::json_report(report, ""));
  CHECK(json["throughput"]["mfu"].is_null());
  CHECK(json["throughput"]["tokens_per_s"].is_null());
  CHECK(json["step_time_s"].is_null());
  CHECK(json["resolved_scenario"].is_null());
}

TEST_CASE("the textbook picture: stage s runs micro-batch m in slot s + m - 1") {
  const auto graph = pipeline(gpipe_orders(3, 3, false), 1.0, 0.0, 0.0);
  CHECK(parsim::text_timeline(graph, run(graph), 80) ==
        "slot     T1 T2 T3 T4 T5\n"
        "stage 0   0  1  2  .  .\n"
        "stage 1   .  0  1  2  .\n"
        "stage 2   .  .  0  1  2\n"
        "one slot is 1.000 s\n"
        "number: micro-batch, .: idle\nnumbers that do not fit are left out\n");
}

TEST_CASE("backwards of two slots fill two slots") {
  const auto graph = pipeline(one_f_one_b_orders(2, 2), 1.0, 2.0, 0.0);
  CHECK(parsim::text_timeline(graph, run(graph), 80) ==
        "slot     T1 T2 T3 T4 T5 T6 T7 T8 T9\n"
        "stage 0   0  1  .  . b0 b0  . b1 b1\n"  // rank 1 ends backward 0 after 4 s, 1 after 7 s
        "stage 1   .  0 b0 b0  1 b1 b1  .  .\n"
        "one slot is 1.000 s\n"
        "number: micro-batch, b: its backward, .: idle\nnumbers that do not fit are left out\n");
}

TEST_CASE("without a common slot the picture is sampled within its width") {
  const auto graph = pipeline(one_f_one_b_orders(4, 8), 1.0, 2.13, 0.377);
  for (const int width : {40, 60, 100, 157}) {
    const std::string text = parsim::text_timeline(graph, run(graph), width);
    CAPTURE(text);
    CHECK(contains(text, "time"));
    CHECK(contains(text, "one column is"));
    CHECK(widest(text.substr(0, text.find("\none column"))) <= static_cast<std::size_t>(width));
  }
  // 12 columns a second: forward 0 of rank 0 is the first twelfth of them.
  const auto one = pipeline(gpipe_orders(1, 1), 1.0, 3.14159, 0.0);
  const std::string text = parsim::text_timeline(one, run(one), 58);
  CHECK(contains(text, "stage 0 0-----------"));
  CHECK(contains(text, "b0===="));
}

TEST_CASE("a step without length has no picture") {
  const auto graph = pipeline(gpipe_orders(2, 1, false), 0.0, 0.0, 0.0);
  CHECK(parsim::text_timeline(graph, run(graph), 80) == "nothing takes time\n");
}
