#include "sim/schedule/schedule.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace parsim;

namespace {

std::vector<std::string> rows(const Schedule& schedule) {
  std::vector<std::string> result;
  for (const auto& actions : schedule.ranks) {
    std::string row;
    for (const Action& action : actions) {
      row += (row.empty() ? "" : ",") + to_text(action);
    }
    result.push_back(row);
  }
  return result;
}

/// Rows of a file of PyTorch's compute-only orders, or nothing where the shared data is not
/// present.
std::vector<std::string> derived(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(PARSIM_SOURCE_DIR) / "../shared/data/schedules/derived" / name;
  std::ifstream file(path);
  std::vector<std::string> result;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ',')) {
      line.pop_back();
    }
    result.push_back(line);
  }
  return result;
}

void check_derived(const std::string& name, const Schedule& schedule) {
  const auto expected = derived(name);
  if (expected.empty()) {
    WARN("skipped: shared data not present");
    return;
  }
  CHECK(rows(schedule) == expected);
}

}  // namespace

TEST_CASE("1F1B of 2 ranks and 4 micro-batches, written out") {
  CHECK(rows(one_f_one_b_schedule({2, 1, 4, 0})) ==
        std::vector<std::string>{"0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3",
                                 "1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"});
}

TEST_CASE("naive of 2 ranks and 2 micro-batches, written out") {
  CHECK(rows(naive_schedule({2, 1, 2, 0})) ==
        std::vector<std::string>{"0F0,0B0,0F1,0B1", "1F0,1B0,1F1,1B1"});
}

TEST_CASE("1F1B with fewer micro-batches than ranks clamps the warm-up") {
  CHECK(rows(one_f_one_b_schedule({4, 1, 2, 0})) ==
        std::vector<std::string>{"0F0,0F1,0B0,0B1", "1F0,1F1,1B0,1B1", "2F0,2F1,2B0,2B1",
                                 "3F0,3B0,3F1,3B1"});
}

TEST_CASE("orders match PyTorch's") {
  check_derived("GPipe_2rank_4mb.csv", gpipe_schedule({2, 1, 4, 0}));
  check_derived("GPipe_4rank_8mb.csv", gpipe_schedule({4, 1, 8, 0}));
  check_derived("1F1B_2rank_4mb.csv", one_f_one_b_schedule({2, 1, 4, 0}));
  check_derived("1F1B_4rank_8mb.csv", one_f_one_b_schedule({4, 1, 8, 0}));
  check_derived("Interleaved1F1B_v2_2rank_4mb.csv", interleaved_1f1b_schedule({2, 2, 4, 0}));
  check_derived("Interleaved1F1B_v2_4rank_8mb.csv", interleaved_1f1b_schedule({4, 2, 8, 0}));
  check_derived("Interleaved1F1B_v3_2rank_4mb.csv", interleaved_1f1b_schedule({2, 3, 4, 0}));
  check_derived("Interleaved1F1B_v3_4rank_8mb.csv", interleaved_1f1b_schedule({4, 3, 8, 0}));
}

TEST_CASE("interleaved with an uneven last group follows Megatron's table") {
  // P 2, v 2, group 3, 5 micro-batches: micro-batches 0 1 2 0 1 2 3 4 3 4 on chunks 0 0 0 1 1 1 0 0
  // 1 1.
  const Schedule schedule = interleaved_1f1b_schedule({2, 2, 5, 3});
  std::string forwards;
  for (const Action& action : schedule.ranks[0]) {
    if (action.kind == ActionKind::forward) {
      forwards += (forwards.empty() ? "" : ",") + to_text(action);
    }
  }
  CHECK(forwards == "0F0,0F1,0F2,2F0,2F1,2F2,0F3,0F4,2F3,2F4");
}

TEST_CASE("every schedule runs every stage and micro-batch once in each direction") {
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t m = 1; m <= 9; ++m) {
      for (const Schedule& schedule :
           {naive_schedule({p, 1, m, 0}), gpipe_schedule({p, 1, m, 0}),
            one_f_one_b_schedule({p, 1, m, 0}), interleaved_1f1b_schedule({p, 3, m, 0})}) {
        std::vector<int> seen(schedule.stage_rank.size() * static_cast<std::size_t>(m) * 2, 0);
        for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
          for (const Action& action : schedule.ranks[rank]) {
            CHECK(schedule.stage_rank[static_cast<std::size_t>(action.stage)] ==
                  static_cast<std::int32_t>(rank));
            const auto index = (action.stage * m + action.micro_batch) * 2 +
                               (action.kind == ActionKind::forward ? 0 : 1);
            ++seen[static_cast<std::size_t>(index)];
          }
        }
        CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
      }
    }
  }
}

TEST_CASE("forward only drops the backwards and keeps the order") {
  ScheduleSpec spec;
  spec.name = ScheduleName::one_f_one_b;
  spec.forward_only = true;
  CHECK(rows(make_schedule(spec, {2, 1, 3, 0})) ==
        std::vector<std::string>{"0F0,0F1,0F2", "1F0,1F1,1F2"});
}

TEST_CASE("an action's text is read from end to end") {
  Action action;
  CHECK(parse_action("12B34", action));
  CHECK(action == Action{ActionKind::backward, 12, 34});
  for (const char* bad : {"", "F", "0F", "F0", "0X0", "0F0 ", " 0F0", "-1F0", "0F-1", "0FF0",
                          "0BW0", "99999999999F0", "0F1junk", "0f1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_action(bad, action));
  }
  CHECK(action == Action{ActionKind::backward, 12, 34});
}
