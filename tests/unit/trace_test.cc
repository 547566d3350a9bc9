#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "tests/catch.h"
#include "tests/unit/report_cases.h"

using namespace parsim::cases;
using nlohmann::json;
using parsim::TaskGraph;
using parsim::Timeline;
using parsim::TraceOptions;
using parsim::TraceResult;

namespace {

namespace fs = std::filesystem;

/// A folder of this case's own, empty at first, removed at its end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "parsim-trace-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The independent checker's verdict.
bool is_good(const std::string& path) {
  const std::string command = std::string("python3 ") + PARSIM_SOURCE_DIR +
                              "/tests/interop/chrome_trace_check.py '" + path + "'";
  return std::system(command.c_str()) == 0;
}

struct Written {
  TraceResult result;
  json document;
  [[nodiscard]] std::vector<json> events(const std::string& phase) const {
    std::vector<json> found;
    for (const json& event : document["traceEvents"]) {
      if (event["ph"] == phase) {
        found.push_back(event);
      }
    }
    return found;
  }
};

Written write(const TaskGraph& graph, const Timeline& timeline, const TraceOptions& options = {}) {
  const Folder folder;
  const std::string path = folder.file("trace.json");
  Written written;
  written.result = parsim::write_chrome_trace(path, graph, timeline, options);
  CHECK(folder.entries() == 1);
  CHECK(is_good(path));
  const std::string text = text_of(path);
  CHECK(written.result.bytes == static_cast<std::int64_t>(text.size()));
  written.document = json::parse(text);
  CHECK(written.result.events == static_cast<std::int64_t>(written.document["traceEvents"].size()));
  return written;
}

}  // namespace

