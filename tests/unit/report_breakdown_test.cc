#include "sim/report/breakdown.h"
#include "tests/catch.h"
#include "tests/unit/report_cases.h"

using Catch::Matchers::WithinRel;
using parsim::Breakdown;
using parsim::LaneKind;
using parsim::Seconds;
using parsim::StageBubble;
using parsim::TaskCategory;
using parsim::TaskGraph;
using parsim::TaskId;
using parsim::TaskLabel;
using parsim::TaskPhase;
using parsim::Timeline;
using namespace parsim::cases;

namespace {

Breakdown breakdown_of(const TaskGraph& graph, const Timeline& timeline, std::size_t rank) {
  const auto ranks = parsim::lanes_by_rank(graph);
  return parsim::add_up(parsim::account(graph, timeline, ranks.at(rank)), ranks.at(rank).rank);
}

double sum(const Breakdown& b) {
  return (b.compute + b.exposed_tensor + b.exposed_data + b.exposed_pipeline + b.exposed_other +
          b.bubble + b.optimizer + b.other)
      .value();
}

StageBubble bubble_of(const TaskGraph& graph, const Timeline& timeline, std::size_t rank) {
  const auto ranks = parsim::lanes_by_rank(graph);
  return parsim::stage_bubble(graph, timeline, ranks.at(rank),
                              parsim::account(graph, timeline, ranks.at(rank)));
}

double mean_bubble_fraction(const TaskGraph& graph) {
  const Timeline timeline = run(graph);
  double total = 0.0;
  const auto ranks = parsim::lanes_by_rank(graph);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    total += bubble_of(graph, timeline, r).fraction;
  }
  return total / static_cast<double>(ranks.size());
}

}  // namespace

TEST_CASE("an all-reduce between two operators is exposed tensor communication") {
  Machine machine(1);
  const TaskId a = machine.compute(0, TaskPhase::forward, 0, 3.0);
  const TaskId sum_up = machine.collective({0}, LaneKind::tensor, TaskCategory::tensor,
                                           TaskLabel{TaskPhase::forward, 0, 0}, 2.0, {a});
  machine.compute(0, TaskPhase::forward, 0, 4.0, {sum_up});
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 0);
  CHECK(b.compute.value() == 7.0);
  CHECK(b.exposed_tensor.value() == 2.0);
  CHECK(sum(b) == 9.0);
}

TEST_CASE("a gradient reduction exposes what does not fit behind the backward") {
  // Backward of 4 s releases a 3 s bucket after 2 s and another 3 s bucket at its end: the lane is
  // busy until 8 s, so 4 s of the 6 s show; then 1 s of optimizer.
  Machine machine(1);
  const TaskId first = machine.compute(0, TaskPhase::backward, 0, 2.0);
  const TaskLabel label{TaskPhase::gradient_reduction, 0};
  const TaskId one =
      machine.collective({0}, LaneKind::data, TaskCategory::data, label, 3.0, {first});
  const TaskId last = machine.compute(0, TaskPhase::backward, 0, 2.0);
  const TaskId two =
      machine.collective({0}, LaneKind::data, TaskCategory::data, label, 3.0, {last});
  SECTION("when the optimizer waits for both") {
    machine.compute(0, TaskPhase::optimizer, parsim::kNone, 1.0, {one, two});
  }
  SECTION("when it waits for the last, which queues behind the first") {
    machine.compute(0, TaskPhase::optimizer, parsim::kNone, 1.0, {two});
  }
  const TaskGraph graph = machine.builder.build();
  const Timeline timeline = run(graph);
  CHECK(timeline.makespan.value() == 9.0);
  const Breakdown b = breakdown_of(graph, timeline, 0);
  CHECK(b.compute.value() == 4.0);
  CHECK(b.exposed_data.value() == 4.0);
  CHECK(b.optimizer.value() == 1.0);
  CHECK(b.bubble.value() == 0.0);
  CHECK(b.other.value() == 0.0);
}

TEST_CASE("a reduction without an optimizer behind it is exposed in the tail") {
  Machine machine(1);
  const TaskId last = machine.compute(0, TaskPhase::backward, 0, 2.0);
  machine.collective({0}, LaneKind::data, TaskCategory::data,
                     TaskLabel{TaskPhase::gradient_reduction, 0}, 3.0, {last});
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 0);
  CHECK(b.compute.value() == 2.0);
  CHECK(b.exposed_data.value() == 3.0);
}

TEST_CASE("waiting for a message is exposed only while the message is under way") {
  // Rank 1 waits 5 s for the forward of rank 0 and 2 s for its message.
  const TaskGraph graph = pipeline(gpipe_orders(2, 1, false), 5.0, 0.0, 2.0);
  const Timeline timeline = run(graph);
  const Breakdown b = breakdown_of(graph, timeline, 1);
  CHECK(b.bubble.value() == 5.0);
  CHECK(b.exposed_pipeline.value() == 2.0);
  CHECK(b.compute.value() == 5.0);
  CHECK(sum(b) == 12.0);
  // Rank 0 has nothing left to do; the message it sent does not hold it up.
  CHECK(breakdown_of(graph, timeline, 0).bubble.value() == 7.0);
}

