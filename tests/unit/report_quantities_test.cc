#include <algorithm>

#include "sim/report/quantities.h"
#include "tests/catch.h"
#include "tests/unit/report_cases.h"

using Catch::Matchers::WithinRel;
using namespace parsim::cases;
using parsim::AnalyseInput;
using parsim::Block;
using parsim::Bytes;
using parsim::Flops;
using parsim::FlopsPerSecond;
using parsim::Operator;
using parsim::OperatorClass;
using parsim::Precision;
using parsim::Scenario;
using parsim::TaskGraph;
using parsim::Timeline;

namespace {

/// A pipeline of two ranks, data 3, tensor 2: 12 ranks, M micro-batches, one block a stage.
struct Job {
  Scenario scenario;
  parsim::Workload workload;
  parsim::Plan plan;
  TaskGraph graph;
  Timeline timeline;

  explicit Job(TaskGraph made) : graph(std::move(made)), timeline(run(graph)) {
    scenario.parallel.data = 3;
    scenario.parallel.tensor = 2;
    scenario.parallel.pipeline = 2;
    scenario.batch.global = 24;
    scenario.cluster.device.name = "a device";
    scenario.cluster.device.peak[Precision::bf16] = FlopsPerSecond{1e12};
    scenario.cluster.device.memory = Bytes{1e6};
    plan.mesh.size = {3, 2, 2};
    plan.micro_batches = 4;
    Operator op;
    op.flops = Flops{5e12};
    Operator norm;
    norm.op_class = OperatorClass::norm;
    norm.flops = Flops{1e12};
    Block block;
    block.forward = {op, norm};
    block.saved = Bytes{100.0};
    block.model_flops = Flops{30e12};
    block.hardware_flops = Flops{40e12};
    workload.types = {block};
    workload.types.push_back(block);
    workload.types[1].saved = Bytes{7.0};
    workload.blocks = {0, 1};
    workload.total_parameters = 3000;
    plan.stages = {{0, 0, 1, 1000}, {1, 1, 1, 500}};
  }
  [[nodiscard]] AnalyseInput input() const {
    return {scenario, workload, plan, graph, timeline, "simgrid"};
  }
  [[nodiscard]] std::vector<parsim::StageMemory> memory() const {
    return parsim::stage_memory(input(),
                                parsim::pipeline_representatives(parsim::lanes_by_rank(graph)));
  }
  [[nodiscard]] bool assumes(const std::string& words, const std::string& engine) const {
    AnalyseInput asked{scenario, workload, plan, graph, timeline, engine};
    const auto all = parsim::assumptions(asked, 12, 2);
    return std::any_of(all.begin(), all.end(), [&](const std::string& sentence) {
      return sentence.find(words) != std::string::npos;
    });
  }
};

/// (M + P - 1)(f + b) = 5 · 20 = 100 s.
Job trained() {
  return Job(pipeline(one_f_one_b_orders(2, 4), 10.0, 10.0, 0.0));
}

}  // namespace

TEST_CASE("throughput counts model FLOPs of all replicas") {
  Job job = trained();
  REQUIRE(job.timeline.makespan.value() == 100.0);
  const auto t = parsim::throughput(job.input());
  CHECK_THAT(t.samples_per_s, WithinRel(0.24, 1e-12));
  CHECK(!t.tokens_per_s);
  // 60 TFLOP a micro-batch, 4 of them, 3 replicas, 100 s, 12 ranks.
  CHECK_THAT(t.tflops_per_device, WithinRel(60.0 * 4 * 3 / (100.0 * 12), 1e-12));
  CHECK_THAT(t.mfu.value(), WithinRel(0.6, 1e-12));
  CHECK_THAT(t.hfu.value(), WithinRel(0.8, 1e-12));

  job.workload.tokens_per_sample = 1000;
  CHECK_THAT(parsim::throughput(job.input()).tokens_per_s.value(), WithinRel(240.0, 1e-12));

  job.scenario.training.precision = Precision::fp8;  // no peak
  CHECK(!parsim::throughput(job.input()).mfu);
  CHECK(!parsim::throughput(job.input()).hfu);
}

TEST_CASE("forward-only throughput counts the forward's products on all tensor ranks") {
  Job job = trained();
  job.scenario.schedule.forward_only = true;
  // 5 TFLOP a block and tensor rank, without the norm: 2 blocks · 2 ranks · 5 = 20 a micro-batch.
  const auto t = parsim::throughput(job.input());
  CHECK_THAT(t.tflops_per_device, WithinRel(20.0 * 4 * 3 / (100.0 * 12), 1e-12));
  CHECK(t.mfu.value() == t.hfu.value());
}

TEST_CASE("a model without FLOPs has no utilisation, an empty step no rates") {
  Job job = trained();
  for (Block& block : job.workload.types) {
    block.model_flops = block.hardware_flops = Flops{0.0};
  }
  CHECK(!parsim::throughput(job.input()).mfu);
  job.timeline.makespan = parsim::Seconds{0.0};
  CHECK(parsim::throughput(job.input()).samples_per_s == 0.0);
}