TEST_CASE("the checker notices every broken rule") {
  CHECK(!is_good("/no/such/trace.json"));
  const std::string command = std::string("python3 ") + PARSIM_SOURCE_DIR +
                              "/tests/interop/chrome_trace_check.py --self-test";
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("every task is a slice with its time in microseconds") {
  const TaskGraph graph = pipeline(gpipe_orders(2, 2), 1e-6, 2.5e-6, 0.5e-6);
  const Timeline timeline = run(graph);
  const Written written = write(graph, timeline);
  const auto slices = written.events("X");
  REQUIRE(slices.size() == static_cast<std::size_t>(graph.size()));
  CHECK(written.result.tasks_left_out == 0);
  std::map<std::string, json> by_name;
  for (const json& slice : slices) {
    if (slice["cat"] == "compute") {
      by_name[slice["name"]] = slice;
    }
  }
  // Forward 1 of stage 1 waits for its message: 2 us + 0.5 us.
  const json& forward = by_name.at("1F1");
  CHECK(forward["pid"] == 1);
  CHECK(forward["tid"] == 0);
  CHECK(forward["ts"] == 2.5);
  CHECK(forward["dur"] == 1.0);
  CHECK(forward["args"]["micro_batch"] == 1);
  CHECK(forward["args"]["stage"] == 1);
  CHECK(by_name.at("1B0")["dur"] == 2.5);
  CHECK(written.events("M").size() == 2 * (2 + 2 * 6) + 2);  // ranks, their lanes, links
}

TEST_CASE("messages are arrows from the sending slice to the receiving one") {
  const TaskGraph graph = pipeline(gpipe_orders(2, 1, false), 1.0, 0.0, 0.5);
  const Written written = write(graph, run(graph));
  const auto starts = written.events("s");
  const auto ends = written.events("f");
  REQUIRE(starts.size() == 1);
  REQUIRE(ends.size() == 1);
  CHECK(starts[0]["id"] == ends[0]["id"]);
  CHECK(starts[0]["pid"] == 0);
  CHECK(starts[0]["ts"] == 1e6);
  CHECK(ends[0]["pid"] == 1);
  CHECK(ends[0]["ts"] == 1.5e6);
  CHECK(ends[0]["bp"] == "e");
  // Free messages have no slice to point from.
  const TaskGraph free = pipeline(gpipe_orders(2, 1, false), 1.0, 0.0, 0.0);
  CHECK(write(free, run(free)).events("s").empty());
}

TEST_CASE("a counter shows the mean rate on a link while a flow runs") {
  parsim::TaskGraphBuilder builder;
  const auto lane = builder.add_lane({0, 4, 0, parsim::LaneKind::data});
  const auto link =
      builder.add_link({"port", parsim::LinkClass::nic, parsim::BytesPerSecond{8e9}, 1});
  const auto pattern = builder.add_pattern({parsim::Seconds{1e-3}, {{0.5, {{link, 1, 2}}}}, 0.0});
  const auto task = builder.add_communication(
      parsim::TaskKind::collective, parsim::TaskCategory::data, {}, pattern, parsim::Bytes{16e6});
  builder.add_to_lane(task, lane);
  const TaskGraph graph = builder.build();
  // Two flows of 8 MB share the link: 1 ms of latency, then 16 MB at 8 GB/s.
  const Timeline timeline{{parsim::Seconds{0.0}}, {parsim::Seconds{3e-3}}, parsim::Seconds{3e-3}};
  const auto counters = write(graph, timeline).events("C");
  REQUIRE(counters.size() == 2);
  CHECK(counters[0]["name"] == "port");
  CHECK(counters[0]["ts"] == 1000.0);
  CHECK(counters[0]["args"]["GB/s"] == 8.0);
  CHECK(counters[1]["ts"] == 3000.0);
  CHECK(counters[1]["args"]["GB/s"] == 0.0);
}

TEST_CASE("only the chosen ranks are written") {
  const TaskGraph graph = pipeline(gpipe_orders(3, 2), 1.0, 2.0, 0.5);
  TraceOptions options;
  options.ranks = {1};
  const Written written = write(graph, run(graph), options);
  CHECK(written.events("X").size() == 4 + 4);  // two forwards, two backwards, their messages
  for (const json& event : written.document["traceEvents"]) {
    CHECK((event["pid"] == 1 || event["ph"] == "C" || event["pid"] == 2));  // 2: the links
  }
  CHECK(written.events("s").empty());  // nobody to receive
  options.ranks = {1, 9};
  CHECK_THROWS_AS(parsim::write_chrome_trace("/dev/null", graph, run(graph), options),
                  parsim::InputError);
}

TEST_CASE("beyond the size budget the latest tasks are left out, and it is said") {
  const TaskGraph graph = pipeline(one_f_one_b_orders(4, 16), 1.0, 2.0, 0.25);
  const Timeline timeline = run(graph);
  const Written whole = write(graph, timeline);
  std::int64_t before = graph.size();
  for (const std::int64_t budget : {whole.result.bytes / 8, whole.result.bytes / 2}) {
    TraceOptions options;
    options.size_budget = budget;
    const Written part = write(graph, timeline, options);
    const auto slices = part.events("X");
    CHECK(part.result.bytes <= budget);
    CHECK(part.result.tasks_left_out > 0);
    CHECK(part.result.tasks_left_out < before);
    before = part.result.tasks_left_out;
    CHECK(part.document["otherData"]["tasks_left_out"] ==
          std::to_string(part.result.tasks_left_out));
    CHECK(static_cast<std::int64_t>(slices.size()) + part.result.tasks_left_out == graph.size());
    double latest = 0.0;
    for (const json& slice : slices) {
      latest = std::max(latest, slice["ts"].get<double>());
    }
    std::int64_t later = 0;
    for (const json& slice : whole.events("X")) {
      later += slice["ts"].get<double>() > latest ? 1 : 0;
    }
    CHECK(later <= part.result.tasks_left_out);
    CHECK(later + 8 >= part.result.tasks_left_out);  // but for those that start together
  }
  TraceOptions none;
  none.size_budget = 1;
  CHECK(write(graph, timeline, none).result.tasks_left_out == graph.size());
}

TEST_CASE("neighbours that meet off the nanosecond grid do not overlap") {
  // Thirds of a nanosecond; the checker refuses overlaps.
  const TaskGraph graph = pipeline(gpipe_orders(2, 50), 10e-9 / 3, 20e-9 / 7, 0.0);
  CHECK(write(graph, run(graph)).events("X").size() == static_cast<std::size_t>(graph.size()));
}

TEST_CASE("an engine's rounding error across a grid line is evened out") {
  const TaskGraph graph = pipeline(gpipe_orders(1, 2, false), 1.5e-9, 0.0, 0.0);
  Timeline timeline = run(graph);
  timeline.end[0] = parsim::Seconds{1.5000001e-9};    // 2 ns
  timeline.start[1] = parsim::Seconds{1.4999999e-9};  // 1 ns
  const auto slices = write(graph, timeline).events("X");
  REQUIRE(slices.size() == 2);
  CHECK(slices[0]["dur"] == 0.002);
  CHECK(slices[1]["ts"] == 0.002);
}

TEST_CASE("names are escaped and two traces are byte-identical") {
  Machine machine(1);
  parsim::Segment segment;
  segment.name = "quote \" backslash \\ newline \n \u00e4 \xff";
  const auto detail = machine.builder.add_segment(segment);
  machine.compute(0, parsim::TaskPhase::forward, 0, 1.0, {}, detail);
  const TaskGraph graph = machine.builder.build();
  const Written written = write(graph, run(graph));
  CHECK(written.events("X")[0]["args"]["operators"] ==
        "quote \" backslash \\ newline \n \u00e4 \ufffd");
  CHECK(written.document == write(graph, run(graph)).document);
}

TEST_CASE("a trace is written whole or not at all") {
  const TaskGraph graph = pipeline(gpipe_orders(2, 64), 1.0, 2.0, 0.5);
  const Timeline timeline = run(graph);
  const Folder folder;
  const std::string taken = folder.file("taken");
  fs::create_directory(taken);
  for (const std::string& path :
       {folder.file("missing/trace.json"), taken, std::string("/dev/full")}) {
    CAPTURE(path);
    try {
      parsim::write_chrome_trace(path, graph, timeline, {});
      FAIL("it was written");
    } catch (const parsim::RunError& error) {
      CHECK(std::string(error.what()).find(path) != std::string::npos);
    }
  }
  CHECK(folder.entries() == 1);
  CHECK(fs::is_empty(taken));
  CHECK(fs::is_character_file("/dev/full"));
}
