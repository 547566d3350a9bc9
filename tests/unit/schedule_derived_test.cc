#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/schedule/replay.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"
#include "tests/support/schedule_rows.h"

/// Orders and replay figures that were derived from the published rules by another program
/// (shared/data/schedules/derived, see its README.md).
namespace parsim {
namespace {

std::filesystem::path data() {
  return std::filesystem::path(PARSIM_SOURCE_DIR) / "../shared/data/schedules";
}

bool present() {
  if (std::filesystem::exists(data())) {
    return true;
  }
  WARN("skipped: shared data not present");
  return false;
}

std::vector<std::string> rows_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ',')) {
      line.pop_back();
    }
    rows.push_back(line);
  }
  return rows;
}

struct Named {
  ScheduleName name;
  std::int32_t chunks;
};

/// "Interleaved1F1B_v2" -> the schedule and its chunks.
Named named(const std::string& text) {
  const std::size_t cut = text.find("_v");
  const std::int32_t chunks = cut == std::string::npos ? 1 : std::stoi(text.substr(cut + 2));
  const std::string name = text.substr(0, cut);
  if (name == "GPipe")
    return {ScheduleName::gpipe, 1};
  if (name == "1F1B")
    return {ScheduleName::one_f_one_b, 1};
  if (name == "Interleaved1F1B")
    return {ScheduleName::interleaved_1f1b, chunks};
  if (name == "LoopedBFS")
    return {ScheduleName::looped_bfs, chunks};
  if (name == "InterleavedZeroBubble") {
    return {chunks == 1 ? ScheduleName::zb_h1 : ScheduleName::interleaved_zb, chunks};
  }
  if (name == "ZBH2")
    return {ScheduleName::zb_h2, 1};
  if (name == "ZBVZeroBubble")
    return {ScheduleName::zb_v, 2};
  REQUIRE(name == "DualPipeV");
  return {ScheduleName::dualpipev, 2};
}

ScheduleShape shape_of(const Named& schedule, std::int32_t ranks, std::int32_t micro_batches) {
  ScheduleShape shape{ranks, schedule.chunks, micro_batches};
  if (schedule.name == ScheduleName::interleaved_1f1b) {
    shape.group = pytorch_group(shape);  // the derived orders are PyTorch's
  }
  return shape;
}

const ReplayTimes kUnit{{{1.0, 1.0, 1.0}}, 0.0, 1.0};

}  // namespace

TEST_CASE("every derived order is reproduced") {
  if (!present()) {
    return;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data() / "derived")) {
    if (entry.path().extension() != ".csv") {
      continue;
    }
    const std::string stem = entry.path().stem().string();
    CAPTURE(stem);
    const std::size_t ranks_at = stem.rfind('_', stem.rfind("rank_"));
    const Named schedule = named(stem.substr(0, ranks_at));
    const int ranks = std::stoi(stem.substr(ranks_at + 1));
    const int micro_batches = std::stoi(stem.substr(stem.rfind('_') + 1));
    const ScheduleShape shape = shape_of(schedule, ranks, micro_batches);
    REQUIRE_FALSE(shape_problem(schedule.name, shape));
    CHECK(schedule_rows(generate(schedule.name, shape)) == rows_of(entry.path()));
    ++files;
  }
  CHECK(files == 21);
}

TEST_CASE("DualPipeV on 4 ranks with 10 micro-batches is PyTorch's file, byte for byte") {
  if (!present()) {
    return;
  }
  std::ifstream file(data() / "dualpipev_4rank_10mb.csv");
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  std::string written;
  for (const std::string& row : schedule_rows(generate(ScheduleName::dualpipev, {4, 2, 10}))) {
    written += row + "\n";
  }
  CHECK(written == expected);
}

