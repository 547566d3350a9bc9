// Parameter, FLOP and activation formulas of the literature.

#include "sim/workload/workload.h"

#include <map>
#include <string>

#include "tests/catch.h"
#include "tests/support/models.h"

using namespace parsim;
using namespace parsim::test;
using Catch::Matchers::WithinRel;

namespace {

Scenario training(const Model& model, std::int64_t micro, std::int64_t sequence,
                  std::int64_t tensor = 1) {
  Scenario scenario;
  scenario.model = model;
  scenario.batch.micro = micro;
  scenario.batch.sequence = sequence;
  scenario.parallel.tensor = tensor;
  scenario.training.precision = Precision::fp16;
  scenario.training.attention = AttentionKernel::unfused;
  return scenario;
}

Flops sum_flops(const std::vector<Step>& steps) {
  Flops sum{0.0};
  for (const Step& step : steps) {
    if (const auto* op = std::get_if<Operator>(&step)) {
      sum += op->flops;
    }
  }
  return sum;
}

/// FLOPs and model FLOPs of the whole model for one micro-batch on one rank.
struct Totals {
  Flops executed{0.0}, model{0.0}, hardware{0.0};
};
Totals totals(const Workload& workload) {
  Totals sum;
  for (const int type : workload.blocks) {
    const Block& block = workload.types[static_cast<std::size_t>(type)];
    sum.executed +=
        sum_flops(block.forward) + sum_flops(block.recompute) + sum_flops(block.backward);
    sum.model += block.model_flops;
    sum.hardware += block.hardware_flops;
  }
  return sum;
}

Bytes collective_bytes(const std::vector<Step>& steps, CollectiveKind kind) {
  Bytes sum{0.0};
  for (const Step& step : steps) {
    if (const auto* collective = std::get_if<TensorCollective>(&step);
        collective != nullptr && collective->kind == kind) {
      sum += collective->bytes;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("published parameter counts, exactly") {
  CHECK(parameter_count(llama(32, 4096, 32, 32, 11008, 32000)) == 6'738'415'616);
  CHECK(parameter_count(llama(32, 4096, 32, 8, 14336, 128256)) == 8'030'261'248);
  CHECK(parameter_count(llama(80, 8192, 64, 8, 28672, 128256)) == 70'553'706'496);
  CHECK(parameter_count(gpt(12, 768, 12, 50257, 1024)) == 124'439'808);
  CHECK(parameter_count(gpt(48, 1600, 25, 50257, 1024)) == 1'557'611'200);
}

TEST_CASE("GPT-3 175B with its published shape") {
  // 96 layers of 12 h^2 + 13 h, tokens and positions, final norm; h = 12288.
  const std::int64_t h = 12288;
  CHECK(parameter_count(gpt(96, h, 96, 50257, 2048)) ==
        96 * (12 * h * h + 13 * h) + (50257 + 2048) * h + 2 * h);
  CHECK(parameter_count(gpt(96, h, 96, 50257, 2048)) == 174'604'259'328);
}

TEST_CASE("parameters on the ranks of a tensor group add up to the model, copies aside") {
  for (const TransformerModel& model :
       {gpt(4, 1024, 16, 51200, 1024), llama(4, 2048, 32, 8, 8192, 128256)}) {
    for (const std::int64_t t : {1, 2, 4, 8}) {
      const Workload workload = build_workload(training(model, 1, 1024, t));
      std::int64_t on_rank = 0;
      for (const int type : workload.blocks) {
        on_rank += workload.types[static_cast<std::size_t>(type)].parameters;
      }
      // Copies on every rank: norms, row-parallel biases, positions.
      const std::int64_t norm = model.bias ? 2 * model.hidden : model.hidden;
      std::int64_t copied = model.layers * 2 * norm + norm;
      if (model.bias) {
        copied += model.layers * 2 * model.hidden + 1024 * model.hidden;
      }
      CHECK(t * (on_rank - copied) + copied == workload.total_parameters);
    }
  }
}

TEST_CASE(
    "model FLOPs follow Narayanan et al. 2021: 72 b s l h^2 (1 + s/6h + V/12lh), with full "
    "recomputation 96") {
  const double l = 24, h = 2304, s = 2048, v = 51200, b = 4;
  Scenario scenario = training(gpt(24, 2304, 24, 51200, 2048), 4, 2048);
  const Totals none = totals(build_workload(scenario));
  CHECK_THAT(none.model.value(),
             WithinRel(72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)), 1e-12));
  CHECK(none.hardware == none.model);
  CHECK_THAT(none.executed.value(), WithinRel(none.model.value(), 1e-12));
  scenario.training.recompute = Recompute::full;
  const Totals full = totals(build_workload(scenario));
  CHECK_THAT(full.hardware.value(),
             WithinRel(96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)), 1e-12));
  CHECK_THAT(full.executed.value(), WithinRel(full.hardware.value(), 1e-12));
  CHECK(full.model == none.model);
}

TEST_CASE("the FLOPs of a tensor group's ranks add up to the unpartitioned model's") {
  for (const TransformerModel& model :
       {gpt(3, 1024, 16, 51200, 1024), llama(3, 2048, 32, 8, 8192, 128256)}) {
    for (const AttentionKernel kernel : {AttentionKernel::fused, AttentionKernel::unfused}) {
      Scenario whole = training(model, 2, 1024);
      whole.training.attention = kernel;
      const Totals one = totals(build_workload(whole));
      for (const std::int64_t t : {2, 4, 8}) {
        for (const bool sequence_parallel : {false, true}) {
          Scenario part = whole;
          part.parallel.tensor = t;
          part.parallel.sequence_parallel = sequence_parallel;
          const Totals each = totals(build_workload(part));
          CHECK_THAT(each.executed.value() * static_cast<double>(t),
                     WithinRel(one.executed.value(), 1e-12));
          CHECK_THAT(each.model.value(), WithinRel(one.model.value(), 1e-12));
        }
      }
    }
  }
}

TEST_CASE("a causal fused kernel does half the products, 2.5 times as many backward") {
  Scenario scenario = training(llama(1, 2048, 16, 16, 8192, 32000), 1, 4096);
  scenario.training.attention = AttentionKernel::fused;
  const Block layer = build_workload(scenario).types[1];
  std::map<std::string, double> flops;
  for (const auto* steps : {&layer.forward, &layer.backward}) {
    for (const Step& step : *steps) {
      const auto& op = std::get<Operator>(step);
      flops[op.name] = op.flops.value();
    }
  }
  CHECK_THAT(flops["attention.forward"], WithinRel(2.0 * 4096 * 4096 * 2048, 1e-12));
  CHECK_THAT(flops["attention.backward"], WithinRel(5.0 * 4096 * 4096 * 2048, 1e-12));
}

TEST_CASE("saved activations follow Korthikanti et al. 2022") {
  const double s = 2048, b = 2, h = 6144, a = 64;
  for (const double t : {1.0, 8.0}) {
    Scenario scenario =
        training(gpt(1, 6144, 64, 51200, 2048), 2, 2048, static_cast<std::int64_t>(t));
    const auto saved = [&] { return build_workload(scenario).types[1].saved.value(); };
    const double sbh = s * b * h;
    CHECK_THAT(saved(), WithinRel(sbh * (10 + 24 / t + 5 * a * s / (h * t)), 1e-12));
    scenario.training.recompute = Recompute::selective;
    CHECK_THAT(saved(), WithinRel(sbh * (10 + 24 / t), 1e-12));
    scenario.training.recompute = Recompute::full;
    CHECK_THAT(saved(), WithinRel(sbh * 2, 1e-12));
    scenario.parallel.sequence_parallel = true;
    scenario.training.recompute = Recompute::none;
    CHECK_THAT(saved(), WithinRel(sbh / t * (34 + 5 * a * s / h), 1e-12));
    scenario.training.recompute = Recompute::selective;
    CHECK_THAT(saved(), WithinRel(sbh / t * 34, 1e-12));
  }
}

TEST_CASE(
    "Megatron's layer sums b·s·h four times a step, with sequence parallel as gathers and "
    "scatters") {
  const Bytes x{2.0 * 2 * 1024 * 1024};  // fp16, b 2, s 1024, h 1024
  Scenario scenario = training(gpt(1, 1024, 16, 51200, 1024), 2, 1024, 4);
  const Block plain = build_workload(scenario).types[1];
  CHECK(collective_bytes(plain.forward, CollectiveKind::all_reduce) == 2.0 * x);
  CHECK(collective_bytes(plain.backward, CollectiveKind::all_reduce) == 2.0 * x);
  scenario.parallel.sequence_parallel = true;
  const Block spread = build_workload(scenario).types[1];
  CHECK(collective_bytes(spread.forward, CollectiveKind::all_reduce) == Bytes{0.0});
  CHECK(collective_bytes(spread.forward, CollectiveKind::all_gather) == 2.0 * x);
  CHECK(collective_bytes(spread.forward, CollectiveKind::reduce_scatter) == 2.0 * x);
  // Backward: two gathers of output gradients, two of inputs for the weight gradients, two
  // scatters.
  CHECK(collective_bytes(spread.backward, CollectiveKind::all_gather) == 4.0 * x);
  CHECK(collective_bytes(spread.backward, CollectiveKind::reduce_scatter) == 2.0 * x);
}

TEST_CASE("a list of layers scales with the micro-batch; backward is twice forward unless stated") {
  LayerSpec spec;
  spec.name = "conv";
  spec.repeat = 3;
  spec.forward_flops = Flops{1e9};
  spec.forward_bytes = Bytes{1e6};
  spec.parameters = 1000;
  spec.output = Bytes{5e5};
  Scenario scenario = training(LayerListModel{"net", {spec}, {}}, 4, 0);
  const Workload workload = build_workload(scenario);
  CHECK(workload.blocks.size() == 3);
  CHECK(workload.total_parameters == 3000);
  const Block& block = workload.types.front();
  CHECK(std::get<Operator>(block.forward.front()).flops == Flops{4e9});
  CHECK(std::get<Operator>(block.backward.front()).flops == Flops{8e9});
  CHECK(std::get<Operator>(block.backward.front()).bytes == Bytes{8e6});
  CHECK(block.output == Bytes{2e6});
  CHECK(block.model_flops == Flops{12e9});
}

TEST_CASE(
    "Adam moves 30 bytes a parameter in mixed precision and clears and measures the gradient") {
  Training mixed;
  mixed.precision = Precision::bf16;
  mixed.gradient_precision = Precision::fp32;
  const auto steps = optimizer_step(mixed, 1000);
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].bytes == Bytes{4000});    // clear
  CHECK(steps[1].bytes == Bytes{4000});    // norm
  CHECK(steps[2].bytes == Bytes{8000});    // clip
  CHECK(steps[3].bytes == Bytes{30'000});  // 4 + 8 + 8 + 8 + 2
  mixed.optimizer = OptimizerKind::sgd;
  REQUIRE(optimizer_step(mixed, 1000).size() == 2);
  CHECK(optimizer_step(mixed, 1000)[1].bytes == Bytes{22'000});  // 4 + 8 + 8 + 2
  mixed.optimizer = OptimizerKind::none;
  CHECK(optimizer_step(mixed, 1000).empty());
}
