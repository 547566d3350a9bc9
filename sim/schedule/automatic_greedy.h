#pragma once

#include <vector>

#include "sim/schedule/automatic_stages.h"

namespace parsim {

/// What a rank of the greedy list scheduler prefers. Waits are in the problem's unit of time.
struct RankPolicy {
  std::int32_t most_in_flight = 1;  ///< micro-batches whose first F here has run and last I has not
  double forward_wait = 0.0;        ///< an F gives way to an I that starts this much later
  double weight_wait = 0.0;         ///< a W gives way to an F or I that starts this much later
  double later_chunk = 0.0;         ///< an F of a later chunk goes first by this much a chunk
};
using Policy = std::vector<RankPolicy>;  ///< per rank

/// One action of a rank's order without its micro-batch: each kind of each stage runs the
/// micro-batches in ascending order, as all are alike.
struct Step {
  std::int32_t stage = 0;
  ActionKind kind = ActionKind::forward;
  bool operator==(const Step&) const = default;
};
using Order = std::vector<std::vector<Step>>;  ///< per rank

/// Event-driven list scheduling: the rank that can act first takes the action with the smallest
/// start plus wait among those whose input is there or on its way and whose activations fit.
class Greedy {
 public:
  explicit Greedy(const PlacedStages& stages);
  /// The makespan of the order that this policy gives; infinity as soon as it cannot be below
  /// `enough`. The order stays readable until the next run.
  double run(const Policy& policy, double enough);
  [[nodiscard]] const Order& order() const { return order_; }

 private:
  struct Choice {
    double start;
    std::int32_t stage;
    ActionKind kind;
  };
  void reset();
  [[nodiscard]] Choice choose(std::int32_t rank, const RankPolicy& policy) const;
  [[nodiscard]] bool fits(std::int32_t rank, std::int32_t stage) const;
  void commit(std::int32_t rank, const Choice& choice);
  [[nodiscard]] std::size_t slot(std::int32_t stage, std::int32_t unit) const {
    return at(std::int64_t{stage} * stages_->micro_batches + unit);
  }

  const PlacedStages* stages_;
  std::vector<double> reserve_;        ///< stage -> activations its rank's later chunks will need
  std::vector<double> all_work_;       ///< per rank
  std::vector<double> forward_in_;     ///< (stage, unit) -> when its F may start
  std::vector<double> gradient_in_;    ///< (stage, unit) -> when its I may start
  std::vector<std::int32_t> done_[4];  ///< kind, stage -> how many have run
  std::vector<double> clock_, work_left_, held_;  ///< per rank
  std::vector<Choice> choice_;                    ///< per rank
  Order order_;
};

}  // namespace parsim
