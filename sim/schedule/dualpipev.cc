#include "sim/schedule/dual_order.h"
#include "sim/schedule/placement.h"

namespace parsim {

/// DualPipeV (DeepSeek 2025; PyTorch's DualPipeV): DualPipe cut in half and folded into a V, so
/// that no weights are held twice.
Schedule dualpipev_schedule(const ScheduleShape& shape) {
  Schedule schedule = wave_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    const DualPlace place{shape.ranks, rank, {rank, 0}, {2 * shape.ranks - 1 - rank, 0}};
    schedule.ranks[static_cast<std::size_t>(rank)] = dual_order(place, shape.micro_batches);
  }
  return schedule;
}

}  // namespace parsim
