#include <algorithm>

#include "sim/schedule/placement.h"

namespace parsim {

/// PipeDream-flush (Narayanan et al. 2021, section 2.2.1): P-1-r warm-up forwards on rank r, then
/// one forward and one backward in turn, then the remaining backwards. With fewer micro-batches
/// than warm-up, all forwards come first.
Schedule one_f_one_b_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    const std::int32_t warmup = std::min(shape.micro_batches, shape.ranks - 1 - rank);
    for (std::int32_t m = 0; m < warmup; ++m) {
      actions.push_back({ActionKind::forward, rank, m});
    }
    for (std::int32_t m = 0; m < shape.micro_batches - warmup; ++m) {
      actions.push_back({ActionKind::forward, rank, warmup + m});
      actions.push_back({ActionKind::backward, rank, m});
    }
    for (std::int32_t m = shape.micro_batches - warmup; m < shape.micro_batches; ++m) {
      actions.push_back({ActionKind::backward, rank, m});
    }
  }
  return schedule;
}

}  // namespace parsim
