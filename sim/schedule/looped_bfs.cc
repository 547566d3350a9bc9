#include "sim/schedule/placement.h"

namespace parsim {

/// Breadth-first pipelining (Lamy-Poirier 2022): all micro-batches of a chunk before the next
/// chunk; backward in the opposite order of everything, as PyTorch's LoopedBFS. A chunk's gradients
/// are complete before the next chunk starts, so their reduction has time to hide.
Schedule looped_bfs_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    for (std::int32_t chunk = 0; chunk < shape.chunks; ++chunk) {
      for (std::int32_t m = 0; m < shape.micro_batches; ++m) {
        actions.push_back({ActionKind::forward, chunk * shape.ranks + rank, m});
      }
    }
    for (std::int32_t chunk = shape.chunks; chunk-- > 0;) {
      for (std::int32_t m = shape.micro_batches; m-- > 0;) {
        actions.push_back({ActionKind::backward, chunk * shape.ranks + rank, m});
      }
    }
  }
  return schedule;
}

}  // namespace parsim
