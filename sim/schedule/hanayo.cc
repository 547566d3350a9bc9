#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/schedule/placement.h"

namespace parsim {

namespace {

constexpr std::int64_t kForwardSlots = 1;
constexpr std::int64_t kBackwardSlots = 2;

/// Lists the actions of all ranks in the order in which eager ranks would start them.
class WaveScheduler {
 public:
  WaveScheduler(Schedule& schedule, std::int32_t in_flight)
      : schedule_(schedule),
        last_(schedule.stages() - 1),
        in_flight_(in_flight),
        ready_(schedule.ranks.size()),
        busy_(schedule.ranks.size(), false) {}

  void run() {
    for (std::int32_t m = 0; m < std::min(in_flight_, schedule_.micro_batches); ++m) {
      make_ready({ActionKind::forward, 0, m});
    }
    start_idle_ranks(0);
    while (!finishing_.empty()) {
      const std::int64_t now = finishing_.begin()->first;
      while (!finishing_.empty() && finishing_.begin()->first == now) {
        const Action done = finishing_.begin()->second;
        finishing_.erase(finishing_.begin());
        finish(done);
      }
      start_idle_ranks(now);
    }
  }

 private:
  /// Backward before forward, then the later stage, then the older micro-batch.
  using Priority = std::tuple<bool, std::int32_t, std::int32_t>;

  std::size_t rank_of(const Action& action) const {
    return static_cast<std::size_t>(schedule_.rank_of(action.stage));
  }
  void make_ready(const Action& action) {
    const bool forward = action.kind == ActionKind::forward;
    ready_[rank_of(action)].insert(
        {forward, forward ? -action.stage : action.stage, action.micro_batch});
  }
  void start_idle_ranks(std::int64_t now) {
    for (std::size_t rank = 0; rank < ready_.size(); ++rank) {
      if (busy_[rank] || ready_[rank].empty()) {
        continue;
      }
      const auto [forward, stage, micro_batch] = *ready_[rank].begin();
      ready_[rank].erase(ready_[rank].begin());
      const Action action{forward ? ActionKind::forward : ActionKind::backward,
                          forward ? -stage : stage, micro_batch};
      schedule_.ranks[rank].push_back(action);
      busy_[rank] = true;
      finishing_.emplace(now + (forward ? kForwardSlots : kBackwardSlots), action);
    }
  }
  void finish(const Action& done) {
    busy_[rank_of(done)] = false;
    Action next = done;
    if (done.kind == ActionKind::forward && done.stage < last_) {
      ++next.stage;
    } else if (done.kind == ActionKind::forward) {
      next.kind = ActionKind::backward;
    } else if (done.stage > 0) {
      --next.stage;
    } else {  // the micro-batch is through: another one may enter
      next = {ActionKind::forward, 0, done.micro_batch + in_flight_};
      if (next.micro_batch >= schedule_.micro_batches) {
        return;
      }
    }
    make_ready(next);
  }

  Schedule& schedule_;
  std::int32_t last_;
  std::int32_t in_flight_;  ///< micro-batches under way at most
  std::vector<std::set<Priority>> ready_;
  std::vector<bool> busy_;
  std::multimap<std::int64_t, Action> finishing_;
};

}  // namespace

/// Hanayo (Liu et al. 2023): W waves, that is 2W chunks a rank placed in zig-zag. The paper's own
/// order is not published as a rule; this one lets eager ranks run backward first, then the later
/// stage (b = 2f), with at most P + P/W - 1 micro-batches under way, which keeps about as many
/// chunks in flight as 1F1B has (vP). Its measured bubbles are in docs/schedules.md.
Schedule hanayo_schedule(const ScheduleShape& shape) {
  Schedule schedule = wave_placement(shape);
  const std::int32_t waves = shape.chunks / 2;
  WaveScheduler(schedule, std::max(1, shape.ranks + shape.ranks / waves - 1)).run();
  return schedule;
}

}  // namespace parsim
