// Every schedule through the whole flow, against the replay of its order, which knows nothing of
// task graphs, networks and engines.

#include <cmath>
#include <string>
#include <vector>

#include "sim/scenario/load.h"
#include "sim/schedule/replay.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"
#include "tests/support/child.h"
#include "tests/support/pipeline.h"

namespace parsim::test {
namespace {

using Catch::Matchers::WithinRel;

struct Case {
  ScheduleName name;
  std::int64_t ranks, chunks, micro_batches;
};

const std::vector<Case> kCases = {
    {ScheduleName::gpipe, 4, 1, 8},
    {ScheduleName::one_f_one_b, 4, 1, 8},
    {ScheduleName::interleaved_1f1b, 4, 2, 8},
    {ScheduleName::looped_bfs, 4, 2, 8},
    {ScheduleName::zb_h1, 4, 1, 8},
    {ScheduleName::zb_h2, 4, 1, 8},
    {ScheduleName::interleaved_zb, 4, 2, 8},
    {ScheduleName::zb_v, 4, 2, 8},
    {ScheduleName::v_half, 4, 2, 8},
    {ScheduleName::v_min, 4, 2, 8},
    {ScheduleName::dualpipe, 4, 1, 8},
    {ScheduleName::dualpipev, 4, 2, 10},
    {ScheduleName::chimera, 4, 1, 8},
    {ScheduleName::hanayo, 4, 4, 8},
};

/// Layers of 3 s forward, 2 s input and 4 s weight gradient; no time between ranks.
Scenario job(const Case& c) {
  Scenario scenario =
      layered_pipeline(c.ranks, c.ranks * c.chunks, c.micro_batches, Seconds{3.0}, Seconds{6.0});
  std::get<LayerListModel>(scenario.model).layers.front().weight_gradient_share = 2.0 / 3.0;
  scenario.costs.free_communication = true;
  scenario.schedule.name = c.name;
  scenario.schedule.chunks = c.chunks;
  scenario.training.optimizer = OptimizerKind::none;
  return scenario;
}

double replayed(const Scenario& scenario, double pair = 1.0) {
  const Plan plan = make_plan(scenario, build_workload(scenario));
  const auto result = replay(plan.schedule, {{{3.0, 2.0, 4.0}}, 0.0, pair});
  REQUIRE(result);
  return result->makespan;
}

}  // namespace

TEST_CASE("both engines take the replay's time for every schedule") {
  for (const Case& c : kCases) {
    CAPTURE(rule_of(c.name).spelling);
    const Scenario scenario = job(c);
    REQUIRE(check_scenario(scenario).empty());
    const double expected = replayed(scenario);
    CHECK_THAT(simulate(scenario, EngineChoice::graph).timeline.makespan.value(),
               WithinRel(expected, 1e-12));
    const auto simgrid = in_child([&scenario] {
      return std::vector{simulate(scenario, EngineChoice::simgrid).timeline.makespan.value()};
    });
    REQUIRE(simgrid.size() == 1);
    CHECK_THAT(simgrid[0], WithinRel(expected, 1e-9));
  }
}

TEST_CASE("overlapped pairs take pair_time of the sum of their parts") {
  for (const double pair : {0.5, 0.75, 1.25}) {
    Scenario scenario = job({ScheduleName::dualpipev, 4, 2, 10});
    scenario.schedule.pair_time = pair;
    CHECK_THAT(simulate(scenario, EngineChoice::graph).timeline.makespan.value(),
               WithinRel(replayed(scenario, pair), 1e-12));
  }
}

TEST_CASE("factors change single stages; an action's overhead is paid by each") {
  Scenario scenario = job({ScheduleName::zb_h1, 3, 1, 6});
  scenario.schedule.stage_factors = {{1.0, 1.0, 1.0}, {2.0, 0.5, 1.5}, {1.0, 3.0, 0.0}};
  scenario.schedule.action_overhead = Seconds{0.25};
  const Plan plan = make_plan(scenario, build_workload(scenario));
  const auto expected = replay(plan.schedule, {{{3.0 + 0.25, 2.0 + 0.25, 4.0 + 0.25},
                                                {6.0 + 0.25, 1.0 + 0.25, 6.0 + 0.25},
                                                {3.0 + 0.25, 6.0 + 0.25, 0.0 + 0.25}},
                                               0.0,
                                               1.0});
  REQUIRE(expected);
  // The overhead is the host's: it may pass while the input is still under way.
  const double now = simulate(scenario, EngineChoice::graph).timeline.makespan.value();
  CHECK(now <= expected->makespan);
  const double busiest = 6 * (6.25 + 1.25 + 6.25);
  CHECK(now >= busiest);
  scenario.schedule.action_overhead = Seconds{0.0};
  const auto without = replay(plan.schedule, {{{3, 2, 4}, {6, 1, 6}, {3, 6, 0}}, 0.0, 1.0});
  CHECK_THAT(simulate(scenario, EngineChoice::graph).timeline.makespan.value(),
             WithinRel(without->makespan, 1e-12));
}

TEST_CASE("forward only drops the backwards of every schedule") {
  for (const Case& c : kCases) {
    CAPTURE(rule_of(c.name).spelling);
    Scenario scenario = job(c);
    scenario.schedule.forward_only = true;
    const Run run = simulate(scenario, EngineChoice::graph);
    double busy = 0.0;
    for (TaskId task = 0; task < run.graph.size(); ++task) {
      busy += run.graph.time_alone(task).value();
    }
    // Every layer once a micro-batch, 3 s each.
    const std::int64_t layers = c.ranks * c.chunks;
    CHECK_THAT(busy, WithinRel(3.0 * static_cast<double>(layers * c.micro_batches), 1e-12));
  }
}

TEST_CASE("factors act on the parts of a whole backward too") {
  // One rank, 3 s forward, 2 s input and 4 s weight gradient.
  Scenario scenario = job({ScheduleName::one_f_one_b, 1, 1, 1});
  const auto step = [&scenario](StageFactors factors) {
    scenario.schedule.stage_factors = {factors};
    return simulate(scenario, EngineChoice::graph).timeline.makespan.value();
  };
  CHECK_THAT(step({1.0, 1.0, 0.0}), WithinRel(5.0, 1e-12));
  CHECK_THAT(step({1.0, 1.0, 10.0}), WithinRel(45.0, 1e-12));
  CHECK_THAT(step({1.0, 10.0, 1.0}), WithinRel(27.0, 1e-12));
  CHECK_THAT(step({10.0, 1.0, 1.0}), WithinRel(36.0, 1e-12));
}

TEST_CASE("a sequence cut in slices does the same work, and the later slices attend to more") {
  Scenario scenario = layered_pipeline(2, 2, 4, Seconds{1.0}, Seconds{2.0});
  TransformerModel model;
  model.layers = 4;
  model.hidden = 256;
  model.heads = 4;
  model.vocabulary = 1024;
  model.positions = Positions::rope;
  scenario.model = model;
  scenario.batch.sequence = 512;
  scenario.schedule.name = ScheduleName::seq1f1b;
  const auto attention = [&scenario](std::int64_t slices) {
    scenario.schedule.slices = slices;
    const Workload workload = build_workload(scenario);
    std::vector<double> flops;
    for (std::int32_t slice = 0; slice < workload.slices; ++slice) {
      double sum = 0.0;
      for (const Step& step : workload.block(1, slice).forward) {
        const auto* op = std::get_if<Operator>(&step);
        sum += op != nullptr && op->op_class == OperatorClass::attention ? op->flops.value() : 0.0;
      }
      flops.push_back(sum);
    }
    return flops;
  };
  const double whole = attention(1).front();
  const auto parts = attention(4);
  // Causal: slice k of n attends to (2k+1)/n^2 of the whole triangle.
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK_THAT(parts[k], WithinRel(whole * (2.0 * static_cast<double>(k) + 1.0) / 16.0, 1e-12));
  }
  CHECK(check_scenario(scenario).empty());
  const Run cut = simulate(scenario, EngineChoice::graph);
  const double model_flops = cut.report.throughput.tflops_per_device * cut.report.step_time.value();
  scenario.schedule.slices = 1;
  const Run uncut = simulate(scenario, EngineChoice::graph);
  CHECK_THAT(uncut.report.throughput.tflops_per_device * uncut.report.step_time.value(),
             WithinRel(model_flops, 1e-9));
}

