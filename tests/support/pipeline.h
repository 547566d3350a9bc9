#pragma once

#include "sim/cost/cost.h"
#include "sim/engine/engine.h"
#include "sim/graph/fold.h"
#include "sim/graph/lower.h"
#include "sim/graph/verify.h"
#include "sim/network/network.h"
#include "sim/plan/plan.h"
#include "sim/report/report.h"

namespace parsim::test {

enum class EngineChoice { graph, simgrid };

/// Every box of the pipeline for one scenario.
struct Run {
  Workload workload;
  Plan plan;
  Folding folding;
  TaskGraph graph;
  Timeline timeline;
  Report report;
};

/// The whole flow without files. Expects a scenario that check_scenario accepts.
inline Run simulate(const Scenario& scenario, EngineChoice engine, bool unfold = false) {
  Run run;
  run.workload = build_workload(scenario);
  run.plan = make_plan(scenario, run.workload);
  const CostModel costs = make_cost_model(scenario);
  const Network network = build_network(scenario.cluster);
  const Communicators communicators = make_communicators(run.plan, run.workload, scenario.training);
  run.folding = fold(run.plan, communicators, network, unfold);
  run.graph = lower({scenario, run.workload, run.plan, costs, network, communicators, run.folding});
  verify(run.graph);
  run.timeline =
      engine == EngineChoice::graph ? run_graph_engine(run.graph) : run_simgrid_engine(run.graph);
  run.report = analyse({scenario, run.workload, run.plan, run.graph, run.timeline});
  return run;
}

/// A device on which only stated times count: nothing is added to them.
inline Device plain_device() {
  Device device;
  device.name = "plain";
  device.kind = "gpu";
  device.peak[Precision::bf16] = FlopsPerSecond{100e12};
  device.peak[Precision::fp32] = FlopsPerSecond{50e12};
  device.memory = Bytes{80e9};
  device.memory_bandwidth = BytesPerSecond{2e12};
  device.efficiency = {1.0, 1.0, 1.0, 1.0};
  return device;
}

/// `nodes` machines of `devices` devices: ports of 100 GB/s and 1 us, one NIC a device of 10 GB/s
/// and 5 us.
inline Cluster plain_cluster(std::int64_t nodes, std::int64_t devices) {
  Cluster cluster;
  cluster.device = plain_device();
  cluster.node.name = "plain";
  cluster.node.devices = devices;
  cluster.node.interconnect = NodeInterconnect::nvswitch;
  cluster.node.device_bandwidth = BytesPerSecond{100e9};
  cluster.node.device_latency = Seconds{1e-6};
  cluster.node.nics = devices;
  cluster.node.nic_bandwidth = BytesPerSecond{10e9};
  cluster.node.nic_latency = Seconds{5e-6};
  cluster.fabric = Fabric{};
  cluster.fabric->name = "plain";
  cluster.nodes = nodes;
  return cluster;
}

/// `layers` equal layers with stated times per sample and `output` bytes between them, on one node
/// of `pipeline` devices; one sample per micro-batch, no parameters.
inline Scenario layered_pipeline(std::int64_t pipeline, std::int64_t layers,
                                 std::int64_t micro_batches, Seconds forward, Seconds backward,
                                 Bytes output = Bytes{0.0}) {
  LayerSpec layer;
  layer.name = "layer";
  layer.repeat = layers;
  layer.forward_time = forward;
  layer.backward_time = backward;
  layer.output = output;
  Scenario scenario;
  scenario.name = "layered pipeline";
  scenario.model = LayerListModel{"layers", {layer}, {}};
  scenario.cluster = plain_cluster(1, pipeline);
  scenario.parallel.pipeline = pipeline;
  scenario.batch.global = micro_batches;
  scenario.batch.micro = 1;
  scenario.schedule.name = ScheduleName::gpipe;
  return scenario;
}

}  // namespace parsim::test
