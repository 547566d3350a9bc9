// A better machine is never slower, and names and orders change nothing.

#include <string>
#include <vector>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/support/child.h"
#include "tests/support/pipeline.h"

using namespace parsim;
using namespace parsim::test;
using Catch::Matchers::WithinRel;

namespace {

/// A seeded layout of a small transformer: any mix of axes, schedules and switches that
/// check_scenario accepts.
Scenario random_scenario(Random& random) {
  TransformerModel model;
  model.name = "small";
  model.layers = 8;
  model.hidden = 512 * random.between(1, 4);
  model.heads = 16;
  model.kv_heads = 16;
  model.ffn_hidden = 4 * model.hidden;
  model.vocabulary = 16384;
  model.max_positions = 1024;
  Scenario scenario;
  scenario.name = "random";
  scenario.model = model;
  Parallel& parallel = scenario.parallel;
  parallel.tensor = std::int64_t{1} << random.between(0, 2);
  parallel.pipeline = std::int64_t{1} << random.between(0, 2);
  parallel.data = std::int64_t{1} << random.between(0, 2);
  parallel.sequence_parallel = random.between(0, 1) == 1;
  parallel.scatter_gather_p2p = random.between(0, 1) == 1;
  parallel.overlap_tensor_gradient = random.between(0, 1) == 1;
  const std::int64_t ranks = parallel.tensor * parallel.pipeline * parallel.data;
  const std::int64_t devices = ranks >= 4 ? 4 : ranks;
  scenario.cluster = plain_cluster(ranks / devices, devices);
  scenario.cluster.node.nics = random.between(1, devices);
  scenario.cluster.device.efficiency = {0.7, 0.6, 0.5, 0.8};
  scenario.cluster.device.launch_overhead = Seconds{3e-6};
  scenario.schedule.name =
      random.between(0, 1) == 1 ? ScheduleName::gpipe : ScheduleName::one_f_one_b;
  if (parallel.pipeline > 1 && random.between(0, 1) == 1) {
    scenario.schedule.name = ScheduleName::interleaved_1f1b;
    scenario.schedule.chunks = 2;
  }
  scenario.batch.micro = random.between(1, 2);
  scenario.batch.sequence = 512;
  scenario.batch.global =
      scenario.batch.micro * parallel.data * parallel.pipeline * random.between(1, 3);
  scenario.training.recompute = static_cast<Recompute>(random.between(0, 2));
  scenario.training.attention = static_cast<AttentionKernel>(random.between(0, 1));
  scenario.training.overlap_gradient_reduction = random.between(0, 1) == 1;
  scenario.training.bucket = Bytes{static_cast<double>(random.between(1, 20)) * 1e6};
  return scenario;
}

double step_time(const Scenario& scenario, EngineChoice engine) {
  return simulate(scenario, engine).report.step_time.value();
}

double simgrid_step_time(const Scenario& scenario) {
  return in_child([&] { return std::vector{step_time(scenario, EngineChoice::simgrid)}; }).at(0);
}

}  // namespace

TEST_CASE("more flops, more memory bandwidth or more network never slow a step down") {
  Random random(2026);
  for (int i = 0; i < 60; ++i) {
    const Scenario base = random_scenario(random);
    CAPTURE(i);
    for (const auto& improve : std::vector<void (*)(Scenario&)>{
             [](Scenario& s) { s.cluster.device.peak[Precision::bf16] = FlopsPerSecond{150e12}; },
             [](Scenario& s) { s.cluster.device.memory_bandwidth = BytesPerSecond{3e12}; },
             [](Scenario& s) { s.cluster.device.launch_overhead = Seconds{0.0}; },
             [](Scenario& s) { s.cluster.node.device_bandwidth = BytesPerSecond{170e9}; },
             [](Scenario& s) { s.cluster.node.device_latency = Seconds{0.0}; },
             [](Scenario& s) { s.cluster.node.nic_bandwidth = BytesPerSecond{13e9}; },
             [](Scenario& s) { s.cluster.node.nic_latency = Seconds{1e-6}; },
             [](Scenario& s) { s.training.gradient_precision = Precision::bf16; }}) {
      Scenario better = base;
      improve(better);
      CHECK(step_time(better, EngineChoice::graph) <=
            step_time(base, EngineChoice::graph) * (1 + 1e-12));
    }
  }
}

TEST_CASE("with contention too, a wider network never slows a step down") {
  Random random(7);
  for (int i = 0; i < 25; ++i) {
    const Scenario base = random_scenario(random);
    CAPTURE(i);
    Scenario better = base;
    better.cluster.node.nic_bandwidth = BytesPerSecond{15e9};
    better.cluster.node.device_bandwidth = BytesPerSecond{150e9};
    CHECK(simgrid_step_time(better) <= simgrid_step_time(base) * (1 + 1e-9));
  }
}

TEST_CASE("SimGrid is never faster than the contention-free engine") {
  Random random(8);
  for (int i = 0; i < 25; ++i) {
    const Scenario scenario = random_scenario(random);
    CAPTURE(i);
    CHECK(simgrid_step_time(scenario) >= step_time(scenario, EngineChoice::graph) * (1 - 1e-9));
  }
}

TEST_CASE("the breakdown adds up to the step time whatever the layout") {
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    const Report report = simulate(random_scenario(random), EngineChoice::graph).report;
    CAPTURE(i);
    const Breakdown& b = report.breakdown;
    const Seconds sum = b.compute + b.exposed_tensor + b.exposed_data + b.exposed_pipeline +
                        b.exposed_other + b.bubble + b.optimizer + b.other;
    CHECK_THAT(sum.value(), WithinRel(report.step_time.value(), 1e-9));
    CHECK(b.other.value() <= 1e-9 * report.step_time.value());
  }
}

TEST_CASE("free communication is never slower than paid communication") {
  Random random(10);
  for (int i = 0; i < 40; ++i) {
    Scenario scenario = random_scenario(random);
    const double paid = step_time(scenario, EngineChoice::graph);
    scenario.costs.free_communication = true;
    CHECK(step_time(scenario, EngineChoice::graph) <= paid * (1 + 1e-12));
  }
}

TEST_CASE("renaming ranks along the axes of one node changes nothing") {
  // Inside one crossbar every placement is alike: all six axis orders give one step time.
  Random random(11);
  for (int i = 0; i < 20; ++i) {
    Scenario scenario = random_scenario(random);
    const std::int64_t ranks =
        scenario.parallel.tensor * scenario.parallel.pipeline * scenario.parallel.data;
    scenario.cluster = plain_cluster(1, ranks);
    const double expected = step_time(scenario, EngineChoice::graph);
    const double with_contention = simgrid_step_time(scenario);
    for (const auto& order : {std::vector{Axis::data, Axis::tensor, Axis::pipeline},
                              std::vector{Axis::pipeline, Axis::tensor, Axis::data},
                              std::vector{Axis::data, Axis::pipeline, Axis::tensor},
                              std::vector{Axis::tensor, Axis::pipeline, Axis::data},
                              std::vector{Axis::pipeline, Axis::data, Axis::tensor}}) {
      scenario.parallel.order = order;
      CHECK_THAT(step_time(scenario, EngineChoice::graph), WithinRel(expected, 1e-12));
      CHECK_THAT(simgrid_step_time(scenario), WithinRel(with_contention, 1e-9));
    }
  }
}
