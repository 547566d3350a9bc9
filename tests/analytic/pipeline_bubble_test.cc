// Closed forms of pipeline schedules (docs/schedules.md), and an independent recomputation with
// paid messages.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/support/pipeline.h"

using namespace parsim;
using namespace parsim::test;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

Scenario free_pipeline(std::int64_t ranks, std::int64_t chunks, std::int64_t micro_batches,
                       ScheduleName name) {
  Scenario scenario =
      layered_pipeline(ranks, ranks * chunks, micro_batches, Seconds{1.0}, Seconds{2.0});
  scenario.costs.free_communication = true;
  scenario.schedule.name = name;
  scenario.schedule.chunks = chunks;
  return scenario;
}

double bubble(const Scenario& scenario) {
  return simulate(scenario, EngineChoice::graph).report.bubble_fraction;
}

/// When every action of every rank ends, by relaxation to a fixed point. Knows nothing of task
/// graphs: a rank runs its actions in the given order; a message takes `hop` after its sender's
/// action and after the sender's previous message in the same direction.
double recompute(const std::vector<std::vector<Action>>& orders, std::int32_t stages,
                 double forward, double backward, double hop) {
  const auto ranks = static_cast<std::int32_t>(orders.size());
  using Key =
      std::pair<std::pair<bool, std::int32_t>, std::int32_t>;  // ((is forward, stage), micro-batch)
  std::map<Key, double> end;
  std::map<Key, double> arrival;  // of the message that leaves this action
  const auto key = [](bool is_forward, std::int32_t stage, std::int32_t micro_batch) {
    return Key{{is_forward, stage}, micro_batch};
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& actions : orders) {
      double clock = 0.0;
      std::map<bool, double> last_message;
      for (const Action& action : actions) {
        const bool is_forward = action.kind == ActionKind::forward;
        const std::int32_t from = is_forward ? action.stage - 1 : action.stage + 1;
        double start = clock;
        if (from >= 0 && from < stages) {
          const bool local = from % ranks == action.stage % ranks;
          auto& source = local ? end : arrival;
          start = std::max(start, source[key(is_forward, from, action.micro_batch)]);
        }
        clock = start + (is_forward ? forward : backward);
        auto& stored = end[key(is_forward, action.stage, action.micro_batch)];
        const std::int32_t to = is_forward ? action.stage + 1 : action.stage - 1;
        if (to >= 0 && to < stages && to % ranks != action.stage % ranks) {
          last_message[is_forward] = std::max(clock, last_message[is_forward]) + hop;
          arrival[key(is_forward, action.stage, action.micro_batch)] = last_message[is_forward];
        }
        changed = changed || stored != clock;
        stored = clock;
      }
    }
  }
  double makespan = 0.0;
  for (const auto& [unused, time] : end) {
    makespan = std::max(makespan, time);
  }
  return makespan;
}

}  // namespace

TEST_CASE("GPipe and 1F1B idle for (P-1)/(M+P-1) of the step when messages are free") {
  for (const ScheduleName name : {ScheduleName::gpipe, ScheduleName::one_f_one_b}) {
    for (std::int64_t p = 1; p <= 16; ++p) {
      for (std::int64_t m = 1; m <= 64; ++m) {
        CAPTURE(static_cast<int>(name), p, m);
        const double expected = static_cast<double>(p - 1) / static_cast<double>(m + p - 1);
        CHECK_THAT(bubble(free_pipeline(p, 1, m, name)), WithinAbs(expected, 1e-9));
      }
    }
  }
}

TEST_CASE("interleaved 1F1B idles for (P-1)/(vM+P-1) of the step when P divides M") {
  for (std::int64_t p = 2; p <= 16; ++p) {
    for (std::int64_t v = 2; v <= 4; ++v) {
      for (std::int64_t m = p; m <= 64; m += p) {
        CAPTURE(p, v, m);
        const double expected = static_cast<double>(p - 1) / static_cast<double>(v * m + p - 1);
        CHECK_THAT(bubble(free_pipeline(p, v, m, ScheduleName::interleaved_1f1b)),
                   WithinAbs(expected, 1e-9));
      }
    }
  }
}

TEST_CASE("the step time of a pipeline with free messages is (M+P-1)(f+b)") {
  const Run run = simulate(free_pipeline(4, 1, 8, ScheduleName::one_f_one_b), EngineChoice::graph);
  CHECK_THAT(run.report.step_time.value(), WithinRel(33.0, 1e-12));  // 11 slots of 1 + 2
}

TEST_CASE("with paid messages the step time agrees with an independent recomputation") {
  const double output = 2e9;  // bytes over a 100 GB/s port: 20 ms
  const double hop = 1e-6 + output / 100e9;
  for (const auto& [name, chunks] :
       {std::pair{ScheduleName::gpipe, 1}, std::pair{ScheduleName::one_f_one_b, 1},
        std::pair{ScheduleName::interleaved_1f1b, 2},
        std::pair{ScheduleName::interleaved_1f1b, 3}}) {
    for (std::int64_t p = 2; p <= 8; ++p) {
      for (std::int64_t m = p; m <= 4 * p; m += p) {
        CAPTURE(static_cast<int>(name), chunks, p, m);
        Scenario scenario =
            layered_pipeline(p, p * chunks, m, Seconds{0.03}, Seconds{0.05}, Bytes{output});
        scenario.schedule.name = name;
        scenario.schedule.chunks = chunks;
        const Run run = simulate(scenario, EngineChoice::graph);
        const double expected = recompute(run.plan.schedule.ranks,
                                          static_cast<std::int32_t>(p * chunks), 0.03, 0.05, hop);
        CHECK_THAT(run.report.step_time.value(), WithinRel(expected, 1e-9));
      }
    }
  }
}

TEST_CASE("the naive partition's step is the sum of its stages and messages") {
  Scenario scenario = layered_pipeline(4, 8, 1, Seconds{0.1}, Seconds{0.25}, Bytes{1e9});
  scenario.schedule.name = ScheduleName::naive;
  const Run run = simulate(scenario, EngineChoice::simgrid);
  // 8 layers forward and backward, 3 boundaries crossed twice at 1 us + 1 GB / 100 GB/s.
  CHECK_THAT(run.report.step_time.value(), WithinRel(8 * 0.35 + 6 * (1e-6 + 0.01), 1e-9));
}

TEST_CASE(
    "three stages, three micro-batches, forward only: stage s runs micro-batch m in slot s+m") {
  Scenario scenario = free_pipeline(3, 1, 3, ScheduleName::gpipe);
  scenario.schedule.forward_only = true;
  const Run run = simulate(scenario, EngineChoice::simgrid);
  CHECK_THAT(run.report.step_time.value(), WithinRel(5.0, 1e-12));
  for (TaskId task = 0; task < run.graph.size(); ++task) {
    const auto t = static_cast<std::size_t>(task);
    if (run.graph.kind[t] == TaskKind::compute) {
      const TaskLabel& label = run.graph.label[t];
      CHECK(run.timeline.start[t].value() == label.stage + label.micro_batch);
      CHECK(run.timeline.end[t].value() == label.stage + label.micro_batch + 1);
    }
  }
}
