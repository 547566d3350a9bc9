#include <string>

#include "sim/workload/workload.h"
#include "tests/catch.h"
#include "tests/support/workload_scenario.h"

/// The workload against published closed forms.
namespace parsim {
namespace {

using Catch::WithinRel;
using test::gpt;
using test::llama;
using test::scenario_of;

struct Shape {
  std::int64_t layers, hidden, heads, vocabulary, sequence, micro;
};
const Shape kShapes[] = {{24, 2304, 24, 51200, 2048, 16},
                         {80, 12288, 96, 51200, 2048, 2},
                         {105, 20480, 128, 51200, 2048, 1},
                         {12, 768, 12, 50257, 1024, 8}};

Scenario gpt_scenario(const Shape& shape) {
  Scenario scenario =
      scenario_of(gpt(shape.layers, shape.hidden, shape.heads, shape.vocabulary, shape.sequence),
                  shape.sequence);
  scenario.batch.micro = shape.micro;
  return scenario;
}

double sum_blocks(const Workload& workload, Flops Block::*field) {
  double sum = 0;
  for (const int type : workload.blocks) {
    sum += (workload.types[static_cast<std::size_t>(type)].*field).value();
  }
  return sum;
}

double product_flops(const std::vector<Step>& steps) {
  double sum = 0;
  for (const Step& step : steps) {
    if (const auto* op = std::get_if<Operator>(&step)) {
      sum += op->flops.value();
    }
  }
  return sum;
}

/// Executed FLOPs of one rank, forward and backward.
double executed(const Workload& workload) {
  double sum = 0;
  for (const int type : workload.blocks) {
    const Block& block = workload.types[static_cast<std::size_t>(type)];
    sum += product_flops(block.forward) + product_flops(block.backward);
  }
  return sum;
}

/// Narayanan et al. 2021, appendix: 72 (without) or 96 (with recomputation) · b·s·L·h²·(1 + s/6h +
/// V/(12·L·h) or V/(16·L·h)). Exact where MLP = 4·h and every head is used; biases, norms and
/// softmax are no products.
TEST_CASE("model and hardware FLOPs are Narayanan's formula") {
  for (const Shape& shape : kShapes) {
    Scenario scenario = gpt_scenario(shape);
    const double b = static_cast<double>(shape.micro), s = static_cast<double>(shape.sequence),
                 l = static_cast<double>(shape.layers), h = static_cast<double>(shape.hidden),
                 v = static_cast<double>(shape.vocabulary);
    const double plain = 72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
    CHECK_THAT(sum_blocks(build_workload(scenario), &Block::model_flops), WithinRel(plain, 1e-9));
    CHECK_THAT(executed(build_workload(scenario)), WithinRel(plain, 1e-9));
    scenario.training.recompute = Recompute::full;
    const double again = 96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    const Workload full = build_workload(scenario);
    CHECK_THAT(sum_blocks(full, &Block::hardware_flops), WithinRel(again, 1e-9));
    CHECK_THAT(sum_blocks(full, &Block::model_flops), WithinRel(plain, 1e-9));
    scenario.training.recompute = Recompute::selective;
    CHECK_THAT(sum_blocks(build_workload(scenario), &Block::hardware_flops),
               WithinRel(plain + 4 * b * s * s * h * l, 1e-9));
  }
}

TEST_CASE("what recomputation runs is what hardware FLOPs add") {
  for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
    Scenario scenario = gpt_scenario({2, 256, 4, 1000, 128, 2});
    scenario.training.recompute = recompute;
    const Block layer = build_workload(scenario).types[1];
    CHECK_THAT(product_flops(layer.recompute),
               WithinRel((layer.hardware_flops - layer.model_flops).value(), 1e-12));
  }
}

TEST_CASE("the products of a tensor group add up to the unpartitioned model's") {
  for (const Model& model :
       {Model{gpt(3, 256, 8, 1024, 128)}, Model{llama(3, 256, 8, 8, 768, 1024)}}) {
    for (const bool sequence_parallel : {false, true}) {
      for (const auto kernel : {AttentionKernel::fused, AttentionKernel::unfused}) {
        Scenario scenario = scenario_of(model);
        scenario.training.attention = kernel;
        const double whole = executed(build_workload(scenario));
        for (const std::int64_t t : {2, 4, 8}) {
          scenario.parallel.tensor = t;
          scenario.parallel.sequence_parallel = sequence_parallel;
          CHECK_THAT(static_cast<double>(t) * executed(build_workload(scenario)),
                     WithinRel(whole, 1e-12));
        }
      }
    }
  }
}

/// Six FLOPs a parameter and token for everything but attention, positions and norms (Kaplan et al.
/// 2020, arXiv:2001.08361, section 2.1): an independent count from the parameters.
TEST_CASE("linear layers take 6 FLOPs a weight and token") {
  const TransformerModel model = llama(4, 512, 8, 2, 1408, 3200);
  const Workload workload = build_workload(scenario_of(model, 256));
  const double vectors = 512.0 * (2 * 4 + 1), table = 512.0 * 3200;
  const double weights = static_cast<double>(parameter_count(model)) - vectors - table;
  const double attention = 12.0 * 256 * 256 * 512 * 4;
  CHECK_THAT(sum_blocks(workload, &Block::model_flops),
             WithinRel(6 * 256 * weights + attention, 1e-12));
}

double layer_saved(const Scenario& scenario) {
  return build_workload(scenario).types[1].saved.value();
}

/// Korthikanti et al. 2022 (arXiv:2205.05198), equations 1 to 6.
TEST_CASE("activations of a GPT layer are Korthikanti's formulas") {
  for (const Shape& shape : kShapes) {
    Scenario scenario = gpt_scenario(shape);
    const double sbh = static_cast<double>(shape.sequence * shape.micro * shape.hidden);
    const double as_h =
        static_cast<double>(shape.heads * shape.sequence) / static_cast<double>(shape.hidden);
    CHECK_THAT(layer_saved(scenario), WithinRel(sbh * (34 + 5 * as_h), 1e-12));
    scenario.parallel.tensor = 4;
    CHECK_THAT(layer_saved(scenario), WithinRel(sbh * (10 + 24.0 / 4 + 5 * as_h / 4), 1e-12));
    scenario.training.recompute = Recompute::selective;
    CHECK_THAT(layer_saved(scenario), WithinRel(sbh * (10 + 24.0 / 4), 1e-12));
    scenario.parallel.sequence_parallel = true;
    CHECK_THAT(layer_saved(scenario), WithinRel(sbh * 34 / 4, 1e-12));
    scenario.training.recompute = Recompute::none;
    CHECK_THAT(layer_saved(scenario), WithinRel(sbh / 4 * (34 + 5 * as_h), 1e-12));
    scenario.training.recompute = Recompute::full;
    CHECK_THAT(layer_saved(scenario), WithinRel(2 * sbh / 4, 1e-12));
    scenario.parallel.sequence_parallel = false;
    CHECK_THAT(layer_saved(scenario), WithinRel(2 * sbh, 1e-12));
  }
}

TEST_CASE("ends keep 4sbh/t·(1 + v/h) and the embedding its dropout mask") {
  Scenario scenario = gpt_scenario({2, 256, 4, 1024, 128, 2});
  scenario.parallel.tensor = 4;
  scenario.parallel.sequence_parallel = true;
  const double sbh = 128.0 * 2 * 256;
  const Workload workload = build_workload(scenario);
  CHECK_THAT(workload.types[2].saved.value(), WithinRel(4 * sbh / 4 * (1 + 1024.0 / 256), 1e-12));
  CHECK_THAT(workload.types[0].saved.value(), WithinRel(sbh / 4 + 8.0 * 2 * 128, 1e-12));
}

TEST_CASE("a Llama layer keeps its own tensors: no masks, three MLP tensors, row statistics") {
  Scenario scenario = scenario_of(llama(1, 512, 8, 2, 1408, 1000), 256);
  scenario.training.attention = AttentionKernel::fused;
  // norms' and linear inputs 4·h, Q, K and V, projection input, gate + up + product; 4-byte row
  // sums
  const double elements = 256.0 * (4 * 512 + (512 + 2 * 128) + 512 + 3 * 1408);
  CHECK_THAT(layer_saved(scenario), WithinRel(2 * elements + 4.0 * 8 * 256, 1e-12));
}

}  // namespace
}  // namespace parsim
