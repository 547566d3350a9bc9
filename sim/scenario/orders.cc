#include "sim/scenario/orders.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "sim/schedule/cells.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max();

/// Calls visit(rank, cell, action) for what can be read and is in range.
template <class Visit>
void for_each_action(const ScheduleSpec& spec, std::int32_t stages, std::int32_t micro_batches,
                     Visit visit) {
  for (std::size_t rank = 0; rank < spec.orders.size(); ++rank) {
    for (std::size_t cell = 0; cell < spec.orders[rank].size(); ++cell) {
      const auto actions = parse_cell(spec.orders[rank][cell]);
      if (!actions) {
        continue;
      }
      for (const Action& action : *actions) {
        if (action.kind != ActionKind::idle && action.stage < stages &&
            action.micro_batch < micro_batches) {
          visit(rank, cell, action);
        }
      }
    }
  }
}

}  // namespace

Schedule schedule_of_orders(const ScheduleSpec& spec, std::int32_t stages,
                            std::int32_t micro_batches) {
  Schedule schedule;
  schedule.ranks.resize(spec.orders.size());
  schedule.stage_rank.assign(static_cast<std::size_t>(stages), -1);
  schedule.micro_batches = micro_batches;
  std::vector<std::unordered_map<std::size_t, std::int64_t>> seen(static_cast<std::size_t>(stages));
  for_each_action(spec, stages, micro_batches,
                  [&](std::size_t rank, std::size_t, const Action& action) {
                    schedule.ranks[rank].push_back(action);
                    ++seen[static_cast<std::size_t>(action.stage)][rank];
                  });
  for (std::size_t stage = 0; stage < seen.size(); ++stage) {
    std::int64_t most = 0;
    const std::size_t ranks = seen[stage].empty() ? 0 : spec.orders.size();
    for (std::size_t k = 0; k < ranks; ++k) {
      const std::size_t rank = (stage + k) % ranks;
      const auto found = seen[stage].find(rank);
      if (found != seen[stage].end() && found->second > most) {
        most = found->second;
        schedule.stage_rank[stage] = static_cast<std::int32_t>(rank);
      }
    }
  }
  return schedule;
}

std::vector<std::vector<std::int32_t>> cells_of_orders(const ScheduleSpec& spec,
                                                       std::int32_t stages,
                                                       std::int32_t micro_batches) {
  std::vector<std::vector<std::int32_t>> cells(spec.orders.size());
  for_each_action(spec, stages, micro_batches,
                  [&cells](std::size_t rank, std::size_t cell, const Action&) {
                    cells[rank].push_back(static_cast<std::int32_t>(cell));
                  });
  return cells;
}

bool splits_backward(const ScheduleSpec& spec) {
  if (spec.name != ScheduleName::explicit_order) {
    return rule_of(spec.name).splits_backward;
  }
  bool splits = false;
  for_each_action(spec, kAny, kAny, [&splits](std::size_t, std::size_t, const Action& action) {
    splits = splits || action.kind == ActionKind::weight_gradient;
  });
  return splits;
}

}  // namespace parsim
