#pragma once

#include <vector>

#include "sim/plan/plan.h"
#include "sim/schedule/automatic.h"

namespace parsim {

/// What the automatic scheduler is told of a job: each stage's modelled times (operators, and the
/// tensor group's collectives when alone), one hop between neighbouring ranks, the activations of
/// one micro-batch, and how many of them fit. `stages` are those of one copy, not yet placed.
[[nodiscard]] ScheduleProblem automatic_problem(const Scenario& scenario, const Workload& workload,
                                                const std::vector<Stage>& stages,
                                                const ScheduleShape& shape);

}  // namespace parsim
