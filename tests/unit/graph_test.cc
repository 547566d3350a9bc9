#include "sim/base/check.h"
#include "sim/graph/task_graph.h"
#include "sim/graph/verify.h"
#include "tests/catch.h"

using namespace parsim;

namespace {

TaskLabel forward_label(std::int32_t stage, std::int32_t micro_batch) {
  return {TaskPhase::forward, stage, micro_batch, kNone, kNone};
}

}  // namespace

TEST_CASE("lane order and dependencies become one successor list without double edges") {
  TaskGraphBuilder builder;
  const LaneId lane = builder.add_lane({0, 1, 0, LaneKind::compute});
  const TaskId a =
      builder.add_compute(lane, TaskCategory::compute, forward_label(0, 0), Seconds{1});
  const TaskId b =
      builder.add_compute(lane, TaskCategory::compute, forward_label(0, 1), Seconds{2});
  builder.add_dependency(b, a);  // the lane says the same
  const TaskGraph graph = builder.build();
  REQUIRE(graph.successors_of(a).size() == 1);
  CHECK(graph.successors_of(a)[0] == b);
  CHECK(graph.predecessor_count[0] == 0);
  CHECK(graph.predecessor_count[1] == 1);
  CHECK(graph.dependencies_of(b).size() == 1);
  CHECK(graph.tasks_on(lane).size() == 2);
}

TEST_CASE("a collective sits on one lane of every member and waits for all of them") {
  TaskGraphBuilder builder;
  const LaneId left = builder.add_lane({0, 1, 0, LaneKind::data});
  const LaneId right = builder.add_lane({1, 1, 0, LaneKind::data});
  const TaskId all = builder.add_communication(TaskKind::collective, TaskCategory::data,
                                               forward_label(0, 0), kNone, Bytes{8});
  builder.add_to_lane(all, left);
  builder.add_to_lane(all, right);
  const TaskGraph graph = builder.build();
  CHECK(graph.lanes_of(all).size() == 2);
  CHECK(graph.tasks_on(left)[0] == all);
  CHECK(graph.tasks_on(right)[0] == all);
}

TEST_CASE("alone, a message takes latency plus bytes over its slowest link") {
  TaskGraphBuilder builder;
  const LaneId lane = builder.add_lane({0, 1, 0, LaneKind::send_forward});
  const auto fast = builder.add_link({"fast", LinkClass::device_port, BytesPerSecond{100e9}, 1});
  const auto slow = builder.add_link({"slow", LinkClass::nic, BytesPerSecond{10e9}, 1});
  GraphPattern pattern;
  pattern.latency = Seconds{3e-6};
  pattern.flows.push_back({0.5, {{fast, 1, 1}, {slow, 2, 16}}});
  const PatternId id = builder.add_pattern(pattern);
  const TaskId send = builder.add_communication(TaskKind::transfer, TaskCategory::pipeline,
                                                forward_label(0, 0), id, Bytes{1e9});
  builder.add_to_lane(send, lane);
  // Half of 1 GB crosses a 10 GB/s link twice: 0.1 s. Loads of alike flows do not count alone.
  CHECK_THAT(builder.build().time_alone(send).value(), Catch::Matchers::WithinRel(0.100003, 1e-12));
}

TEST_CASE("a schedule that cannot finish names the cycle task by task") {
  TaskGraphBuilder builder;
  const LaneId one = builder.add_lane({0, 1, 0, LaneKind::compute});
  const LaneId two = builder.add_lane({1, 1, 1, LaneKind::compute});
  const auto label = [](TaskPhase phase, std::int32_t stage, std::int32_t micro_batch) {
    return TaskLabel{phase, stage, micro_batch, kNone, kNone};
  };
  builder.add_compute(two, TaskCategory::compute, label(TaskPhase::forward, 1, 7), Seconds{1});
  const TaskId b0 =
      builder.add_compute(one, TaskCategory::compute, label(TaskPhase::backward, 0, 0), Seconds{1});
  const TaskId f0 =
      builder.add_compute(one, TaskCategory::compute, label(TaskPhase::forward, 0, 0), Seconds{1});
  const TaskId f1 =
      builder.add_compute(two, TaskCategory::compute, label(TaskPhase::forward, 1, 0), Seconds{1});
  builder.add_dependency(f1, f0);
  builder.add_dependency(b0, f1);
  CHECK_THROWS_WITH(
      verify(builder.build()),
      "the schedule cannot finish: 3 tasks wait for each other in a cycle\n"
      "  rank 0 compute: backward stage 0 micro-batch 0 waits for the result of rank 1 compute: "
      "forward stage 1 micro-batch 0\n"
      "  rank 1 compute: forward stage 1 micro-batch 0 waits for the result of rank 0 compute: "
      "forward stage 0 micro-batch 0\n"
      "  rank 0 compute: forward stage 0 micro-batch 0 waits for its turn after rank 0 compute: "
      "backward stage 0 micro-batch 0");
}

TEST_CASE("a task without a lane or with a negative time is our bug, with its name") {
  TaskGraphBuilder without_lane;
  without_lane.add_communication(TaskKind::transfer, TaskCategory::pipeline, forward_label(2, 5),
                                 kNone, Bytes{1});
  CHECK_THROWS_AS(verify(without_lane.build()), BugError);

  TaskGraphBuilder negative;
  const LaneId lane = negative.add_lane({0, 1, 0, LaneKind::compute});
  negative.add_compute(lane, TaskCategory::compute, forward_label(0, 0), Seconds{-1});
  CHECK_THROWS_AS(verify(negative.build()), BugError);
}
