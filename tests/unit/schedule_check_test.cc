#include <string>
#include <vector>

#include "sim/schedule/order_check.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"

namespace parsim {
namespace {

/// A schedule from texts; "(0F1;3B0)" is a pair.
Schedule written(const std::vector<std::vector<std::string>>& rows,
                 std::vector<std::int32_t> stage_rank, std::int32_t micro_batches) {
  Schedule schedule;
  schedule.stage_rank = std::move(stage_rank);
  schedule.micro_batches = micro_batches;
  for (const auto& row : rows) {
    schedule.ranks.emplace_back();
    for (const std::string& text : row) {
      const auto action = parse_action(text);
      REQUIRE(action);
      schedule.ranks.back().push_back(*action);
    }
  }
  return schedule;
}

std::vector<std::string> messages(const Schedule& schedule, bool forward_only = false) {
  std::vector<std::string> result;
  for (const OrderProblem& problem : order_problems(schedule, {.forward_only = forward_only})) {
    result.push_back(problem.message);
  }
  return result;
}

using Messages = std::vector<std::string>;

/// Every schedule that has this shape, with it.
std::vector<std::pair<ScheduleName, Schedule>> all_of(std::int32_t ranks, std::int32_t chunks,
                                                      std::int32_t micro_batches) {
  std::vector<std::pair<ScheduleName, Schedule>> result;
  for (const ScheduleRule& rule : schedule_rules()) {
    ScheduleShape shape{ranks, chunks, micro_batches};
    if (rule.name == ScheduleName::automatic || rule.name == ScheduleName::explicit_order) {
      continue;
    }
    if (rule.name == ScheduleName::seq1f1b) {
      shape.slices = 3;
    }
    if (!shape_problem(rule.name, shape)) {
      result.emplace_back(rule.name, generate(rule.name, shape));
    }
  }
  return result;
}

}  // namespace

TEST_CASE(
    "every generated schedule passes the check and finishes with free and batched transfers") {
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t v = 1; v <= 4; ++v) {
      for (std::int32_t m = 1; m <= 2 * p + 3; ++m) {
        for (const auto& [name, schedule] : all_of(p, v, m)) {
          CAPTURE(rule_of(name).spelling, p, v, m);
          CHECK(messages(schedule).empty());
          CHECK(find_deadlock(schedule, TransferMode::eager).empty());
        }
      }
    }
  }
}

TEST_CASE("1F1B deadlocks when every send blocks, not when transfers are batched") {
  const Schedule schedule = generate(ScheduleName::one_f_one_b, {2, 1, 4});
  for (const TransferMode mode :
       {TransferMode::eager, TransferMode::posted, TransferMode::batched}) {
    CHECK(find_deadlock(schedule, mode).empty());
  }
  // Rank 0 sends F1 before it takes B0; rank 1 sends B0 before it takes F1.
  CHECK(find_deadlock(schedule, TransferMode::blocking) ==
        Messages{"0SEND_F1 of rank 0 is received after 1SEND_B0 of rank 1",
                 "1SEND_B0 of rank 1 is received after 0SEND_F1 of rank 0"});
}

TEST_CASE("GPipe finishes even when every transfer blocks") {
  for (std::int32_t p = 1; p <= 5; ++p) {
    CHECK(find_deadlock(generate(ScheduleName::gpipe, {p, 1, 6}), TransferMode::blocking).empty());
  }
}

TEST_CASE("a cycle is named action by action") {
  // Rank 1 wants to run B0 before F0 of its own stage would have let rank 0 go on.
  const Schedule stuck =
      written({{"0F0", "0B0", "0F1", "0B1"}, {"1F0", "1F1", "1B0", "1B1"}}, {0, 1}, 2);
  CHECK(messages(stuck).empty());
  CHECK(find_deadlock(stuck, TransferMode::eager) ==
        Messages{
            "1SEND_B0 of rank 1 is sent after 1B0 of rank 1",
            "1B0 of rank 1 comes after 1F1 of rank 1", "1F1 of rank 1 needs 0SEND_F1 of rank 0",
            "0SEND_F1 of rank 0 is sent after 0F1 of rank 0",
            "0F1 of rank 0 comes after 0B0 of rank 0", "0B0 of rank 0 needs 1SEND_B0 of rank 1"});
}

TEST_CASE("what is wrong with an order is said once, with its place") {
  using Rows = std::vector<std::vector<std::string>>;
  struct Row {
    Rows rows;
    Messages expected;
  };
  const std::vector<Row> table = {
      {{{"0F0", "0B0"}, {"1F0", "1B0"}}, {}},
      {{{"0F0", "0I0", "0W0"}, {"1F0", "1B0"}}, {}},
      {{{"0F0"}, {"1F0", "1B0"}}, {"\"0B0\" is missing"}},
      {{{"0F0", "0B0"}, {"1B0"}}, {"\"1F0\" is missing"}},
      {{{"0F0", "0I0"}, {"1F0", "1B0"}}, {"\"0W0\" is missing"}},
      {{{"0F0", "0W0"}, {"1F0", "1B0"}}, {"\"0I0\" is missing"}},
      {{{"0F0", "0W0", "0I0"}, {"1F0", "1B0"}}, {"\"0W0\" stands before \"0I0\""}},
      {{{"0B0", "0F0"}, {"1F0", "1B0"}}, {"\"0B0\" stands before \"0F0\""}},
      {{{"0F0", "0F0", "0B0"}, {"1F0", "1B0"}}, {"\"0F0\" stands here a second time"}},
      {{{"0F0", "0B0", "1F0"}, {"1B0"}}, {"\"1F0\" stands on rank 0, but stage 1 is on rank 1"}},
      {{{"0F0", "0B0", "0W0"}, {"1F0", "1B0"}}, {"stage 0 runs both B and W of micro-batch 0"}},
      {{{"0F0", "0SEND_F0", "0RECV_B0", "0B0"}, {"1RECV_F0", "1F0", "1B0", "1SEND_B0"}}, {}},
      {{{"0F0", "0RECV_B0", "0B0"}, {"1RECV_F0", "1F0", "1B0", "1SEND_B0"}},
       {"\"0F0\" is not followed by \"0SEND_F0\", which is missing"}},
      {{{"0F0", "0SEND_F0", "0B0", "0RECV_B0"}, {"1RECV_F0", "1F0", "1B0", "1SEND_B0"}},
       {"\"0RECV_B0\" stands after \"0B0\""}},
      {{{"0RECV_F0", "0F0", "0SEND_F0", "0RECV_B0", "0B0"}, {"1RECV_F0", "1F0", "1B0", "1SEND_B0"}},
       {"\"0RECV_F0\" has no other rank to go to or come from"}},
      {{{"0UNSHARD", "0F0", "0B0", "0RESHARD", "0RESHARD"}, {"1F0", "1B0"}},
       {"\"0RESHARD\", but the weights of stage 0 are not gathered"}},
      {{{"0F0", "0REDUCE_GRAD", "0B0"}, {"1F0", "1B0"}},
       {"\"0REDUCE_GRAD\" stands before \"0B0\""}},
  };
  for (const Row& row : table) {
    CAPTURE(row.rows);
    CHECK(messages(written(row.rows, {0, 1}, 1)) == row.expected);
  }
}

TEST_CASE("forward only needs no backward") {
  CHECK(messages(written({{"0F0", "0F1"}, {"1F0", "1F1"}}, {0, 1}, 2), true).empty());
}

}  // namespace parsim
