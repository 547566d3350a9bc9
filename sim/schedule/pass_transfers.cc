#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "sim/base/check.h"
#include "sim/schedule/passes.h"

namespace parsim {

namespace {

std::uint64_t key(ActionKind kind, std::int32_t stage, std::int32_t micro_batch) {
  return (static_cast<std::uint64_t>(kind) << 60) | (static_cast<std::uint64_t>(stage) << 32) |
         static_cast<std::uint32_t>(micro_batch);
}

bool makes_gradient(ActionKind kind) {
  return kind == ActionKind::backward || kind == ActionKind::input_gradient;
}

std::size_t piece_end(const Actions& actions, std::size_t begin) {
  while (begin + 1 < actions.size() && actions[begin].overlaps_next) {
    ++begin;
  }
  return begin + 1;
}

/// Places actions with their transfers, sweep after sweep.
class TransferPass {
 public:
  explicit TransferPass(const Schedule& schedule)
      : schedule_(schedule),
        lowered_(schedule.ranks.size()),
        next_(schedule.ranks.size(), 0),
        placed_(schedule.ranks.size()) {}

  std::vector<Actions> run() {
    while (true) {
      bool moved = false;
      bool left = false;
      for (std::size_t rank = 0; rank < lowered_.size(); ++rank) {
        moved = advance(rank) || moved;
        left = left || next_[rank] < schedule_.ranks[rank].size();
      }
      if (!left) {
        return std::move(lowered_);
      }
      if (!moved) {
        throw RunError(stuck());
      }
    }
  }

 private:
  /// At most one piece a sweep; a blank uses the turn.
  bool advance(std::size_t rank) {
    const Actions& actions = schedule_.ranks[rank];
    if (next_[rank] == actions.size()) {
      return false;
    }
    const std::size_t begin = next_[rank];
    const std::size_t end = piece_end(actions, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (!ready(rank, actions[i])) {
        return false;
      }
    }
    next_[rank] = end;
    for (std::size_t i = begin; i < end; ++i) {
      if (actions[i].kind != ActionKind::idle) {
        place(rank, actions[i]);
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      place_message(rank, actions[i]);
    }
    return true;
  }

  [[nodiscard]] bool is_placed(std::size_t rank, ActionKind kind, std::int32_t stage,
                               std::int32_t micro_batch) const {
    return placed_[rank].contains(key(kind, stage, micro_batch));
  }

  [[nodiscard]] bool ready(std::size_t rank, const Action& action) const {
    const std::int32_t s = action.stage;
    const std::int32_t m = action.micro_batch;
    if (action.kind == ActionKind::forward) {
      return schedule_.is_first(s) || is_placed(rank, ActionKind::receive_forward, s, m) ||
             is_placed(rank, ActionKind::forward, s - 1, m);
    }
    if (makes_gradient(action.kind)) {
      return schedule_.is_last(s) || is_placed(rank, ActionKind::receive_backward, s, m) ||
             is_placed(rank, ActionKind::input_gradient, s + 1, m) ||
             is_placed(rank, ActionKind::backward, s + 1, m);
    }
    return true;
  }

  void place(std::size_t rank, const Action& action) {
    lowered_[rank].push_back(action);
    placed_[rank].insert(key(action.kind, action.stage, action.micro_batch));
  }

  /// The send goes here, the receive to the end of what the receiver has so far.
  void place_message(std::size_t rank, const Action& action) {
    const bool forward = action.kind == ActionKind::forward && !schedule_.is_last(action.stage);
    const bool backward = makes_gradient(action.kind) && !schedule_.is_first(action.stage);
    if (!forward && !backward) {
      return;
    }
    const std::int32_t to = action.stage + (forward ? 1 : -1);
    const auto receiver = static_cast<std::size_t>(schedule_.rank_of(to));
    if (receiver == rank) {
      return;
    }
    place(rank, {forward ? ActionKind::send_forward : ActionKind::send_backward, action.stage,
                 action.micro_batch});
    place(receiver, {forward ? ActionKind::receive_forward : ActionKind::receive_backward, to,
                     action.micro_batch});
  }

  [[nodiscard]] std::string stuck() const {
    std::string text = "the order cannot finish: no rank can go on";
    int shown = 0;
    for (std::size_t rank = 0; rank < next_.size() && shown < 8; ++rank) {
      if (next_[rank] < schedule_.ranks[rank].size()) {
        text += fmt::format("\n  rank {} waits to run {}", rank,
                            to_text(schedule_.ranks[rank][next_[rank]]));
        ++shown;
      }
    }
    return text;
  }

  const Schedule& schedule_;
  std::vector<Actions> lowered_;
  std::vector<std::size_t> next_;
  std::vector<std::unordered_set<std::uint64_t>> placed_;
};

/// Where the lock-step check of a lowered schedule stands.
class LockSteps {
 public:
  LockSteps(const std::vector<Actions>& ranks, const std::vector<std::int32_t>& stage_rank)
      : ranks_(ranks), stage_rank_(stage_rank), next_(ranks.size(), 0), done_(ranks.size()) {}

