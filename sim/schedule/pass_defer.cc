#include <algorithm>
#include <list>

#include "sim/schedule/passes.h"

namespace parsim {

namespace {

bool is_receive(ActionKind kind) {
  return kind == ActionKind::receive_forward || kind == ActionKind::receive_backward;
}

/// True when `action` works on what `receive` brings.
bool consumes(const Action& action, const Action& receive) {
  if (action.stage != receive.stage || action.micro_batch != receive.micro_batch) {
    return false;
  }
  return receive.kind == ActionKind::receive_forward
             ? action.kind == ActionKind::forward
             : action.kind == ActionKind::backward || action.kind == ActionKind::input_gradient;
}

/// One rank's receives, each held back until something needs it.
class DeferPass {
 public:
  DeferPass(std::int32_t rank, const std::vector<std::int32_t>& stage_rank)
      : rank_(rank), stage_rank_(stage_rank) {}

  Actions run(const Actions& actions) {
    for (std::size_t begin = 0; begin < actions.size();) {
      std::size_t end = begin + 1;
      while (end < actions.size() && actions[end - 1].overlaps_next) {
        ++end;
      }
      if (is_receive(actions[begin].kind)) {
        held_.push_back(actions[begin]);
      } else {
        for (std::size_t i = begin; i < end; ++i) {
          release_for(actions[i]);
        }
        result_.insert(result_.end(), actions.begin() + static_cast<std::ptrdiff_t>(begin),
                       actions.begin() + static_cast<std::ptrdiff_t>(end));
      }
      begin = end;
    }
    result_.insert(result_.end(), held_.begin(), held_.end());
    return std::move(result_);
  }

 private:
  /// The rank at the other end of a transfer.
  [[nodiscard]] std::int32_t peer_of(const Action& transfer) const {
    const bool to_next =
        transfer.kind == ActionKind::send_forward || transfer.kind == ActionKind::receive_backward;
    const std::int32_t other = transfer.stage + (to_next ? 1 : -1);
    return stage_rank_[static_cast<std::size_t>(other)];
  }

  void release_for(const Action& action) {
    const bool orders = is_send(action.kind) && rank_ < peer_of(action);
    for (auto held = held_.begin(); held != held_.end();) {
      // Deadlock rule: of two ranks the lower one receives before it sends.
      const bool now = orders ? peer_of(*held) == peer_of(action) : consumes(action, *held);
      if (now) {
        result_.push_back(*held);
        held = held_.erase(held);
      } else {
        ++held;
      }
    }
  }

  std::int32_t rank_;
  const std::vector<std::int32_t>& stage_rank_;
  std::list<Action> held_;
  Actions result_;
};

}  // namespace

std::vector<Actions> defer_receives(const std::vector<Actions>& ranks,
                                    const std::vector<std::int32_t>& stage_rank) {
  std::vector<Actions> result;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    result.push_back(DeferPass(static_cast<std::int32_t>(rank), stage_rank).run(ranks[rank]));
  }
  return result;
}

}  // namespace parsim