TEST_CASE("static memory follows the bytes of each parameter") {
  Job job = trained();
  job.scenario.training.precision = Precision::bf16;
  job.scenario.training.gradient_precision = Precision::fp32;
  const auto adam = job.memory();
  REQUIRE(adam.size() == 2);
  CHECK(adam[0].weights.value() == 2000.0);
  CHECK(adam[0].gradients.value() == 4000.0);
  CHECK(adam[0].optimizer.value() == 12000.0);  // 4 master + 8 moments
  CHECK(adam[1].weights.value() == 1000.0);
  const auto& m = adam[0];
  CHECK(m.peak.value() ==
        (m.weights + m.gradients + m.optimizer + m.activations + m.other).value());

  job.scenario.training.precision = Precision::fp32;  // the weights are the master copy
  CHECK(job.memory()[0].optimizer.value() == 8000.0);
  job.scenario.training.optimizer = parsim::OptimizerKind::none;
  CHECK(job.memory()[0].optimizer.value() == 0.0);
  job.scenario.schedule.forward_only = true;
  CHECK(job.memory()[0].gradients.value() == 0.0);
}

TEST_CASE("kept activations follow the schedule") {
  // 1F1B keeps P - r micro-batches on rank r, GPipe all M.
  const auto one = trained().memory();
  CHECK(one[0].activations.value() == 2 * 100.0);
  CHECK(one[1].activations.value() == 1 * 7.0);
  const auto gpipe = Job(pipeline(gpipe_orders(2, 4), 10.0, 10.0, 0.0)).memory();
  CHECK(gpipe[0].activations.value() == 4 * 100.0);
  CHECK(gpipe[1].activations.value() == 4 * 7.0);
  // Forward only: a micro-batch is done with when its forward ends.
  const auto forward = Job(pipeline(gpipe_orders(2, 4, false), 10.0, 0.0, 0.0)).memory();
  CHECK(forward[0].activations.value() == 100.0);
}

TEST_CASE("a job fits up to the last byte of its device") {
  Job job = trained();
  const double peak = job.memory()[0].peak.value();
  job.scenario.cluster.device.memory = Bytes{peak};
  CHECK(parsim::analyse(job.input()).fits);
  job.scenario.cluster.device.memory = Bytes{peak - 1.0};
  CHECK(!parsim::analyse(job.input()).fits);
  CHECK(parsim::analyse(job.input()).peak_memory.value() == peak);
}

TEST_CASE("a link carries the load of all alike flows") {
  parsim::TaskGraphBuilder builder;
  const auto lane = builder.add_lane({});
  const auto port =
      builder.add_link({"port", parsim::LinkClass::device_port, parsim::BytesPerSecond{100.0}, 2});
  const auto nic =
      builder.add_link({"nic", parsim::LinkClass::nic, parsim::BytesPerSecond{50.0}, 1});
  builder.add_link({"idle", parsim::LinkClass::nic, parsim::BytesPerSecond{50.0}, 1});
  const auto pattern =
      builder.add_pattern({parsim::Seconds{0.0}, {{1.5, {{port, 1, 1}, {nic, 1, 4}}}}, 0.0});
  for (int i = 0; i < 2; ++i) {
    const auto task = builder.add_communication(
        parsim::TaskKind::collective, parsim::TaskCategory::data, {}, pattern, Bytes{10.0});
    builder.add_to_lane(task, lane);
  }
  const TaskGraph graph = builder.build();
  Timeline timeline = run(graph);
  timeline.makespan = parsim::Seconds{6.0};
  const auto links = parsim::link_uses(graph, timeline);
  REQUIRE(links.size() == 2);
  CHECK(links[0].name == "nic");
  CHECK(links[0].bytes.value() == 2 * 10.0 * 1.5 * 4);
  CHECK_THAT(links[0].utilisation, WithinRel(120.0 / (50.0 * 6.0), 1e-12));
  CHECK(links[1].name == "port");
  CHECK(links[1].bytes.value() == 30.0);
  CHECK(links[1].multiplicity == 2);
}

TEST_CASE("assumptions say what holds and nothing else") {
  Job job = trained();
  CHECK(job.assumes("roofline costs: no calibration profile", "simgrid"));
  CHECK(job.assumes("a device", "simgrid"));
  CHECK(job.assumes("12 ranks are represented by 2", "simgrid"));
  CHECK(job.assumes("memory is an estimate", "simgrid"));
  CHECK(!job.assumes("contention", "simgrid"));
  CHECK(job.assumes("contention", "graph"));
  CHECK(!job.assumes("stated by the scenario", "simgrid"));
  CHECK(!job.assumes("free communication", "simgrid"));
  CHECK(!job.assumes("explicit schedule", "simgrid"));
  CHECK(!job.assumes("overridden", "simgrid"));

  job.scenario.costs.free_communication = true;
  job.scenario.costs.gemm_efficiency = 0.5;
  job.scenario.schedule.name = parsim::ScheduleName::explicit_order;
  CHECK(job.assumes("free communication", "graph"));
  CHECK(!job.assumes("contention", "graph"));
  CHECK(job.assumes("gemm efficiency 0.5", "graph"));
  CHECK(job.assumes("explicit schedule", "graph"));

  for (Block& block : job.workload.types) {
    for (auto& step : block.forward) {
      std::get<Operator>(step).given_time = parsim::Seconds{1.0};
    }
  }
  CHECK(job.assumes("stated by the scenario", "graph"));
  CHECK(job.assumes("roofline", "graph"));  // the optimizer still is
  job.scenario.training.optimizer = parsim::OptimizerKind::none;
  CHECK(!job.assumes("roofline", "graph"));
}
