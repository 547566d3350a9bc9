#include <algorithm>

#include "sim/schedule/placement.h"

namespace parsim {

/// Sequence-sliced 1F1B (Seq1F1B, 2024, as its authors' code runs it): each micro-batch is cut into
/// n slices of its sequence, which go forward in order and backward in reverse order (a slice's
/// keys and values are used by all later ones). P-2-r+n warm-up forwards; n+P-1-r slices in flight.
Schedule seq1f1b_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  const std::int32_t n = shape.slices;
  const std::int32_t units = n * shape.micro_batches;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    const std::int32_t warmup = std::min(units, shape.ranks - 2 - rank + n);
    for (std::int32_t k = 0; k < warmup; ++k) {
      actions.push_back({ActionKind::forward, rank, k});
    }
    for (std::int32_t k = 0; k < units; ++k) {
      if (warmup + k < units) {
        actions.push_back({ActionKind::forward, rank, warmup + k});
      }
      actions.push_back({ActionKind::backward, rank, k / n * n + n - 1 - k % n});
    }
  }
  return schedule;
}

}  // namespace parsim
