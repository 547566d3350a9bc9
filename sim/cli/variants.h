#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace parsim {

/// A scenario with another schedule.
struct Variant {
  ScheduleName name = ScheduleName::one_f_one_b;
  Scenario scenario;
  std::vector<std::string> changes;  ///< besides the name: "chunks 2", "slices 4"
  std::string problem;               ///< why this schedule cannot run here; empty: it can
};

/// The scenario with each of the schedules, in the order given. Chunks stay where the schedule
/// allows them, else the fewest it needs; seq1f1b without slices gets 4, or 2 where 4 does not
/// divide the sequence; rounds are PyTorch's where the pipeline's size does not divide the
/// micro-batches. Layers and factors given per stage hold for the scenario's own number of stages
/// only.
[[nodiscard]] std::vector<Variant> schedule_variants(const Scenario& scenario,
                                                     const std::vector<ScheduleName>& names);

}  // namespace parsim
