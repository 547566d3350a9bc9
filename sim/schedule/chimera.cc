#include <algorithm>
#include <utility>

#include "sim/schedule/placement.h"

namespace parsim {

/// Chimera (Li and Hoefler 2021): two copies of the model in opposite directions. In slots of f =
/// b, stage s runs F of its m-th micro-batch at s+2m and B at 2P-1-s+2m; P even keeps the
/// directions out of each other's slots. A unit is P micro-batches and 2P slots a rank; further
/// units follow without a gap (direct concatenation), so the bubble stays P-2 slots.
Schedule chimera_schedule(const ScheduleShape& shape) {
  Schedule schedule = bidirectional_placement(shape);
  const std::int32_t p = shape.ranks;
  const std::int32_t each = p / 2;  // micro-batches of one direction in a unit
  for (std::int32_t rank = 0; rank < p; ++rank) {
    std::vector<std::pair<std::int64_t, Action>> cells;
    for (std::int32_t copy = 0; copy < 2; ++copy) {
      const std::int32_t stage = copy == 0 ? rank : p - 1 - rank;
      for (std::int32_t i = 0; i < shape.micro_batches / 2; ++i) {
        const std::int64_t slot = std::int64_t{2} * p * (i / each) + 2 * (i % each);
        const std::int32_t m = copy * (shape.micro_batches / 2) + i;
        cells.push_back({slot + stage, {ActionKind::forward, copy * p + stage, m}});
        cells.push_back({slot + 2 * p - 1 - stage, {ActionKind::backward, copy * p + stage, m}});
      }
    }
    std::sort(cells.begin(), cells.end(),
              [](const auto& one, const auto& other) { return one.first < other.first; });
    for (const auto& [slot, action] : cells) {
      schedule.ranks[static_cast<std::size_t>(rank)].push_back(action);
    }
  }
  return schedule;
}

}  // namespace parsim
