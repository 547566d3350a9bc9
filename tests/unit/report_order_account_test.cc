#include "sim/report/order_account.h"
#include "tests/catch.h"
#include "tests/unit/report_cases.h"

namespace parsim {
namespace {

RankOrder order_of(const TaskGraph& graph, std::size_t rank) {
  const Timeline timeline = cases::run(graph);
  const RankLanes lanes = lanes_by_rank(graph).at(rank);
  return rank_order(graph, timeline, lanes, account(graph, timeline, lanes));
}

}  // namespace

TEST_CASE("waiting for a turn is told from waiting for data and from having finished") {
  // 1F1B of two ranks and four micro-batches, f = 1, b = 2, free messages. Rank 0: F0 F1 0-2, B0
  // 4-6, F2 6-7, B1 7-9, F3 9-10, B2 10-12, B3 13-15; rank 1 works from 1 to 13.
  const TaskGraph graph = cases::pipeline(cases::one_f_one_b_orders(2, 4), 1.0, 2.0, 0.0);
  const RankOrder first = order_of(graph, 0);
  CHECK(first.start == Seconds{0.0});
  CHECK(first.end == Seconds{15.0});
  CHECK(first.waiting_turn == Seconds{2.0});  // 2-4: F2 could have run
  CHECK(first.waiting_data == Seconds{1.0});  // 12-13: only B3 is left, and its gradient not there
  CHECK(first.finished == Seconds{0.0});
  CHECK(first.peak_in_flight == 2);
  const RankOrder second = order_of(graph, 1);
  CHECK((second.start == Seconds{1.0} && second.end == Seconds{13.0}));
  CHECK(second.waiting_turn == Seconds{0.0});
  CHECK(second.waiting_data == Seconds{1.0});
  CHECK(second.finished == Seconds{2.0});
  CHECK(second.peak_in_flight == 1);
}

TEST_CASE("activations in flight are counted from a forward's start to the end of its backward") {
  const TaskGraph graph = cases::pipeline(cases::gpipe_orders(1, 3), 1.0, 2.0, 0.0);
  const RankOrder order = order_of(graph, 0);
  CHECK(order.peak_in_flight == 3);
  std::vector<std::pair<double, std::int64_t>> changes;
  for (const InFlight& change : order.in_flight) {
    changes.emplace_back(change.time.value(), change.count);
  }
  CHECK(changes == std::vector<std::pair<double, std::int64_t>>{
                       {0.0, 1}, {1.0, 2}, {2.0, 3}, {5.0, 2}, {7.0, 1}, {9.0, 0}});
}

}  // namespace parsim
