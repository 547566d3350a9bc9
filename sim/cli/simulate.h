#pragma once

#include "sim/cli/commands.h"
#include "sim/report/report.h"

namespace parsim {

/// Every box of the data flow for one scenario, for commands that simulate many. `run` spells the
/// same list out, with places to stop.
struct Simulation {
  Workload workload;
  Plan plan;
  Folding folding;
  TaskGraph graph;
  Timeline timeline;
  Report report;
};

/// Precondition: check_scenario finds nothing. Throws RunError.
[[nodiscard]] Simulation simulate(const Scenario& scenario, EngineName engine);

[[nodiscard]] const char* name_of(EngineName engine);

}  // namespace parsim