TEST_CASE("the replay's makespans, spans and peaks are the derived ones") {
  if (!present()) {
    return;
  }
  std::ifstream file(data() / "derived/replay.json");
  int rows = 0;
  for (const auto& row : nlohmann::json::parse(file)) {
    const Named schedule = named(row.at("schedule").get<std::string>());
    const ScheduleShape shape = shape_of(schedule, row.at("ranks"), row.at("microbatches"));
    CAPTURE(row.dump());
    ++rows;
    if (row.contains("error") || !row.contains("makespan")) {
      CHECK(shape_problem(schedule.name, shape));
      continue;
    }
    const Schedule order = generate(schedule.name, shape);
    CHECK(order.stage_rank == row.at("stage_to_rank").get<std::vector<std::int32_t>>());
    const auto result = replay(order, kUnit);
    REQUIRE(result);
    CHECK(result->makespan == row.at("makespan").get<double>());
    CHECK(result->longest_span() == row.at("max_rank_span").get<double>());
    std::vector<std::int32_t> peaks;
    for (const RankReplay& rank : result->ranks) {
      CHECK(rank.busy == row.at("busy_per_rank").get<double>());
      peaks.push_back(rank.peak_in_flight);
    }
    CHECK(peaks == row.at("peak_inflight_chunks").get<std::vector<std::int32_t>>());
  }
  CHECK(rows == 30);
}

TEST_CASE("Chimera, V-Min, V-Half and Seq1F1B have the derived figures") {
  // From derived/extra.txt: makespan or longest span, then the peaks.
  struct Row {
    ScheduleName name;
    ScheduleShape shape;
    double backward;
    double span;
    std::vector<std::int32_t> peaks;
  };
  const std::vector<Row> rows = {
      {ScheduleName::chimera, {4, 1, 4}, 1, 10, {3, 4, 4, 3}},
      {ScheduleName::chimera, {4, 1, 4}, 2, 16, {3, 4, 4, 3}},
      {ScheduleName::chimera, {6, 1, 6}, 1, 16, {4, 5, 6, 6, 5, 4}},
      {ScheduleName::chimera, {6, 1, 6}, 2, 26, {4, 5, 6, 6, 5, 4}},
      {ScheduleName::chimera, {8, 1, 8}, 1, 22, {5, 6, 7, 8, 8, 7, 6, 5}},
      {ScheduleName::chimera, {8, 1, 8}, 2, 36, {5, 6, 7, 8, 8, 7, 6, 5}},
      {ScheduleName::v_min, {4, 2, 16}, 2, 107, {4, 4, 4, 4}},
      {ScheduleName::v_min, {5, 2, 20}, 2, 135, {4, 6, 6, 4, 6}},
      {ScheduleName::v_min, {6, 2, 24}, 2, 165, {6, 6, 6, 6, 6, 6}},
      {ScheduleName::v_min, {8, 2, 32}, 2, 219, {6, 8, 8, 6, 8, 8, 6, 8}},
      {ScheduleName::v_half, {4, 2, 16}, 2, 108, {6, 6, 6, 6}},
      {ScheduleName::v_half, {5, 2, 20}, 2, 134, {6, 6, 6, 6, 6}},
      {ScheduleName::v_half, {6, 2, 24}, 2, 163, {8, 8, 8, 8, 8, 8}},
      {ScheduleName::v_half, {8, 2, 32}, 2, 218, {10, 10, 10, 10, 10, 10, 10, 10}},
      {ScheduleName::seq1f1b, {4, 1, 4, 0, 2}, 2, 33, {5, 4, 3, 2}},
      {ScheduleName::seq1f1b, {4, 1, 4, 0, 4}, 2, 57, {7, 6, 5, 4}},
      {ScheduleName::seq1f1b, {2, 1, 4, 0, 2}, 2, 27, {3, 2}},
  };
  for (const Row& row : rows) {
    CAPTURE(rule_of(row.name).spelling, row.shape.ranks, row.shape.slices, row.backward);
    const ReplayTimes times{{{1.0, row.backward / 2, row.backward / 2}}, 0.0, 1.0};
    const auto result = replay(generate(row.name, row.shape), times);
    REQUIRE(result);
    CHECK(result->longest_span() == row.span);
    std::vector<std::int32_t> peaks;
    for (const RankReplay& rank : result->ranks) {
      peaks.push_back(rank.peak_in_flight);
    }
    CHECK(peaks == row.peaks);
  }
}

}  // namespace parsim