  std::int64_t count() {
    for (std::int64_t steps = 0;; ++steps) {
      bool left = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        left = left || next_[rank] < ranks_[rank].size();
      }
      if (!left) {
        return steps;
      }
      std::vector<bool> moved(ranks_.size(), false);
      for (int visit = 0; visit < 2; ++visit) {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
          moved[rank] = moved[rank] || advance(rank);
        }
      }
      if (std::find(moved.begin(), moved.end(), true) == moved.end()) {
        return -1;
      }
    }
  }

 private:
  bool advance(std::size_t rank) {
    if (next_[rank] == ranks_[rank].size()) {
      return false;
    }
    const std::size_t end = piece_end(ranks_[rank], next_[rank]);
    for (std::size_t i = next_[rank]; i < end; ++i) {
      if (!ready(rank, ranks_[rank][i])) {
        return false;
      }
    }
    for (std::size_t i = next_[rank]; i < end; ++i) {
      const Action& action = ranks_[rank][i];
      done_[rank].insert(key(action.kind, action.stage, action.micro_batch));
    }
    next_[rank] = end;
    return true;
  }

  [[nodiscard]] bool has(std::size_t rank, ActionKind kind, std::int32_t stage,
                         std::int32_t m) const {
    return done_[rank].contains(key(kind, stage, m));
  }
  [[nodiscard]] std::size_t rank_of(std::int32_t stage) const {
    return static_cast<std::size_t>(stage_rank_[static_cast<std::size_t>(stage)]);
  }

  [[nodiscard]] bool ready(std::size_t rank, const Action& action) const {
    const std::int32_t s = action.stage;
    const std::int32_t m = action.micro_batch;
    const auto last = static_cast<std::int32_t>(stage_rank_.size()) - 1;
    switch (action.kind) {
      case ActionKind::forward:
        return s == 0 || has(rank, ActionKind::receive_forward, s, m) ||
               has(rank, ActionKind::forward, s - 1, m);
      case ActionKind::backward:
      case ActionKind::input_gradient:
        return s == last || has(rank, ActionKind::receive_backward, s, m) ||
               has(rank, ActionKind::backward, s + 1, m) ||
               has(rank, ActionKind::input_gradient, s + 1, m);
      case ActionKind::send_forward:
        return has(rank, ActionKind::forward, s, m);
      case ActionKind::send_backward:
        return has(rank, ActionKind::backward, s, m) || has(rank, ActionKind::input_gradient, s, m);
      case ActionKind::receive_forward:
        return has(rank_of(s - 1), ActionKind::send_forward, s - 1, m);
      case ActionKind::receive_backward:
        return has(rank_of(s + 1), ActionKind::send_backward, s + 1, m);
      default:
        return true;
    }
  }

  const std::vector<Actions>& ranks_;
  const std::vector<std::int32_t>& stage_rank_;
  std::vector<std::size_t> next_;
  std::vector<std::unordered_set<std::uint64_t>> done_;
};

}  // namespace

std::vector<Actions> add_transfers(const Schedule& schedule) {
  return TransferPass(schedule).run();
}

std::int64_t lock_steps(const std::vector<Actions>& ranks,
                        const std::vector<std::int32_t>& stage_rank) {
  return LockSteps(ranks, stage_rank).count();
}

}  // namespace parsim
