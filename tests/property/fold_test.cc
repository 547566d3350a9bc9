// Folding must not change a single time: folded and unfolded runs of every layout agree, contention
// included.

#include <cmath>
#include <string>
#include <tuple>

#include "tests/catch.h"
#include "tests/support/child.h"
#include "tests/support/pipeline.h"

using namespace parsim;
using namespace parsim::test;
using Catch::Matchers::WithinRel;

namespace {

TransformerModel small_transformer() {
  TransformerModel model;
  model.name = "small";
  model.layers = 8;
  model.hidden = 1024;
  model.heads = 16;
  model.kv_heads = 16;
  model.ffn_hidden = 4096;
  model.vocabulary = 32768;
  model.max_positions = 1024;
  return model;
}

/// A transformer over `tensor` × `pipeline` × `data` ranks on nodes of `devices` devices with
/// `nics` NICs.
Scenario layout(std::int64_t tensor, std::int64_t pipeline, std::int64_t data, std::int64_t devices,
                std::int64_t nics) {
  Scenario scenario;
  scenario.name = "layout";
  scenario.model = small_transformer();
  scenario.cluster = plain_cluster(tensor * pipeline * data / devices, devices);
  scenario.cluster.node.nics = nics;
  scenario.parallel.tensor = tensor;
  scenario.parallel.pipeline = pipeline;
  scenario.parallel.data = data;
  scenario.schedule.name = ScheduleName::one_f_one_b;
  scenario.batch.micro = 1;
  scenario.batch.sequence = 1024;
  scenario.batch.global = data * pipeline * 2;
  scenario.training.bucket = Bytes{8e6};
  return scenario;
}

/// {step time, bubble fraction, exposed data, tasks}
std::vector<double> facts(const Scenario& scenario, EngineChoice engine, bool unfold) {
  return in_child([&] {
    const Run run = simulate(scenario, engine, unfold);
    return std::vector<double>{run.report.step_time.value(), run.report.bubble_fraction,
                               run.report.breakdown.exposed_data.value(),
                               static_cast<double>(run.graph.size())};
  });
}

void check_alike(const Scenario& scenario) {
  for (const EngineChoice engine : {EngineChoice::graph, EngineChoice::simgrid}) {
    const auto folded = facts(scenario, engine, false);
    const auto unfolded = facts(scenario, engine, true);
    CHECK_THAT(folded.at(0), WithinRel(unfolded.at(0), 1e-9));
    CHECK(std::abs(folded.at(1) - unfolded.at(1)) < 1e-9);
    CHECK(std::abs(folded.at(2) - unfolded.at(2)) < 1e-9 * folded.at(0));
    CHECK(folded.at(3) <= unfolded.at(3));
  }
}

}  // namespace

TEST_CASE("folded and unfolded runs agree for every layout of 16 and 32 ranks") {
  for (const auto& [tensor, pipeline, data] :
       {std::tuple{1, 1, 16}, std::tuple{8, 1, 2}, std::tuple{1, 8, 2}, std::tuple{2, 2, 4},
        std::tuple{4, 4, 1}, std::tuple{2, 8, 1}, std::tuple{1, 4, 4}, std::tuple{4, 2, 4},
        std::tuple{2, 4, 4}}) {
    for (const std::int64_t nics : {1, 2, 8}) {
      CAPTURE(tensor, pipeline, data, nics);
      check_alike(layout(tensor, pipeline, data, 8, nics));
    }
  }
}

TEST_CASE("folding keeps contention where groups straddle nodes unevenly") {
  // 6 and 12 ranks a pipeline on nodes of 8: some hops leave the node, others do not.
  for (Scenario scenario : {layout(2, 6, 2, 8, 1), layout(2, 6, 4, 8, 2), layout(1, 6, 4, 8, 4)}) {
    std::get<TransformerModel>(scenario.model).layers = 12;
    check_alike(scenario);
  }
}

TEST_CASE("folded and unfolded runs agree for other axis orders") {
  for (const auto& order : {std::vector{Axis::data, Axis::tensor, Axis::pipeline},
                            std::vector{Axis::pipeline, Axis::tensor, Axis::data},
                            std::vector{Axis::data, Axis::pipeline, Axis::tensor}}) {
    Scenario scenario = layout(2, 4, 4, 8, 2);
    scenario.parallel.order = order;
    check_alike(scenario);
  }
}

TEST_CASE(
    "folded and unfolded runs agree with interleaving, sequence parallel and split messages") {
  Scenario scenario = layout(2, 4, 2, 8, 2);
  scenario.schedule.name = ScheduleName::interleaved_1f1b;
  scenario.schedule.chunks = 2;
  check_alike(scenario);
  scenario.parallel.scatter_gather_p2p = true;
  check_alike(scenario);
  scenario.parallel.sequence_parallel = true;
  scenario.parallel.overlap_tensor_gradient = true;
  check_alike(scenario);
  scenario.training.overlap_gradient_reduction = false;
  scenario.training.recompute = Recompute::full;
  scenario.training.attention = AttentionKernel::unfused;
  check_alike(scenario);
}

TEST_CASE("folded and unfolded runs agree on an oversubscribed fabric") {
  Scenario scenario = layout(2, 2, 8, 4, 4);
  scenario.cluster.fabric->kind = FabricKind::oversubscribed;
  scenario.cluster.fabric->nodes_per_leaf = 2;
  scenario.cluster.fabric->oversubscription = 4.0;
  check_alike(scenario);
}

TEST_CASE("folding simulates one rank a stage where replicas are alike") {
  const Run run = simulate(layout(8, 2, 4, 8, 8), EngineChoice::graph);
  CHECK(run.folding.representative.size() == 2);
  CHECK(run.folding.multiplicity == std::vector<std::int64_t>{32, 32});
}

TEST_CASE("eight pipelines through one NIC slow each message down eight times") {
  // 8 pipelines of 2 stages, stage = node; one NIC of 10 GB/s a node. 1 GB a message, 5 us.
  Scenario scenario = layered_pipeline(2, 2, 1, Seconds{1.0}, Seconds{1.0}, Bytes{1e9});
  scenario.cluster = plain_cluster(2, 8);
  scenario.parallel.data = 8;
  scenario.batch.global = 8;
  scenario.training.optimizer = OptimizerKind::none;
  scenario.cluster.node.nics = 8;
  CHECK_THAT(facts(scenario, EngineChoice::simgrid, false).at(0),
             WithinRel(4.0 + 2 * (5e-6 + 0.1), 1e-9));
  scenario.cluster.node.nics = 1;
  for (const bool unfold : {false, true}) {
    CHECK_THAT(facts(scenario, EngineChoice::simgrid, unfold).at(0),
               WithinRel(4.0 + 2 * (5e-6 + 0.8), 1e-9));
    CHECK_THAT(facts(scenario, EngineChoice::graph, unfold).at(0),
               WithinRel(4.0 + 2 * (5e-6 + 0.1), 1e-9));
  }
}
