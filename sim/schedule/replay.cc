#include "sim/schedule/replay.h"

#include <algorithm>
#include <limits>

namespace parsim {

namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

constexpr double kNever = std::numeric_limits<double>::infinity();

/// When the results of every (stage, unit) exist on their own rank.
class Results {
 public:
  explicit Results(const Schedule& schedule)
      : units_(schedule.micro_batches),
        forward_(at(std::int64_t{schedule.stages()} * units_), kNever),
        gradient_(forward_) {}
  double& forward(std::int32_t stage, std::int32_t unit) { return forward_[index(stage, unit)]; }
  double& gradient(std::int32_t stage, std::int32_t unit) { return gradient_[index(stage, unit)]; }

 private:
  [[nodiscard]] std::size_t index(std::int32_t stage, std::int32_t unit) const {
    return at(std::int64_t{stage} * units_ + unit);
  }
  std::int32_t units_;
  std::vector<double> forward_, gradient_;
};

/// When the input of an action is on its rank.
double ready(const Schedule& schedule, const ReplayTimes& times, Results& results,
             const Action& action) {
  const std::int32_t s = action.stage;
  const std::int32_t m = action.micro_batch;
  const auto hop = [&](std::int32_t from) {
    return schedule.rank_of(from) == schedule.rank_of(s) ? 0.0 : times.hop;
  };
  switch (action.kind) {
    case ActionKind::forward:
      return schedule.is_first(s) ? 0.0 : results.forward(s - 1, m) + hop(s - 1);
    case ActionKind::backward:
    case ActionKind::input_gradient:
      return schedule.is_last(s)
                 ? results.forward(s, m)
                 : std::max(results.forward(s, m), results.gradient(s + 1, m) + hop(s + 1));
    case ActionKind::weight_gradient:
      return results.gradient(s, m);
    default:
      return 0.0;
  }
}

/// Where a rank's next piece ends: one action, or all parts of a pair.
std::size_t piece_end(const std::vector<Action>& actions, std::size_t begin) {
  while (begin + 1 < actions.size() && actions[begin].overlaps_next) {
    ++begin;
  }
  return begin + 1;
}

std::int32_t peak_of(const std::vector<Action>& actions) {
  std::int32_t now = 0;
  std::int32_t peak = 0;
  for (const Action& action : actions) {
    if (action.kind == ActionKind::forward) {
      peak = std::max(peak, ++now);
    } else if (action.kind == ActionKind::backward || action.kind == ActionKind::weight_gradient) {
      --now;
    }
  }
  return peak;
}

}  // namespace

double ReplayTimes::of(const Action& action) const {
  const StageTimes& stage = of(action.stage);
  switch (action.kind) {
    case ActionKind::forward:
      return stage.forward;
    case ActionKind::backward:
      return stage.input_gradient + stage.weight_gradient;
    case ActionKind::input_gradient:
      return stage.input_gradient;
    case ActionKind::weight_gradient:
      return stage.weight_gradient;
    default:
      return 0.0;
  }
}

double Replay::longest_span() const {
  double longest = 0.0;
  for (const RankReplay& rank : ranks) {
    longest = std::max(longest, rank.span());
  }
  return longest;
}

std::optional<Replay> replay(const Schedule& schedule, const ReplayTimes& times) {
  Replay result;
  const std::size_t ranks = schedule.ranks.size();
  result.ranks.resize(ranks);
  result.starts.resize(ranks);
  Results results(schedule);
  std::vector<std::size_t> next(ranks, 0);
  std::vector<double> clock(ranks, 0.0);

  // A rank runs on until it meets an input that does not exist yet; what it made may let others run
  // on. Every action is looked at once when it runs and once a visit while it waits; a rank is
  // visited again only after a neighbour has moved.
  std::vector<std::size_t> visit(ranks);
  std::vector<bool> waiting(ranks, true);
  for (std::size_t r = 0; r < ranks; ++r) {
    visit[r] = ranks - 1 - r;
    result.starts[r].assign(schedule.ranks[r].size(), 0.0);
  }
  while (!visit.empty()) {
    const std::size_t r = visit.back();
    visit.pop_back();
    waiting[r] = false;
    const std::vector<Action>& actions = schedule.ranks[r];
    RankReplay& rank = result.ranks[r];
    const auto wake = [&](std::int32_t stage) {
      const std::size_t other = at(schedule.rank_of(stage));
      if (other != r && !waiting[other]) {
        waiting[other] = true;
        visit.push_back(other);
      }
    };
    while (next[r] < actions.size()) {
      const std::size_t begin = next[r];
      const std::size_t end = piece_end(actions, begin);
      double start = clock[r];
      double duration = 0.0;
      for (std::size_t i = begin; i < end; ++i) {
        start = std::max(start, ready(schedule, times, results, actions[i]));
        duration += times.of(actions[i]);
      }
      if (start == kNever) {
        break;
      }
      duration *= end - begin > 1 ? times.pair : 1.0;
      clock[r] = start + duration;
      if (duration > 0.0) {
        rank.start = rank.busy > 0.0 ? rank.start : start;
        rank.end = clock[r];
        rank.busy += duration;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const Action& action = actions[i];
        result.starts[r][i] = start;
        if (action.kind == ActionKind::forward) {
          results.forward(action.stage, action.micro_batch) = clock[r];
          if (!schedule.is_last(action.stage)) {
            wake(action.stage + 1);
          }
        } else if (action.kind == ActionKind::backward ||
                   action.kind == ActionKind::input_gradient) {
          results.gradient(action.stage, action.micro_batch) = clock[r];
          if (!schedule.is_first(action.stage)) {
            wake(action.stage - 1);
          }
        }
      }
      next[r] = end;
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (next[r] < schedule.ranks[r].size()) {
      return std::nullopt;
    }
    result.ranks[r].peak_in_flight = peak_of(schedule.ranks[r]);
    result.makespan = std::max(result.makespan, clock[r]);
  }
  return result;
}

}  // namespace parsim
