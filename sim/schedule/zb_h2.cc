#include <algorithm>

#include "sim/schedule/placement.h"

namespace parsim {

/// Qi et al. 2023, ZB-H2: 2(P-1-r)+1 warm-up forwards fill what ZB-H1 leaves idle at the start, for
/// 2P-1 micro-batches in flight. W follows 2r turns after its I. With f = i = w and M >= 2P-1 no
/// rank idles between its first and its last action.
Schedule zb_h2_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    const std::int32_t lag = 2 * rank;
    std::int32_t forward = 0;
    for (; forward < std::min(shape.micro_batches, 2 * (shape.ranks - 1 - rank) + 1); ++forward) {
      actions.push_back({ActionKind::forward, rank, forward});
    }
    for (std::int32_t m = 0; m < shape.micro_batches; ++m) {
      actions.push_back({ActionKind::input_gradient, rank, m});
      if (m >= lag) {
        actions.push_back({ActionKind::weight_gradient, rank, m - lag});
      }
      if (forward < shape.micro_batches) {
        actions.push_back({ActionKind::forward, rank, forward++});
      }
    }
    for (std::int32_t m = std::max(0, shape.micro_batches - lag); m < shape.micro_batches; ++m) {
      actions.push_back({ActionKind::weight_gradient, rank, m});
    }
  }
  return schedule;
}

}  // namespace parsim
