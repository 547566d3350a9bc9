#include "sim/plan/automatic_problem.h"

#include <algorithm>

#include "sim/cost/cost.h"
#include "sim/network/network.h"
#include "sim/schedule/placement.h"

namespace parsim {

namespace {

/// Latency + the slowest flow (A1), nothing else on the network.
Seconds time_alone(const Network& network, const CollectivePattern& pattern, Bytes bytes) {
  double slowest = 0.0;  // seconds per byte
  for (const FlowShape& flow : pattern.flows) {
    for (const LinkId link : flow.links) {
      const auto crossings = std::count(flow.links.begin(), flow.links.end(), link);
      slowest =
          std::max(slowest, flow.volume_fraction * static_cast<double>(crossings) /
                                network.links[static_cast<std::size_t>(link)].bandwidth.value());
    }
  }
  return pattern.latency + Seconds{bytes.value() * slowest};
}

/// Adds up the steps of a stage as if each ran alone.
class StageClock {
 public:
  StageClock(const Scenario& scenario, const std::vector<std::int64_t>& tensor_group)
      : scenario_(scenario),
        costs_(make_cost_model(scenario)),
        network_(build_network(scenario.cluster)),
        group_(tensor_group) {}

  Seconds of(const Step& step) const {
    if (const auto* op = std::get_if<Operator>(&step)) {
      return kernel_cost(costs_, *op).time;
    }
    const auto& collective = std::get<TensorCollective>(step);
    if (scenario_.costs.free_communication) {
      return Seconds{0.0};
    }
    return time_alone(network_, collective_pattern(network_, collective.kind, group_),
                      collective.bytes);
  }

  Seconds message(std::int64_t from, std::int64_t to, Bytes bytes) const {
    return scenario_.costs.free_communication
               ? Seconds{0.0}
               : time_alone(network_, transfer_pattern(network_, from, to), bytes);
  }

 private:
  const Scenario& scenario_;
  CostModel costs_;
  Network network_;
  std::vector<std::int64_t> group_;
};

Pass pass_of(const Step& step) {
  return std::visit([](const auto& what) { return what.pass; }, step);
}

StageTimes stage_times(const StageClock& clock, const Workload& workload, const Stage& stage) {
  StageTimes times{0.0, 0.0, 0.0};
  for (std::int64_t i = 0; i < stage.block_count; ++i) {
    const Block& block = workload.block(stage.first_block + i);
    for (const Step& step : block.forward) {
      times.forward += clock.of(step).value();
    }
    for (const Step& step : block.recompute) {
      times.input_gradient += clock.of(step).value();
    }
    for (const Step& step : block.backward) {
      (pass_of(step) == Pass::weight_gradient ? times.weight_gradient : times.input_gradient) +=
          clock.of(step).value();
    }
  }
  return times;
}

const StageFactors& factors_of(const ScheduleSpec& spec, std::size_t stage) {
  static const StageFactors kOne;
  if (spec.stage_factors.empty()) {
    return kOne;
  }
  return spec.stage_factors.size() == 1 ? spec.stage_factors.front() : spec.stage_factors[stage];
}

/// Bytes of the device's memory beside weights, gradients and optimizer state, on the rank that
/// holds most of them in either placement the scheduler may choose.
double activation_limit(const Scenario& scenario, const std::vector<Stage>& stages,
                        const ScheduleShape& shape) {
  double most = 0.0;
  for (const Schedule& placed : {loop_placement(shape), wave_placement(shape)}) {
    std::vector<double> parameters(static_cast<std::size_t>(shape.ranks), 0.0);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      double& here = parameters[static_cast<std::size_t>(placed.stage_rank[s])];
      here += static_cast<double>(stages[s].parameters);
      most = std::max(most, here);
    }
  }
  return (scenario.cluster.device.memory - training_state(scenario, most).total()).value();
}

}  // namespace

ScheduleProblem automatic_problem(const Scenario& scenario, const Workload& workload,
                                  const std::vector<Stage>& stages, const ScheduleShape& shape) {
  const Parallel& parallel = scenario.parallel;
  Mesh mesh = make_mesh(parallel);
  const StageClock clock(scenario, mesh.group_of(0, Axis::tensor));
  ScheduleProblem problem;
  problem.ranks = shape.ranks;
  problem.chunks = shape.chunks;
  problem.micro_batches = shape.micro_batches;
  problem.activations.clear();
  double largest_message = 0.0;
  const double overhead = scenario.schedule.action_overhead.value();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    StageTimes times = stage_times(clock, workload, stages[s]);
    const StageFactors& factors = factors_of(scenario.schedule, s);
    times.forward = times.forward * factors.forward + overhead;
    times.input_gradient = times.input_gradient * factors.input_gradient + overhead;
    times.weight_gradient = times.weight_gradient * factors.weight_gradient + overhead;
    problem.times.stages.push_back(times);
    double saved = 0.0;
    for (std::int64_t i = 0; i < stages[s].block_count; ++i) {
      saved += workload.block(stages[s].first_block + i).saved.value();
    }
    problem.activations.push_back(std::max(saved, 1.0));
    if (s + 1 < stages.size()) {
      const Stage& stage = stages[s];
      largest_message =
          std::max(largest_message,
                   workload.block(stage.first_block + stage.block_count - 1).output.value());
    }
  }
  if (shape.ranks > 1) {
    const bool split = parallel.sequence_parallel || parallel.scatter_gather_p2p;
    const double share = split ? 1.0 / static_cast<double>(parallel.tensor) : 1.0;
    problem.times.hop =
        clock.message(0, mesh.with_coordinate(0, Axis::pipeline, 1), Bytes{largest_message * share})
            .value();
  }
  if (scenario.schedule.in_flight_limit) {
    problem.activations = {1.0};
    problem.limit = {static_cast<double>(*scenario.schedule.in_flight_limit)};
  } else {
    problem.limit = {activation_limit(scenario, stages, shape)};
  }
  problem.kept_for_weights = problem.activations;  // nothing is freed before W (A22)
  return problem;
}

}  // namespace parsim