TEST_CASE("a message that queues behind another is exposed while either is sent") {
  // Forwards of 1 s, messages of 3 s: rank 1 starts micro-batch 0 at 4 s and 1 at 7 s.
  const TaskGraph graph = pipeline(gpipe_orders(2, 2, false), 1.0, 0.0, 3.0);
  const Breakdown b = breakdown_of(graph, run(graph), 1);
  CHECK(b.bubble.value() == 1.0);
  CHECK(b.exposed_pipeline.value() == 5.0);
  CHECK(b.compute.value() == 2.0);
}

TEST_CASE("a message that did not hold up the next one is not booked for it") {
  // Rank 0 sends micro-batch 0 from 1 s to 4 s, which nobody waits for yet, and 1 from 6 s to 7 s.
  Machine machine(2);
  const TaskId first = machine.compute(0, TaskPhase::forward, 0, 1.0);
  machine.transfer(0, true, 0, 3.0, {first});
  const TaskId second = machine.compute(0, TaskPhase::forward, 1, 5.0);
  const TaskId message = machine.transfer(0, true, 1, 1.0, {second});
  machine.compute(1, TaskPhase::forward, 1, 1.0, {message});
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 1);
  CHECK(b.bubble.value() == 6.0);
  CHECK(b.exposed_pipeline.value() == 1.0);
}

TEST_CASE("a reduction that ends before the step does is exposed, the rest is bubble") {
  Machine machine(2);
  const TaskId early = machine.compute(0, TaskPhase::backward, 0, 1.0);
  machine.collective({0}, LaneKind::data, TaskCategory::data,
                     TaskLabel{TaskPhase::gradient_reduction, 0}, 2.0, {early});
  machine.compute(1, TaskPhase::backward, 0, 10.0);
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 0);
  CHECK(b.exposed_data.value() == 2.0);
  CHECK(b.bubble.value() == 7.0);
}

TEST_CASE("of communications at the same time the one that ends last is booked") {
  // Both start at 1 s; tensor runs until 4 s, pipeline until 6 s; then a third from 8 s to 9 s.
  Machine machine(2);
  const TaskId a = machine.compute(0, TaskPhase::forward, 0, 1.0);
  const TaskId other = machine.compute(1, TaskPhase::forward, 0, 8.0);
  const TaskId tensor = machine.collective({0}, LaneKind::tensor, TaskCategory::tensor,
                                           TaskLabel{TaskPhase::forward, 0, 0}, 3.0, {a});
  const TaskId message = machine.transfer(0, true, 0, 5.0, {a});
  const TaskId late = machine.transfer(1, false, 0, 1.0, {other});
  machine.compute(0, TaskPhase::backward, 0, 1.0, {tensor, message, late});
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 0);
  CHECK(b.exposed_pipeline.value() == 6.0);  // 1 s to 6 s, and 8 s to 9 s
  CHECK(b.exposed_tensor.value() == 0.0);
  CHECK(b.bubble.value() == 2.0);  // 6 s to 8 s
  CHECK(b.compute.value() == 2.0);
}

TEST_CASE("a tensor all-reduce of another rank is that rank's work, not ours") {
  Machine machine(2);
  const TaskId a = machine.compute(0, TaskPhase::forward, 0, 1.0);
  const TaskId tensor = machine.collective({0}, LaneKind::tensor, TaskCategory::tensor,
                                           TaskLabel{TaskPhase::forward, 0, 0}, 3.0, {a});
  const TaskId message = machine.transfer(0, true, 0, 2.0, {tensor});
  machine.compute(1, TaskPhase::forward, 0, 1.0, {message});
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 1);
  CHECK(b.bubble.value() == 4.0);
  CHECK(b.exposed_pipeline.value() == 2.0);
  CHECK(b.exposed_tensor.value() == 0.0);
}

TEST_CASE("a collective that waits for a slower member is bubble until it starts") {
  Machine machine(2);
  const TaskId fast = machine.compute(0, TaskPhase::forward, 0, 1.0);
  const TaskId slow = machine.compute(1, TaskPhase::forward, 0, 4.0);
  const TaskId both = machine.collective({0, 1}, LaneKind::tensor, TaskCategory::tensor,
                                         TaskLabel{TaskPhase::forward, 0, 0}, 2.0, {fast, slow});
  machine.compute(0, TaskPhase::forward, 0, 1.0, {both});
  const TaskGraph graph = machine.builder.build();
  const Breakdown b = breakdown_of(graph, run(graph), 0);
  CHECK(b.bubble.value() == 3.0);
  CHECK(b.exposed_tensor.value() == 2.0);
}

TEST_CASE("a moment that nothing explains is booked as other") {
  Machine machine(1);
  machine.compute(0, TaskPhase::forward, 0, 1.0);
  machine.compute(0, TaskPhase::forward, 1, 1.0);
  const TaskGraph graph = machine.builder.build();
  Timeline timeline = run(graph);
  timeline.start[1] = Seconds{1.5};
  timeline.end[1] = timeline.makespan = Seconds{2.5};
  const Breakdown b = breakdown_of(graph, timeline, 0);
  CHECK(b.other.value() == 0.5);
  CHECK(sum(b) == 2.5);
}

