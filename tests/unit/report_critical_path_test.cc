#include "sim/report/critical_path.h"
#include "tests/catch.h"
#include "tests/unit/report_cases.h"

using namespace parsim::cases;
using parsim::CriticalStep;
using parsim::LaneKind;
using parsim::TaskCategory;
using parsim::TaskGraph;
using parsim::TaskId;
using parsim::TaskLabel;
using parsim::TaskPhase;

namespace {

std::vector<CriticalStep> path_of(const TaskGraph& graph) {
  return parsim::critical_path(graph, run(graph));
}

void check_step(const CriticalStep& step, const std::string& task, double start, double end,
                const std::string& why) {
  CHECK(step.task == task);
  CHECK(step.start.value() == start);
  CHECK(step.end.value() == end);
  CHECK(step.why == why);
}

}  // namespace

TEST_CASE("the critical path goes through the messages it waits for") {
  // Forwards of 2 s, messages of 1 s: micro-batch 1 leaves rank 0 at 4 s and ends on rank 1 at 7 s;
  // the lane of rank 1 would have been free at 5 s.
  const auto path = path_of(pipeline(gpipe_orders(2, 2, false), 2.0, 0.0, 1.0));
  REQUIRE(path.size() == 4);
  check_step(path[0], "rank 0: forward stage 0 micro-batch 0", 0.0, 2.0, "first task");
  // At 5 s both the lane and the message are there; the lane wins the tie.
  check_step(path[1], "rank 0: activations micro-batch 0", 2.0, 3.0,
             "sent when forward stage 0 micro-batch 0 is done");
  check_step(path[2], "rank 1: forward stage 1 micro-batch 0", 3.0, 5.0,
             "waits for activations of micro-batch 0 from stage 0");
  check_step(path[3], "rank 1: forward stage 1 micro-batch 1", 5.0, 7.0,
             "follows forward stage 1 micro-batch 0 on the same lane");
}

TEST_CASE("free messages leave their reason but no step") {
  const auto path = path_of(pipeline(gpipe_orders(2, 1, false), 2.0, 0.0, 0.0));
  REQUIRE(path.size() == 2);
  check_step(path[1], "rank 1: forward stage 1 micro-batch 0", 2.0, 4.0,
             "waits for activations of micro-batch 0 from stage 0");
}

TEST_CASE("computation and tensor communication of one action are one step") {
  Machine machine(1);
  const TaskId a = machine.compute(0, TaskPhase::forward, 0, 3.0);
  const TaskId sum = machine.collective({0}, LaneKind::tensor, TaskCategory::tensor,
                                        TaskLabel{TaskPhase::forward, 0, 0}, 2.0, {a});
  machine.compute(0, TaskPhase::forward, 0, 4.0, {sum});
  machine.compute(0, TaskPhase::recompute, 0, 1.0);
  const TaskId last = machine.compute(0, TaskPhase::backward, 0, 1.0);
  const std::int32_t name = machine.builder.add_name("gradient all-reduce");
  const TaskId reduced = machine.collective(
      {0}, LaneKind::data, TaskCategory::data,
      TaskLabel{TaskPhase::gradient_reduction, 0, parsim::kNone, name}, 5.0, {last});
  machine.compute(0, TaskPhase::optimizer, parsim::kNone, 1.0, {reduced});
  const auto path = path_of(machine.builder.build());
  REQUIRE(path.size() == 4);
  check_step(path[0], "rank 0: forward stage 0 micro-batch 0", 0.0, 9.0, "first task");
  check_step(path[1], "rank 0: backward stage 0 micro-batch 0", 9.0, 11.0,
             "follows forward stage 0 micro-batch 0 on the same lane");
  check_step(path[2], "rank 0: gradient all-reduce stage 0", 11.0, 16.0,
             "starts when every member is that far in backward stage 0 micro-batch 0");
  check_step(path[3], "rank 0: optimizer", 16.0, 17.0, "waits for the gradient all-reduce");
  CHECK(path[1].kind == "backward");
  CHECK(path[2].kind == "gradient all-reduce");
}

TEST_CASE("a collective is bound by its last member") {
  Machine machine(2);
  const TaskId fast = machine.compute(0, TaskPhase::backward, 0, 1.0);
  const TaskId slow = machine.compute(1, TaskPhase::backward, 0, 4.0);
  const TaskId both =
      machine.collective({0, 1}, LaneKind::data, TaskCategory::data,
                         TaskLabel{TaskPhase::gradient_reduction, 0}, 2.0, {fast, slow});
  machine.compute(0, TaskPhase::optimizer, parsim::kNone, 1.0, {both});
  const auto path = path_of(machine.builder.build());
  REQUIRE(path.size() == 3);
  check_step(path[0], "rank 1: backward stage 1 micro-batch 0", 0.0, 4.0, "first task");
  check_step(path[1], "rank 0: gradient reduction stage 0", 4.0, 6.0,
             "starts when all members have arrived; the last is rank 1 in backward stage 1 "
             "micro-batch 0");
}

TEST_CASE("equal candidates: the lane predecessor, then the lowest id") {
  Machine machine(3);
  const TaskId one = machine.compute(1, TaskPhase::forward, 0, 2.0);
  const TaskId two = machine.compute(2, TaskPhase::forward, 0, 2.0);
  const TaskId own = machine.compute(0, TaskPhase::forward, 0, 2.0);
  SECTION("lane") {
    machine.compute(0, TaskPhase::forward, 1, 1.0, {two, one});
    const TaskGraph graph = machine.builder.build();
    const auto chain = parsim::binding_chain(graph, run(graph));
    REQUIRE(chain.size() == 2);
    CHECK(chain[0].task == own);
    CHECK(chain[1].binding == parsim::Binding::lane);
  }
  SECTION("id") {
    machine.collective({0}, LaneKind::tensor, TaskCategory::tensor,
                       TaskLabel{TaskPhase::forward, 0, 1}, 1.0, {two, one});
    const TaskGraph graph = machine.builder.build();
    const auto chain = parsim::binding_chain(graph, run(graph));
    REQUIRE(chain.size() == 2);
    CHECK(chain[0].task == one);
  }
}

TEST_CASE("the path is contiguous from 0 to the makespan") {
  for (const double message : {0.0, 0.3, 1.7, 5.0}) {
    const TaskGraph graph = pipeline(one_f_one_b_orders(4, 6), 1.1, 2.3, message);
    double now = 0.0;
    for (const CriticalStep& step : path_of(graph)) {
      REQUIRE(step.start.value() == now);
      REQUIRE(step.end.value() > now);
      now = step.end.value();
    }
    CHECK(now == run(graph).makespan.value());
  }
}
