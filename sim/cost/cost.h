#pragma once

#include "sim/base/units.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/workload.h"

namespace parsim {

enum class CostSource { roofline, stated };  ///< calibrated profiles add theirs
enum class CostBound { compute, memory, launch, stated };

struct KernelCost {
  Seconds time{0.0};
  CostSource source = CostSource::roofline;
  CostBound bound = CostBound::compute;
};

/// Everything a kernel's cost depends on besides its shape: the device with the scenario's
/// overrides applied.
struct CostModel {
  Device device;
};

[[nodiscard]] CostModel make_cost_model(const Scenario& scenario);

/// Time of `op` alone on the device (A6, A8): max(flops/(peak·efficiency),
/// bytes/(bandwidth·efficiency)) + launch overhead; a stated time is returned as it is. Pure. Zero
/// flops and bytes cost the launch overhead.
[[nodiscard]] KernelCost kernel_cost(const CostModel& model, const Operator& op);

}  // namespace parsim
