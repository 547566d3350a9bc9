#include "sim/schedule/placement.h"

namespace parsim {

/// Huang et al. 2019: all forwards, then all backwards, both in ascending micro-batch order (as
/// PyTorch runs them).
Schedule gpipe_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    for (const ActionKind kind : {ActionKind::forward, ActionKind::backward}) {
      for (std::int32_t m = 0; m < shape.micro_batches; ++m) {
        actions.push_back({kind, rank, m});
      }
    }
  }
  return schedule;
}

}  // namespace parsim
