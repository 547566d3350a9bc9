#include "sim/schedule/order_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace parsim {

namespace {

constexpr std::int32_t kAbsent = -1;

/// Where the actions of one (stage, micro-batch) stand on their rank, by kind; kAbsent: nowhere.
struct Places {
  std::array<std::int32_t, 8> at;
  Places() { at.fill(kAbsent); }
  [[nodiscard]] std::int32_t of(ActionKind kind) const {
    return at[static_cast<std::size_t>(kind)];
  }
};

class OrderCheck {
 public:
  OrderCheck(const Schedule& schedule, const OrderCheckOptions& options)
      : schedule_(schedule),
        options_(options),
        transfers_(has_transfers(schedule)),
        places_(static_cast<std::size_t>(schedule.stages()) *
                static_cast<std::size_t>(schedule.micro_batches)) {}

  std::vector<OrderProblem> run() {
    for (std::size_t rank = 0; rank < schedule_.ranks.size() && !full(); ++rank) {
      read_rank(static_cast<std::int32_t>(rank));
    }
    if (problems_.empty() &&
        !options_
             .parts_only) {  // a misplaced action is also a missing one; saying it once is enough
      for (std::int32_t stage = 0; stage < schedule_.stages() && !full(); ++stage) {
        check_stage(stage);
      }
    }
    return std::move(problems_);
  }

 private:
  [[nodiscard]] bool full() const { return problems_.size() >= options_.most; }
  Places& places(std::int32_t stage, std::int32_t micro_batch) {
    return places_[static_cast<std::size_t>(stage) *
                       static_cast<std::size_t>(schedule_.micro_batches) +
                   static_cast<std::size_t>(micro_batch)];
  }
  void report(std::int32_t rank, std::int32_t position, std::string message, std::string hint) {
    if (!full()) {
      problems_.push_back({rank, position, std::move(message), std::move(hint)});
    }
  }

  void read_rank(std::int32_t rank) {
    const auto& actions = schedule_.ranks[static_cast<std::size_t>(rank)];
    std::unordered_map<std::int32_t, bool> gathered;
    for (std::size_t i = 0; i < actions.size() && !full(); ++i) {
      const Action& action = actions[i];
      const auto position = static_cast<std::int32_t>(i);
      if (action.kind == ActionKind::idle) {
        continue;
      }
      if (schedule_.rank_of(action.stage) != rank) {
        report(rank, position,
               fmt::format("\"{}\" stands on rank {}, but stage {} is on rank {}", to_text(action),
                           rank, action.stage, schedule_.rank_of(action.stage)),
               "all actions of a stage stand on one rank");
      } else if (has_micro_batch(action.kind)) {
        std::int32_t& place =
            places(action.stage, action.micro_batch).at[static_cast<std::size_t>(action.kind)];
        if (place != kAbsent) {
          report(rank, position, fmt::format("\"{}\" stands here a second time", to_text(action)),
                 "each action is done once");
        }
        place = position;
      } else {
        read_stage_wide(rank, position, action, gathered);
      }
      if (action.overlaps_next && (i + 1 == actions.size() || !is_compute(actions[i + 1].kind) ||
                                   !is_compute(action.kind))) {
        report(rank, position,
               fmt::format("\"{}\" overlaps something that is not F, B, I or W", to_text(action)),
               "a pair joins computations");
      }
    }
  }

  void read_stage_wide(std::int32_t rank, std::int32_t position, const Action& action,
                       std::unordered_map<std::int32_t, bool>& gathered) {
    if (action.kind == ActionKind::reduce_gradient) {
      if (!reduced_.emplace(action.stage, position).second) {
        report(rank, position, fmt::format("\"{}\" stands here a second time", to_text(action)),
               "a stage's gradients are reduced once a step");
      }
      return;
    }
    bool& here = gathered[action.stage];
    const bool gathers = action.kind == ActionKind::unshard;
    if (here == gathers) {
      report(rank, position,
             fmt::format("\"{}\", but the weights of stage {} are {}", to_text(action),
                         action.stage, gathers ? "gathered already" : "not gathered"),
             "UNSHARD and RESHARD take turns");
    }
    here = gathers;
  }

  void check_stage(std::int32_t stage) {
    const std::int32_t rank = schedule_.rank_of(stage);
    std::int32_t missing = 0;
    std::string first;
    for (std::int32_t m = 0; m < schedule_.micro_batches && !full(); ++m) {
      if (!belongs(stage, m)) {
        continue;
      }
      const std::string lacks = check_cell(stage, m);
      if (!lacks.empty()) {
        first = missing++ == 0 ? fmt::format("{}{}{}", stage, lacks, m) : first;
      }
    }
    if (missing > 0) {
      report(rank, -1,
             missing == 1 ? fmt::format("\"{}\" is missing", first)
                          : fmt::format("\"{}\" and {} more are missing", first, missing - 1),
             "every stage of the rank needs F and B (or I and W) of every micro-batch");
    }
  }

