// What gradient reduction exposes, in cases small enough to work out by hand.

#include "tests/catch.h"
#include "tests/support/models.h"
#include "tests/support/pipeline.h"

using namespace parsim;
using namespace parsim::test;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

/// Four replicas on one node; each layer has `parameters` weights, forward 10 ms, backward 20 ms;
/// no optimizer.
Scenario replicas(std::int64_t layers, std::int64_t parameters, bool overlap, Bytes bucket) {
  Scenario scenario = layered_pipeline(1, layers, 1, Seconds{0.010}, Seconds{0.020});
  auto& model = std::get<LayerListModel>(scenario.model);
  model.layers[0].parameters = parameters;
  scenario.cluster = plain_cluster(1, 4);
  scenario.parallel.data = 4;
  scenario.batch.global = 4;
  scenario.training.optimizer = OptimizerKind::none;
  scenario.training.overlap_gradient_reduction = overlap;
  scenario.training.bucket = bucket;
  return scenario;
}

/// Ring all-reduce of S bytes over 4 ranks: 2·3/4·S / 100 GB/s + 2·3·1 us.
double ring4(double bytes) {
  return 1.5 * bytes / 100e9 + 6e-6;
}

}  // namespace

TEST_CASE("without overlap the whole gradient all-reduce is exposed") {
  // 3 layers of 100 M parameters in fp32: 1.2 GB, 18.006 ms after 90 ms of work.
  for (const bool unfold : {false, true}) {
    const Run run =
        simulate(replicas(3, 100'000'000, false, Bytes{1}), EngineChoice::graph, unfold);
    CHECK_THAT(run.report.step_time.value(), WithinRel(0.090 + ring4(1.2e9), 1e-9));
    CHECK_THAT(run.report.breakdown.exposed_data.value(), WithinRel(ring4(1.2e9), 1e-9));
    CHECK_THAT(run.report.breakdown.compute.value(), WithinRel(0.090, 1e-9));
  }
}

TEST_CASE("one bucket larger than all gradients is reduced after the backward: all exposed") {
  const Run run = simulate(replicas(3, 100'000'000, true, Bytes{1e12}), EngineChoice::graph);
  CHECK_THAT(run.report.breakdown.exposed_data.value(), WithinRel(ring4(1.2e9), 1e-9));
}

TEST_CASE("buckets of one layer hide behind the backward of the layers before it") {
  // Bucket = one layer's 400 MB: 6.006 ms each, against 20 ms of backward. Only the last one is
  // exposed.
  const Run run = simulate(replicas(3, 100'000'000, true, Bytes{400e6}), EngineChoice::graph);
  CHECK_THAT(run.report.step_time.value(), WithinRel(0.090 + ring4(400e6), 1e-9));
}

TEST_CASE("when reduction is slower than the backward, what does not fit is exposed") {
  // Bucket 4 GB: 60.006 ms each. First starts when layer 3 is done, at 30 + 20 ms; three in a row.
  const Run run = simulate(replicas(3, 1'000'000'000, true, Bytes{4e9}), EngineChoice::graph);
  CHECK_THAT(run.report.step_time.value(), WithinRel(0.050 + 3 * ring4(4e9), 1e-9));
  CHECK_THAT(run.report.breakdown.exposed_data.value(), WithinRel(3 * ring4(4e9) - 0.040, 1e-9));
}

TEST_CASE("a layer of several buckets sends them one after another") {
  // 800 MB a layer in buckets of 300 MB. Left in the bucket: 200 MB after the first layer, 100 MB
  // after the second. Layer done at 50, 70, 90 ms. 2 buckets, then 3 (200+800), then 3 and nothing
  // left (100+800).
  const double t = ring4(300e6);  // 4.506 ms
  const Run run = simulate(replicas(3, 200'000'000, true, Bytes{300e6}), EngineChoice::graph);
  CHECK_THAT(run.report.step_time.value(), WithinRel(0.090 + 3 * t, 1e-9));
}

TEST_CASE("sum and mean cost the same: the scaling is part of the reduction") {
  Scenario sum = replicas(2, 1'000'000, true, Bytes{1e6});
  sum.training.gradient_reduction = GradientReduction::sum;
  Scenario mean = sum;
  mean.training.gradient_reduction = GradientReduction::mean;
  CHECK(simulate(sum, EngineChoice::graph).report.step_time ==
        simulate(mean, EngineChoice::graph).report.step_time);
}

TEST_CASE("the parts of the breakdown add up to the step time") {
  for (const bool overlap : {false, true}) {
    const Run run = simulate(replicas(5, 300'000'000, overlap, Bytes{1e9}), EngineChoice::graph);
    const Breakdown& b = run.report.breakdown;
    const Seconds sum = b.compute + b.exposed_tensor + b.exposed_data + b.exposed_pipeline +
                        b.exposed_other + b.bubble + b.optimizer + b.other;
    CHECK_THAT(sum.value(), WithinRel(run.report.step_time.value(), 1e-9));
  }
}

TEST_CASE("what bounds the step adds up to it and tells memory from compute") {
  // One layer of 8 TFLOP and 1 MB (compute), one of no work and 2 GB (memory), on 100 TFLOP/s and 2
  // TB/s.
  Scenario scenario = layered_pipeline(1, 1, 1, Seconds{1.0}, Seconds{1.0});
  LayerSpec compute;
  compute.name = "compute";
  compute.forward_flops = Flops{8e12};
  compute.forward_bytes = Bytes{1e6};
  LayerSpec memory;
  memory.name = "memory";
  memory.forward_bytes = Bytes{2e9};
  scenario.model = LayerListModel{"two", {compute, memory}, {}};
  const Report report = simulate(scenario, EngineChoice::graph).report;
  // Backward is twice the forward: 3 x 80 ms and 3 x 1 ms.
  REQUIRE(report.bound_by.size() == 2);
  CHECK(report.bound_by[0].name == "compute");
  CHECK_THAT(report.bound_by[0].time.value(), WithinRel(0.240, 1e-9));
  CHECK(report.bound_by[1].name == "memory bandwidth");
  CHECK_THAT(report.bound_by[1].time.value(), WithinRel(0.003, 1e-9));
}

TEST_CASE("forward-only model FLOPs count the whole attention square, fused or not") {
  Scenario scenario = layered_pipeline(1, 1, 1, Seconds{1.0}, Seconds{1.0});
  scenario.model = llama(2, 1024, 16, 16, 4096, 32000);
  scenario.batch.sequence = 2048;
  scenario.schedule.forward_only = true;
  const auto flops = [&] {
    const Report report = simulate(scenario, EngineChoice::graph).report;
    return report.throughput.tflops_per_device * 1e12 * report.step_time.value();
  };
  // Per layer 2·s·(4h² + 3·h·f) + 4·s²·h, logits 2·s·h·V.
  const double s = 2048, h = 1024, f = 4096;
  const double expected = 2 * (2 * s * (4 * h * h + 3 * h * f) + 4 * s * s * h) + 2 * s * h * 32000;
  CHECK_THAT(flops(), WithinRel(expected, 1e-9));
  scenario.training.attention = AttentionKernel::unfused;
  CHECK_THAT(flops(), WithinRel(expected, 1e-9));
}
