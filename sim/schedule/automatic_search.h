#pragma once

#include "sim/schedule/automatic_greedy.h"

namespace parsim {

/// The best order found on this placement within a fixed number of tries; stops at `lower_bound`.
/// Precondition: one micro-batch with all its chunks fits on every rank.
[[nodiscard]] Order search_order(const PlacedStages& stages, double lower_bound);

}  // namespace parsim