TEST_CASE("transfers that block expose what eager ones hide") {
  // Two ranks, messages of 1 s (100 GB through a port of 100 GB/s; its latency is 1 us).
  Scenario scenario = layered_pipeline(2, 2, 4, Seconds{3.0}, Seconds{6.0}, Bytes{100e9});
  scenario.schedule.name = ScheduleName::one_f_one_b;
  const auto step = [&scenario](TransferMode mode) {
    scenario.schedule.transfers = mode;
    return simulate(scenario, EngineChoice::graph).timeline.makespan.value();
  };
  // Rank 1 runs F0 4-7, B0 7-13, F1 13-16, B1 16-22, F2 24-27 (sent by rank 0 at 23), B2 27-33,
  // F3 33-36, B3 36-42; rank 0 takes the last gradient at 43 and runs B3 until 49.
  CHECK_THAT(step(TransferMode::eager), WithinRel(49.0, 1e-6));
  // F1's message has to wait until rank 1 asks for it after B0, at 13: F1 14-17, B1 17-23, the
  // exchange until 24, F2 and B2 24-33, the exchange until 34, F3 and B3 34-43; rank 0 ends at 50.
  CHECK_THAT(step(TransferMode::posted), WithinRel(50.0, 1e-6));
  CHECK_THAT(step(TransferMode::batched), WithinRel(50.0, 1e-6));
  // With blocking transfers rank 0 cannot send F1 while rank 1 sends B0; GPipe can: F0 0-3, then
  // each forward waits for the message before it: F1 4-7, F2 8-11, F3 12-15, sent until 16, F3 of
  // rank 1 until 19; then four backwards of rank 1 and four messages, and rank 0's last backward.
  scenario.schedule.name = ScheduleName::gpipe;
  CHECK_THAT(step(TransferMode::blocking), WithinRel(19.0 + 6.0 * 4 + 1.0 * 4 + 6.0, 1e-6));
}

