#include "sim/report/quantities.h"

namespace parsim {

namespace {

/// FLOPs of one replica for one micro-batch.
struct ReplicaFlops {
  Flops model{0.0};
  Flops hardware{0.0};
};

/// Norms, activations and the like are not counted as model FLOPs (Narayanan et al. 2021, section
/// 5.1).
bool counts_as_model(OperatorClass op_class) {
  return op_class == OperatorClass::gemm || op_class == OperatorClass::batched_gemm ||
         op_class == OperatorClass::attention || op_class == OperatorClass::layer;
}

/// Model FLOPs count the whole attention square (A25), also where a causal kernel skips half of it.
double whole_square(const Operator& op) {
  const auto* attention = std::get_if<AttentionShape>(&op.shape);
  return attention != nullptr && attention->causal ? 2.0 : 1.0;
}

Flops forward_flops(const Block& block) {
  Flops total{0.0};
  for (const Step& step : block.forward) {
    if (const auto* op = std::get_if<Operator>(&step);
        op != nullptr && counts_as_model(op->op_class)) {
      total += op->flops * whole_square(*op);
    }
  }
  return total;
}

ReplicaFlops replica_flops(const AnalyseInput& input) {
  const auto tensor = static_cast<double>(input.scenario.parallel.tensor);
  ReplicaFlops total;
  const Workload& workload = input.workload;
  for (std::size_t i = 0; i < workload.blocks.size() * static_cast<std::size_t>(workload.slices);
       ++i) {
    const Block& block = workload.block(static_cast<std::int64_t>(i % workload.blocks.size()),
                                        static_cast<std::int32_t>(i / workload.blocks.size()));
    const bool forward_only = input.scenario.schedule.forward_only;
    total.model += forward_only ? forward_flops(block) * tensor : block.model_flops;
    total.hardware += forward_only ? forward_flops(block) * tensor : block.hardware_flops;
  }
  return total;
}

}  // namespace

Throughput throughput(const AnalyseInput& input) {
  Throughput result;
  const Seconds step = input.timeline.makespan;
  if (!(Seconds{0.0} < step)) {
    return result;
  }
  const Scenario& scenario = input.scenario;
  result.samples_per_s = static_cast<double>(scenario.batch.global) / step.value();
  if (input.workload.tokens_per_sample > 0) {
    result.tokens_per_s =
        result.samples_per_s * static_cast<double>(input.workload.tokens_per_sample);
  }
  const ReplicaFlops per_micro_batch = replica_flops(input);
  const double times = static_cast<double>(input.plan.micro_batches) *
                       static_cast<double>(scenario.parallel.data) /
                       static_cast<double>(input.plan.mesh.ranks());
  const FlopsPerSecond model = per_micro_batch.model * times / step;
  const FlopsPerSecond hardware = per_micro_batch.hardware * times / step;
  result.tflops_per_device = model.value_in(teraflops_per_second);
  const auto& peaks = scenario.cluster.device.peak;
  const auto peak = peaks.find(scenario.training.precision);
  if (peak != peaks.end() && FlopsPerSecond{0.0} < model) {
    result.mfu = model / peak->second;
    result.hfu = hardware / peak->second;
  }
  return result;
}

}  // namespace parsim
