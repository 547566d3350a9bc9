#include <algorithm>

#include "sim/schedule/placement.h"
#include "sim/schedule/visits.h"

namespace parsim {

/// Narayanan et al. 2021, section 2.2.2: every rank holds `chunks` stages; (v-1)·g + 2(P-1-r)
/// warm-up forwards on rank r, then one forward and one backward in turn, then the remaining
/// backwards.
Schedule interleaved_1f1b_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  const std::int32_t group =
      std::min(shape.group > 0 ? shape.group : shape.ranks, shape.micro_batches);
  const std::int32_t total = shape.chunks * shape.micro_batches;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    const auto forward = interleaved_visits(shape, rank, ActionKind::forward, group);
    const auto backward = interleaved_visits(shape, rank, ActionKind::backward, group);
    const auto warmup = static_cast<std::size_t>(
        std::min(total, (shape.chunks - 1) * group + 2 * (shape.ranks - 1 - rank)));
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    actions.assign(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warmup));
    for (std::size_t k = 0; k < backward.size(); ++k) {
      if (warmup + k < forward.size()) {
        actions.push_back(forward[warmup + k]);
      }
      actions.push_back(backward[k]);
    }
  }
  return schedule;
}

}  // namespace parsim
