#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/base/check.h"
#include "sim/schedule/cells.h"
#include "sim/schedule/csv.h"
#include "sim/schedule/passes.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"

namespace parsim {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kData =
    std::filesystem::path(PARSIM_SOURCE_DIR) / "../shared/data/schedules";

/// Cells as they stand, in today's letters: the cases run B and W side by side.
Actions row_of(const std::string& text) {
  Actions actions;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto cell = parse_cell(text.substr(begin, end - begin));
    REQUIRE(cell);
    actions.insert(actions.end(), cell->begin(), cell->end());
    begin = end + 1;
  }
  return actions;
}

std::string text_of(const Actions& actions) {
  std::string text;
  for (const std::string& cell : cell_texts(actions)) {
    text += (text.empty() ? "" : ",") + cell;
  }
  return text;
}

std::vector<std::string> texts_of(const std::vector<Actions>& rows) {
  std::vector<std::string> result;
  for (const Actions& row : rows) {
    result.push_back(text_of(row));
  }
  return result;
}

std::vector<Actions> rows_of(const Json& texts) {
  std::vector<Actions> rows;
  for (const Json& text : texts) {
    rows.push_back(row_of(text.get<std::string>()));
  }
  return rows;
}

Schedule schedule_with(std::vector<Actions> rows, std::vector<std::int32_t> stage_rank,
                       std::int32_t micro_batches) {
  Schedule schedule;
  schedule.ranks = std::move(rows);
  schedule.stage_rank = std::move(stage_rank);
  schedule.micro_batches = micro_batches;
  return schedule;
}

}  // namespace

TEST_CASE("PyTorch's own cases of its lowering passes") {
  if (!std::filesystem::exists(kData)) {
    WARN("skipped: shared data not present");
    return;
  }
  std::ifstream file(kData / "lowering_cases.json");
  const Json cases = Json::parse(file);
  for (const Json& text : cases["parse_roundtrip"]) {
    CHECK(text_of(row_of(text.get<std::string>())) == text.get<std::string>());
  }
  for (const Json& c : cases["unshard_reshard"]) {
    CHECK(text_of(add_unshard_reshard(row_of(c["compute"]))) == c["expected"].get<std::string>());
  }
  for (const Json& c : cases["reduce_grad_n_microbatches_2"]) {
    CHECK(text_of(add_reduce_gradient(row_of(c["compute"]), 2)) ==
          c["expected"].get<std::string>());
  }
  for (const Json& c : cases["merge_bw"]) {
    CHECK(text_of(merge_backward(row_of(c["compute"]))) == c["expected"].get<std::string>());
  }
  for (const Json& c : cases["send_recv"]) {
    CAPTURE(c["name"].get<std::string>());
    const auto stage_rank = c["stage_to_rank"].get<std::vector<std::int32_t>>();
    const auto lowered = add_transfers(schedule_with(rows_of(c["compute"]), stage_rank, 2));
    CHECK(texts_of(lowered) == c["expected"].get<std::vector<std::string>>());
    CHECK(lock_steps(lowered, stage_rank) == c["simulated_steps"].get<std::int64_t>());
  }
  for (const Json& c : cases["defer_recv"]) {
    CAPTURE(c["name"].get<std::string>());
    const auto deferred =
        defer_receives(rows_of(c["input"]), c["stage_to_rank"].get<std::vector<std::int32_t>>());
    CHECK(texts_of(deferred) == c["expected"].get<std::vector<std::string>>());
  }
}

TEST_CASE("ZB1P on 2 ranks lowers to PyTorch's file, byte for byte, and takes 113 steps") {
  if (!std::filesystem::exists(kData)) {
    WARN("skipped: shared data not present");
    return;
  }
  const auto text = [](const char* name) {
    std::ifstream file(kData / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  // Its order is our own interleaved-zb, the blanks aside.
  const Schedule own = generate(ScheduleName::interleaved_zb, {2, 2, 8});
  std::vector<Actions> merged;
  for (const Actions& row : own.ranks) {
    merged.push_back(merge_backward(row));
  }
  const auto lowered = [&](const std::vector<Actions>& rows) {
    ScheduleFile file;
    file.rows = add_transfers(schedule_with(rows, {0, 1, 0, 1}, 8));
    file.kind = CsvKind::compute_comms;
    return file;
  };
  std::vector<Actions> read;
  for (const Actions& row :
       read_schedule_csv(text("zb1p_2rank_2stagep_compute.csv"), "compute").rows) {
    read.push_back(merge_backward(row));
  }
  CHECK(read == merged);
  CHECK(write_schedule_csv(lowered(read)) == text("zb1p_2rank_2stagep_comms.csv"));
  CHECK(lock_steps(lowered(read).rows, {0, 1, 0, 1}) == 113);
}

TEST_CASE("a wider window gathers a stage less often") {
  // 4 ranks, 4 stages each, 16 micro-batches: rank 3 gathers stage 15 four times, or once.
  const Schedule schedule = generate(ScheduleName::interleaved_1f1b, {4, 4, 16});
  const auto count = [&schedule](std::int32_t most_active) {
    int found = 0;
    for (const Action& action : add_unshard_reshard(schedule.ranks[3], most_active)) {
      found += action.kind == ActionKind::unshard && action.stage == 15 ? 1 : 0;
    }
    return found;
  };
  CHECK(count(3) == 4);
  CHECK(count(4) == 1);
}

TEST_CASE("an order that cannot finish says what each rank waits for") {
  const Schedule stuck =
      schedule_with({row_of("0F0,0B0,0F1,0B1"), row_of("1F0,1F1,1B0,1B1")}, {0, 1}, 2);
  CHECK_THROWS_WITH(add_transfers(stuck),
                    "the order cannot finish: no rank can go on\n  rank 0 waits to run 0B0\n"
                    "  rank 1 waits to run 1F1");
  CHECK(lock_steps(stuck.ranks, {0, 1}) == -1);
}

TEST_CASE("lowering many actions takes time in proportion") {
  const Schedule schedule = generate(ScheduleName::interleaved_1f1b, {16, 4, 256});
  const auto lowered = add_transfers(schedule);
  std::size_t transfers = 0;
  for (const Actions& row : lowered) {
    for (const Action& action : row) {
      transfers += is_transfer(action.kind) ? 1 : 0;
    }
  }
  // Each of 63 boundaries, 256 micro-batches, both ways, a send and a receive.
  CHECK(transfers == 63U * 256U * 2U * 2U);
}

}  // namespace parsim
