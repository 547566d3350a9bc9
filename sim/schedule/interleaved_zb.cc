#include <algorithm>

#include "sim/schedule/placement.h"
#include "sim/schedule/rules.h"
#include "sim/schedule/visits.h"

namespace parsim {

/// PyTorch's InterleavedZeroBubble (ZB1P; Qi et al. 2023): the rounds of interleaved 1F1B with the
/// backward split and one warm-up forward a hop: (v-1)·g + P-1-r. Rank r runs W r turns after its
/// I, which fills what 1F1B leaves idle at the end and keeps v·P chunks in flight on every rank.
Schedule interleaved_zb_schedule(const ScheduleShape& shape) {
  Schedule schedule = loop_placement(shape);
  const std::int32_t group = shape.chunks == 1 ? shape.micro_batches : pytorch_group(shape);
  const std::int32_t total = shape.chunks * shape.micro_batches;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    const auto forward = interleaved_visits(shape, rank, ActionKind::forward, group);
    const auto input = interleaved_visits(shape, rank, ActionKind::input_gradient, group);
    const auto weight = interleaved_visits(shape, rank, ActionKind::weight_gradient, group);
    const auto lag = static_cast<std::size_t>(rank);
    const auto warmup = static_cast<std::size_t>(
        std::min(total, (shape.chunks - 1) * group + shape.ranks - 1 - rank));
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    actions.assign(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warmup));
    for (std::size_t k = 0; k < input.size(); ++k) {
      if (warmup + k < forward.size()) {
        actions.push_back(forward[warmup + k]);
      }
      actions.push_back(input[k]);
      if (k >= lag) {
        actions.push_back(weight[k - lag]);
      }
    }
    const std::size_t left = std::min(lag, weight.size());
    actions.insert(actions.end(), weight.end() - static_cast<std::ptrdiff_t>(left), weight.end());
  }
  return schedule;
}

}  // namespace parsim
