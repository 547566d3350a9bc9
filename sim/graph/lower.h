#pragma once

#include "sim/cost/cost.h"
#include "sim/graph/fold.h"
#include "sim/graph/task_graph.h"
#include "sim/plan/plan.h"

namespace parsim {

struct LowerInput {
  const Scenario& scenario;
  const Workload& workload;
  const Plan& plan;
  const CostModel& costs;
  const Network& network;
  const Communicators& communicators;
  const Folding& folding;
};

/// Workload × schedule × cost → tasks on lanes, one program for each rank class.
[[nodiscard]] TaskGraph lower(const LowerInput& input);

}  // namespace parsim