TEST_CASE("the rank that finishes last is the lowest of those that end together") {
  const TaskGraph graph = pipeline(gpipe_orders(3, 2, false), 1.0, 0.0, 0.0);
  const Timeline timeline = run(graph);
  const auto ranks = parsim::lanes_by_rank(graph);
  CHECK(parsim::last_to_finish(graph, timeline, ranks).rank == 2);
  const TaskGraph trained = pipeline(gpipe_orders(3, 2), 1.0, 1.0, 0.0);
  CHECK(parsim::last_to_finish(trained, run(trained), parsim::lanes_by_rank(trained)).rank == 0);
  Machine machine(3);
  machine.compute(1, TaskPhase::forward, 0, 2.0);
  machine.compute(2, TaskPhase::forward, 0, 2.0);
  const TaskGraph level = machine.builder.build();
  CHECK(parsim::last_to_finish(level, run(level), parsim::lanes_by_rank(level)).rank == 1);
}

TEST_CASE("with free communication the bubble is (P-1)/(M+P-1)") {
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (const std::int32_t m : {1, 2, 3, 7, 8, 32}) {
      const double expected = static_cast<double>(p - 1) / (m + p - 1);
      CAPTURE(p, m);
      const double gpipe = mean_bubble_fraction(pipeline(gpipe_orders(p, m), 1.1, 2.3, 0.0));
      const double one = mean_bubble_fraction(pipeline(one_f_one_b_orders(p, m), 1.1, 2.3, 0.0));
      CHECK(std::abs(gpipe - expected) < 1e-12);
      CHECK(std::abs(one - expected) < 1e-12);
    }
  }
}

TEST_CASE("the bubble splits into warm-up, steady and cool-down") {
  // 1F1B, P = 3, M = 4, f = 1, b = 2: rank r waits r·f first and idles r·b at the end.
  const TaskGraph graph = pipeline(one_f_one_b_orders(3, 4), 1.0, 2.0, 0.0);
  const Timeline timeline = run(graph);
  CHECK(timeline.makespan.value() == 18.0);  // (M + P - 1)(f + b)
  const StageBubble first = bubble_of(graph, timeline, 0);
  CHECK(first.idle.value() == 6.0);
  // Rank 0 runs forwards 0 to 2 by 3 s; backward 0 arrives at 3 + 2 + 2 = 7 s.
  CHECK(first.warmup.value() == 4.0);
  const StageBubble last = bubble_of(graph, timeline, 2);
  CHECK(last.idle.value() == 6.0);
  CHECK(last.warmup.value() == 2.0);
  CHECK(last.cooldown.value() == 4.0);  // two backwards after its own last
  for (std::size_t r = 0; r < 3; ++r) {
    const StageBubble b = bubble_of(graph, timeline, r);
    CHECK((b.warmup + b.steady + b.cooldown).value() == b.idle.value());
  }
  // GPipe, P = 2, M = 2, f = 1, b = 2: rank 0 idles from 2 s until backward 0 arrives at 5 s, all
  // of it before its first backward.
  const TaskGraph gpipe = pipeline(gpipe_orders(2, 2), 1.0, 2.0, 0.0);
  const StageBubble turn = bubble_of(gpipe, run(gpipe), 0);
  CHECK(turn.idle.value() == 3.0);
  CHECK(turn.warmup.value() == 3.0);
  CHECK(turn.cooldown.value() == 0.0);
  // Forward only: stage s waits s slots first and idles P - 1 - s at the end.
  const TaskGraph picture = pipeline(gpipe_orders(3, 3, false), 1.0, 0.0, 0.0);
  const StageBubble middle = bubble_of(picture, run(picture), 1);
  CHECK(middle.warmup.value() == 1.0);
  CHECK(middle.steady.value() == 0.0);
  CHECK(middle.cooldown.value() == 1.0);
}

TEST_CASE("the spans tile the step on every rank") {
  for (const double message : {0.0, 0.3, 1.7, 5.0}) {
    const TaskGraph graph = pipeline(one_f_one_b_orders(4, 6), 1.1, 2.3, message);
    const Timeline timeline = run(graph);
    for (const auto& rank : parsim::lanes_by_rank(graph)) {
      Seconds now{0.0};
      for (const parsim::Span& span : parsim::account(graph, timeline, rank)) {
        REQUIRE(span.start == now);
        REQUIRE(span.start < span.end);
        now = span.end;
      }
      REQUIRE(now == timeline.makespan);
      const Breakdown b = parsim::add_up(parsim::account(graph, timeline, rank), rank.rank);
      CHECK_THAT(sum(b), WithinRel(timeline.makespan.value(), 1e-12));
      CHECK(b.other.value() == 0.0);
      CHECK_THAT(b.compute.value(), WithinRel(6 * 3.4, 1e-12));
    }
  }
}
