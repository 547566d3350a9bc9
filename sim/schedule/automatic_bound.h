#pragma once

#include "sim/schedule/automatic_stages.h"

namespace parsim {

/// No order on this placement that fits the limit has a smaller makespan. `pair` as in ReplayTimes.
/// The proof is in the .cc files of the bound and of the windows.
[[nodiscard]] double placed_lower_bound(PlacedStages stages, double pair);

}  // namespace parsim