  /// With two copies of the model a micro-batch goes through the copy that holds any of its
  /// actions.
  bool belongs(std::int32_t stage, std::int32_t m) {
    if (schedule_.copies == 1) {
      return true;
    }
    const std::int32_t first = stage / schedule_.depth() * schedule_.depth();
    for (std::int32_t s = first; s < first + schedule_.depth(); ++s) {
      if (places(s, m).of(ActionKind::forward) != kAbsent) {
        return true;
      }
    }
    return false;
  }

  /// Returns the letters of what is missing; reports what is out of order.
  std::string check_cell(std::int32_t stage, std::int32_t m) {
    const Places& here = places(stage, m);
    const std::int32_t f = here.of(ActionKind::forward);
    const std::int32_t b = here.of(ActionKind::backward);
    const std::int32_t i = here.of(ActionKind::input_gradient);
    const std::int32_t w = here.of(ActionKind::weight_gradient);
    const std::int32_t rank = schedule_.rank_of(stage);
    if (f == kAbsent) {
      return "F";
    }
    if (b != kAbsent && (i != kAbsent || w != kAbsent)) {
      report(rank, i != kAbsent ? i : w,
             fmt::format("stage {} runs both B and {} of micro-batch {}", stage,
                         i != kAbsent ? "I" : "W", m),
             "B is I and W in one");
      return "";
    }
    const std::int32_t gradient = b != kAbsent ? b : i;
    if (gradient == kAbsent && w == kAbsent) {
      return options_.forward_only ? "" : "B";
    }
    if (i == kAbsent && w != kAbsent) {
      return "I";
    }
    if (i != kAbsent && w == kAbsent) {
      return "W";
    }
    if (gradient < f) {
      report(rank, gradient,
             fmt::format("\"{}\" stands before \"{}F{}\"", text_at(rank, gradient), stage, m),
             "a backward needs its forward");
    }
    if (w != kAbsent && w < i) {
      report(rank, w, fmt::format("\"{}\" stands before \"{}I{}\"", text_at(rank, w), stage, m),
             "the weight gradient needs what the input gradient computes");
    }
    check_reduction(stage, rank, b > w ? b : w);
    if (transfers_) {
      check_transfers(stage, m);
    }
    return "";
  }

  std::string text_at(std::int32_t rank, std::int32_t position) const {
    return to_text(
        schedule_.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(position)]);
  }

  void check_reduction(std::int32_t stage, std::int32_t rank, std::int32_t gradient) {
    const auto found = reduced_.find(stage);
    if (found != reduced_.end() && found->second < gradient) {
      report(rank, found->second,
             fmt::format("\"{}\" stands before \"{}\"", text_at(rank, found->second),
                         text_at(rank, gradient)),
             "gradients are reduced after the stage's last backward");
      reduced_.erase(found);  // once is enough
    }
  }

  void check_transfers(std::int32_t stage, std::int32_t m) {
    const Places& here = places(stage, m);
    const bool crosses_back =
        !schedule_.is_first(stage) && schedule_.rank_of(stage - 1) != schedule_.rank_of(stage);
    const bool crosses_on =
        !schedule_.is_last(stage) && schedule_.rank_of(stage + 1) != schedule_.rank_of(stage);
    const std::int32_t f = here.of(ActionKind::forward);
    const std::int32_t gradient =
        std::max(here.of(ActionKind::backward), here.of(ActionKind::input_gradient));
    const bool trains = gradient != kAbsent;
    expect(stage, m, ActionKind::receive_forward, crosses_back, f, true);
    expect(stage, m, ActionKind::send_forward, crosses_on, f, false);
    expect(stage, m, ActionKind::receive_backward, crosses_on && trains, gradient, true);
    expect(stage, m, ActionKind::send_backward, crosses_back && trains, gradient, false);
  }

  /// One transfer: there exactly when `needed`, and on the right side of the action at `action`.
  void expect(std::int32_t stage, std::int32_t m, ActionKind kind, bool needed, std::int32_t action,
              bool before) {
    const std::int32_t rank = schedule_.rank_of(stage);
    const std::int32_t place = places(stage, m).of(kind);
    const std::string name = fmt::format("\"{}{}{}\"", stage, letters_of(kind), m);
    if (place == kAbsent && needed) {
      const bool receive = before;
      report(rank, action,
             fmt::format("\"{}\" {} {}, which is missing", text_at(rank, action),
                         receive ? "needs" : "is not followed by", name),
             "every transfer between ranks has a send and a receive");
    } else if (place != kAbsent && !needed) {
      report(rank, place, name + " has no other rank to go to or come from",
             "neighbouring stages on one rank exchange nothing");
    } else if (place != kAbsent && (before ? place > action : place < action)) {
      report(rank, place,
             fmt::format("{} stands {} \"{}\"", name, before ? "after" : "before",
                         text_at(rank, action)),
             before ? "receive before use" : "send what has been computed");
    }
  }

  const Schedule& schedule_;
  const OrderCheckOptions& options_;
  bool transfers_;
  std::vector<Places> places_;
  std::unordered_map<std::int32_t, std::int32_t> reduced_;  ///< stage -> position of REDUCE_GRAD
  std::vector<OrderProblem> problems_;
};

}  // namespace

std::vector<OrderProblem> order_problems(const Schedule& schedule,
                                         const OrderCheckOptions& options) {
  return OrderCheck(schedule, options).run();
}

}  // namespace parsim
