#include "sim/schedule/automatic_search.h"

#include <algorithm>
#include <limits>

#include "sim/base/random.h"

namespace parsim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The search is over preferences of the greedy scheduler, not over orders: every preference gives
// an order that finishes and fits. First a grid in which all ranks prefer the same, then a climb
// from the best of them that changes a rank or two, or all, and keeps what is not slower. It ends
// after a fixed number of steps of the scheduler, not after a time, so that the result does not
// depend on the machine.
constexpr std::int64_t kGridSteps = 3'000'000;
constexpr std::int64_t kClimbSteps = 5'000'000;
constexpr std::int64_t kMostClimbs = 4000;
constexpr std::int64_t kLeastTries = 24;  ///< of either kind, however large the problem

class Search {
 public:
  Search(const PlacedStages& stages, double lower_bound)
      : stages_(stages),
        lower_bound_(lower_bound),
        steps_(std::int64_t{3} * stages.stages() * stages.micro_batches),
        greedy_(stages) {
    for (std::int32_t r = 0; r < stages.ranks; ++r) {
      double sum = 0.0;
      for (std::int32_t c = 0; c < stages.chunks; ++c) {
        const StageTimes& t = stages.times[at(stages.own[at(r * stages.chunks + c)])];
        sum += t.forward + t.input_gradient + t.weight_gradient;
      }
      action_.push_back(sum / (3 * stages.chunks));
    }
  }

  Order run() {
    grid();
    climb();
    return std::move(best_order_);
  }

 private:
  [[nodiscard]] bool done() const { return best_ <= lower_bound_ * (1.0 + 1e-9); }
  [[nodiscard]] std::int64_t tries(std::int64_t steps) const {
    return std::max(kLeastTries, steps / steps_);
  }

  void attempt(const Policy& policy) {
    // As slow is kept as well: the climb then crosses plains.
    const double makespan = greedy_.run(policy, best_ * (1.0 + 1e-12));
    if (makespan < kNever) {
      best_ = std::min(best_, makespan);
      best_policy_ = policy;
      best_order_ = greedy_.order();
    }
  }

  /// Micro-batches in flight as in 1F1B, in ZB-H2, evenly many, or as many as fit.
  [[nodiscard]] std::int32_t in_flight(int like, std::int32_t rank) const {
    const std::int32_t to_end = stages_.ranks - rank;
    switch (like) {
      case 0:
        return to_end;
      case 1:
        return 2 * to_end - 1;
      case 2:
        return stages_.ranks;
      default:
        return stages_.micro_batches;
    }
  }

  void grid() {
    std::int64_t left = tries(kGridSteps);
    for (const double later : {0.0, 0.5, -0.5}) {
      for (const double forward : {0.0, 0.5, -0.5}) {
        for (const double weight : {0.3, 0.6, 0.0, 1.0, -0.5, -1.0}) {
          for (const int like : {3, 1, 2, 0}) {
            if (done() || left-- <= 0 || (stages_.chunks == 1 && later != 0.0)) {
              return;
            }
            Policy policy;
            for (std::int32_t r = 0; r < stages_.ranks; ++r) {
              const double unit = action_[at(r)];
              policy.push_back({in_flight(like, r), forward * unit, weight * unit, later * unit});
            }
            attempt(policy);
          }
        }
      }
    }
  }

  void climb() {
    for (std::int64_t left = std::min(kMostClimbs, tries(kClimbSteps)); left > 0 && !done();
         --left) {
      Policy policy = best_policy_;
      const bool all = random_.between(0, 7) == 0;
      for (std::int64_t changes = random_.between(1, 3); changes > 0; --changes) {
        change(policy, static_cast<std::int32_t>(random_.between(0, stages_.ranks - 1)), all);
      }
      attempt(policy);
    }
  }

  /// Changes one preference of one rank, or of all.
  void change(Policy& policy, std::int32_t rank, bool all) {
    const std::int64_t which = random_.between(0, stages_.chunks == 1 ? 2 : 3);
    const auto more = static_cast<std::int32_t>(random_.between(-2, 2));
    const double wait = random_.uniform() * 3.0 - 1.5;
    for (std::int32_t r = all ? 0 : rank; r < (all ? stages_.ranks : rank + 1); ++r) {
      RankPolicy& prefers = policy[at(r)];
      switch (which) {
        case 0:
          prefers.most_in_flight =
              std::clamp(prefers.most_in_flight + more, 1, stages_.micro_batches);
          break;
        case 1:
          prefers.forward_wait = wait * action_[at(r)];
          break;
        case 2:
          prefers.weight_wait = wait * action_[at(r)];
          break;
        default:
          prefers.later_chunk = wait * action_[at(r)];
          break;
      }
    }
  }

  const PlacedStages& stages_;
  double lower_bound_;
  std::int64_t steps_;          ///< of the scheduler in one try
  std::vector<double> action_;  ///< per rank: mean time of an action, the unit of its waits
  Greedy greedy_;
  Random random_{1};
  double best_ = kNever;
  Policy best_policy_;
  Order best_order_;
};

}  // namespace

Order search_order(const PlacedStages& stages, double lower_bound) {
  return Search(stages, lower_bound).run();
}

}  // namespace parsim
