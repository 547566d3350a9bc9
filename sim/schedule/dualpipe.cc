#include <algorithm>

#include "sim/schedule/dual_order.h"
#include "sim/schedule/placement.h"

namespace parsim {

/// DualPipe (DeepSeek-V3, 2024): two copies of the model, fed from both ends; half of the
/// micro-batches each.
Schedule dualpipe_schedule(const ScheduleShape& shape) {
  Schedule schedule = bidirectional_placement(shape);
  const std::int32_t half = shape.ranks / 2;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    const Direction down{rank, 0};
    const Direction up{2 * shape.ranks - 1 - rank, shape.micro_batches / 2};
    DualPlace place{half, std::min(rank, shape.ranks - 1 - rank), down, up};
    if (rank >= half) {
      std::swap(place.near, place.far);
    }
    schedule.ranks[static_cast<std::size_t>(rank)] = dual_order(place, shape.micro_batches / 2);
  }
  return schedule;
}

}  // namespace parsim
