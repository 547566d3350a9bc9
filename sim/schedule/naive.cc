#include "sim/schedule/placement.h"

namespace parsim {

/// The model cut into stages and nothing else: one micro-batch goes forward and back before the
/// next one enters, so that one rank works at a time. The baseline that idles.
Schedule naive_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    for (std::int32_t m = 0; m < shape.micro_batches; ++m) {
      actions.push_back({ActionKind::forward, rank, m});
      actions.push_back({ActionKind::backward, rank, m});
    }
  }
  return schedule;
}

}  // namespace parsim
