#include "sim/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/check.h"
#include "sim/schedule/placement.h"

namespace parsim {

Schedule explicit_schedule(const ScheduleShape& shape,
                           const std::vector<std::vector<std::string>>& orders) {
  Schedule schedule = loop_placement(shape);
  SIM_CHECK(orders.size() == schedule.ranks.size(),
            fmt::format("{} orders, not {}", shape.ranks, orders.size()));
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    for (const std::string& text : orders[rank]) {
      Action action;
      SIM_CHECK(parse_action(text, action), "an action such as 2F5, not " + text);
      schedule.ranks[rank].push_back(action);
    }
  }
  return schedule;
}

Schedule make_schedule(const ScheduleSpec& spec, const ScheduleShape& shape) {
  Schedule schedule;
  switch (spec.name) {
    case ScheduleName::naive:
      schedule = naive_schedule(shape);
      break;
    case ScheduleName::gpipe:
      schedule = gpipe_schedule(shape);
      break;
    case ScheduleName::one_f_one_b:
      schedule = one_f_one_b_schedule(shape);
      break;
    case ScheduleName::interleaved_1f1b:
      schedule = interleaved_1f1b_schedule(shape);
      break;
    case ScheduleName::explicit_order:
      schedule = explicit_schedule(shape, spec.orders);
      break;
  }
  if (spec.forward_only) {
    for (auto& actions : schedule.ranks) {
      std::erase_if(actions,
                    [](const Action& action) { return action.kind == ActionKind::backward; });
    }
  }
  return schedule;
}

}  // namespace parsim