TEST_CASE(
    "a blocking gradient norm brings the bubble back that zero-bubble schedules had removed") {
  // One layer a rank, equal f, i and w; the ranks end one after another, P-1 forwards apart.
  Scenario scenario = layered_pipeline(4, 4, 16, Seconds{1.0}, Seconds{2.0});
  scenario.costs.free_communication = true;
  scenario.schedule.name = ScheduleName::zb_h2;
  const auto first_rank_end = [&scenario](GradientNorm norm) {
    scenario.training.gradient_norm = norm;
    std::get<LayerListModel>(scenario.model).layers.front().parameters = 1;
    const Run run = simulate(scenario, EngineChoice::graph);
    double earliest = 1e9;
    for (TaskId task = 0; task < run.graph.size(); ++task) {
      const auto t = static_cast<std::size_t>(task);
      if (run.graph.label[t].phase == TaskPhase::optimizer) {
        earliest = std::min(earliest, run.timeline.start[t].value());
      }
    }
    return earliest;
  };
  // Rank 0 has done its work (16·3 s) at 48 s; the last rank starts 3 s later and ends at 51 s.
  CHECK_THAT(first_rank_end(GradientNorm::none), WithinRel(48.0, 1e-9));
  CHECK_THAT(first_rank_end(GradientNorm::post_validated), WithinRel(48.0, 1e-9));
  CHECK_THAT(first_rank_end(GradientNorm::blocking), WithinRel(51.0, 1e-9));
}

TEST_CASE("two copies of the model sum their gradients") {
  Scenario scenario = job({ScheduleName::chimera, 4, 1, 8});
  std::get<LayerListModel>(scenario.model).layers.front().parameters = 1'000'000'000;
  scenario.costs.free_communication = false;
  const Run run = simulate(scenario, EngineChoice::graph);
  double bytes = 0.0;
  for (TaskId task = 0; task < run.graph.size(); ++task) {
    const auto t = static_cast<std::size_t>(task);
    if (run.graph.kind[t] == TaskKind::collective) {
      bytes += run.graph.bytes[t].value();
    }
  }
  // Two pairs of ranks, each with two stages of 1e9 parameters in fp32.
  CHECK_THAT(bytes, WithinRel(2 * 2 * 4e9, 1e-12));
  // Each rank holds the weights of two stages, in bf16.
  CHECK_THAT(run.report.memory.front().weights.value(), WithinRel(2 * 2e9, 1e-12));
}

}  // namespace parsim::test
