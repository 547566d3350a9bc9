#include "sim/cost/cost.h"

#include <fmt/format.h>

#include "sim/base/check.h"

namespace parsim {

namespace {

double efficiency_of(const Efficiency& efficiency, OperatorClass op_class) {
  switch (op_class) {
    case OperatorClass::gemm:
    case OperatorClass::layer:
      return efficiency.gemm;
    case OperatorClass::batched_gemm:
      return efficiency.batched_gemm;
    case OperatorClass::attention:
      return efficiency.attention;
    default:
      return 1.0;  // no matrix units involved
  }
}

}  // namespace

CostModel make_cost_model(const Scenario& scenario) {
  CostModel model{scenario.cluster.device};
  const Costs& costs = scenario.costs;
  Device& device = model.device;
  device.launch_overhead = costs.launch_overhead.value_or(device.launch_overhead);
  Efficiency& efficiency = device.efficiency;
  efficiency.gemm = costs.gemm_efficiency.value_or(efficiency.gemm);
  efficiency.batched_gemm = costs.batched_gemm_efficiency.value_or(efficiency.batched_gemm);
  efficiency.attention = costs.attention_efficiency.value_or(efficiency.attention);
  efficiency.memory = costs.memory_efficiency.value_or(efficiency.memory);
  return model;
}

KernelCost kernel_cost(const CostModel& model, const Operator& op) {
  if (op.given_time) {
    return {*op.given_time, CostSource::stated, CostBound::stated};
  }
  const Device& device = model.device;
  Seconds compute{0.0};
  if (op.flops > Flops{0.0}) {
    const auto peak = device.peak.find(op.precision);
    SIM_CHECK(peak != device.peak.end(), fmt::format("a peak of {} for precision {}", device.name,
                                                     static_cast<int>(op.precision)));
    compute = op.flops / (peak->second * efficiency_of(device.efficiency, op.op_class));
  }
  Seconds memory{0.0};
  if (op.bytes > Bytes{0.0}) {
    memory = op.bytes / (device.memory_bandwidth * device.efficiency.memory);
  }
  KernelCost cost;
  cost.time = max(compute, memory) + device.launch_overhead;
  cost.bound = compute >= memory ? CostBound::compute : CostBound::memory;
  if (device.launch_overhead > max(compute, memory)) {
    cost.bound = CostBound::launch;
  }
  return cost;
}

}  // namespace parsim
