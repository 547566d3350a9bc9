#include <algorithm>

#include "sim/schedule/order_check.h"

namespace parsim {

namespace {

bool crosses(const Schedule& schedule, std::int32_t stage, std::int32_t other) {
  return schedule.rank_of(stage) != schedule.rank_of(other);
}

/// The receive that an action needs; idle: none.
Action receive_for(const Schedule& schedule, const Action& action) {
  const std::int32_t s = action.stage;
  if (action.kind == ActionKind::forward && !schedule.is_first(s) && crosses(schedule, s, s - 1)) {
    return {ActionKind::receive_forward, s, action.micro_batch};
  }
  const bool gradient =
      action.kind == ActionKind::backward || action.kind == ActionKind::input_gradient;
  if (gradient && !schedule.is_last(s) && crosses(schedule, s, s + 1)) {
    return {ActionKind::receive_backward, s, action.micro_batch};
  }
  return {ActionKind::idle};
}

/// The send that an action makes possible; idle: none.
Action send_for(const Schedule& schedule, const Action& action) {
  const std::int32_t s = action.stage;
  if (action.kind == ActionKind::forward && !schedule.is_last(s) && crosses(schedule, s, s + 1)) {
    return {ActionKind::send_forward, s, action.micro_batch};
  }
  const bool gradient =
      action.kind == ActionKind::backward || action.kind == ActionKind::input_gradient;
  if (gradient && !schedule.is_first(s) && crosses(schedule, s, s - 1)) {
    return {ActionKind::send_backward, s, action.micro_batch};
  }
  return {ActionKind::idle};
}

void add_transfer(std::vector<Action>& actions, const Action& transfer) {
  if (transfer.kind != ActionKind::idle) {
    actions.push_back(transfer);
  }
}

}  // namespace

bool has_transfers(const Schedule& schedule) {
  return std::any_of(schedule.ranks.begin(), schedule.ranks.end(), [](const auto& actions) {
    return std::any_of(actions.begin(), actions.end(),
                       [](const Action& action) { return is_transfer(action.kind); });
  });
}

Schedule with_transfers(const Schedule& schedule) {
  if (has_transfers(schedule)) {
    return schedule;
  }
  Schedule result = schedule;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<Action>& actions = schedule.ranks[rank];
    std::vector<Action>& program = result.ranks[rank];
    program.clear();
    program.reserve(2 * actions.size());
    for (std::size_t begin = 0; begin < actions.size();) {
      std::size_t end = begin + 1;
      while (end < actions.size() && actions[end - 1].overlaps_next) {
        ++end;
      }
      for (std::size_t i = begin; i < end; ++i) {
        add_transfer(program, receive_for(schedule, actions[i]));
      }
      program.insert(program.end(), actions.begin() + static_cast<std::ptrdiff_t>(begin),
                     actions.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::size_t i = begin; i < end; ++i) {
        add_transfer(program, send_for(schedule, actions[i]));
      }
      begin = end;
    }
  }
  return result;
}

}  // namespace parsim
