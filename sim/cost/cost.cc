#include "sim/cost/cost.h"

#include "sim/base/check.h"

namespace parsim {
namespace {

/// The share of the matrix peak that a class of operators reaches.
double compute_efficiency(const Efficiency& efficiency, OperatorClass op_class) {
  switch (op_class) {
    case OperatorClass::batched_gemm:
      return efficiency.batched_gemm;
    case OperatorClass::attention:
      return efficiency.attention;
    default:
      return efficiency.gemm;
  }
}

Seconds compute_time(const Device& device, const Operator& op) {
  if (op.flops <= Flops{0.0}) {
    return Seconds{0.0};
  }
  const auto peak = device.peak.find(op.precision);
  SIM_CHECK(peak != device.peak.end(),
            "device " + device.name + " has a peak for the precision of operator " + op.name);
  return op.flops / (peak->second * compute_efficiency(device.efficiency, op.op_class));
}

Seconds memory_time(const Device& device, const Operator& op) {
  if (op.bytes <= Bytes{0.0}) {
    return Seconds{0.0};
  }
  return op.bytes / (device.memory_bandwidth * device.efficiency.memory);
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
  const Seconds compute = compute_time(model.device, op);
  const Seconds memory = memory_time(model.device, op);
  const Seconds work = max(compute, memory);
  const Seconds launch = model.device.launch_overhead;
  const CostBound bound = work <= launch     ? CostBound::launch
                          : memory > compute ? CostBound::memory
                                             : CostBound::compute;
  return {work + launch, CostSource::roofline, bound};
}

}  // namespace parsim
