#include "sim/workload/workload.h"
#include "tests/catch.h"
#include "tests/support/workload_scenario.h"

namespace parsim {
namespace {

using test::gpt;
using test::llama;
using test::scenario_of;

std::int64_t parameters_on_rank(const Workload& workload) {
  std::int64_t sum = 0;
  for (const int type : workload.blocks) {
    sum += workload.types[static_cast<std::size_t>(type)].parameters;
  }
  return sum;
}

TEST_CASE("published models have their published number of parameters") {
  CHECK(parameter_count(llama(32, 4096, 32, 32, 11008, 32000)) == 6'738'415'616);
  CHECK(parameter_count(llama(32, 4096, 32, 8, 14336, 128256)) == 8'030'261'248);
  CHECK(parameter_count(llama(80, 8192, 64, 8, 28672, 128256)) == 70'553'706'496);
  CHECK(parameter_count(gpt(12, 768, 12, 50257, 1024)) == 124'439'808);
}

TEST_CASE("GPT-3 175B counts as its formula says, about 174.6 billion") {
  // 12·L·h² weights, 13·L·h biases and norms, final norm 2·h, tables (V + s)·h.
  const std::int64_t layers = 96, h = 12288, v = 50257, s = 2048;
  const std::int64_t expected = 12 * layers * h * h + 13 * layers * h + 2 * h + (v + s) * h;
  CHECK(parameter_count(gpt(96, 12288, 96, 50257, 2048)) == expected);
  CHECK(static_cast<double>(expected) == Approx(174.6e9).epsilon(0.001));
}

TEST_CASE("untying the embeddings adds one table") {
  TransformerModel model = gpt(2, 64, 4, 1000, 32);
  const std::int64_t tied = parameter_count(model);
  model.tied_embeddings = false;
  CHECK(parameter_count(model) == tied + 1000 * 64);
}

TEST_CASE("a list of layers counts every repetition") {
  LayerListModel model;
  model.layers.resize(2);
  model.layers[0].parameters = 10;
  model.layers[0].repeat = 3;
  model.layers[1].parameters = 5;
  CHECK(parameter_count(model) == 35);
}

TEST_CASE("blocks of one rank add up to the whole model") {
  for (const Model& model :
       {Model{gpt(3, 64, 4, 1000, 128)}, Model{llama(3, 64, 4, 2, 160, 1000)}}) {
    const Workload workload = build_workload(scenario_of(model));
    CHECK(parameters_on_rank(workload) == parameter_count(model));
    CHECK(workload.total_parameters == parameter_count(model));
  }
}

TEST_CASE("a rank of the tensor group holds its share and all replicated vectors") {
  const std::int64_t layers = 3, h = 64, t = 4;
  Scenario scenario = scenario_of(gpt(layers, h, 4, 1000, 128));
  scenario.parallel.tensor = t;
  // Replicated: projection and down bias, two norms of 2·h a layer; final norm; positions.
  const std::int64_t replicated = layers * (2 * h + 4 * h) + 2 * h + 128 * h;
  const std::int64_t whole = parameter_count(scenario.model);
  CHECK(parameters_on_rank(build_workload(scenario)) == replicated + (whole - replicated) / t);
}

TEST_CASE("a tied head on another stage holds a copy of the table, on the same stage none") {
  Scenario scenario = scenario_of(gpt(4, 64, 4, 1000, 128));
  const Block alone = build_workload(scenario).types.back();
  CHECK(alone.shared_parameters == 0);
  CHECK(alone.parameters == 2 * 64);
  scenario.parallel.pipeline = 2;
  const Block apart = build_workload(scenario).types.back();
  CHECK(apart.shared_parameters == 1000 * 64);
  CHECK(apart.parameters == 2 * 64 + 1000 * 64);
}

}  // namespace
}  // namespace parsim
