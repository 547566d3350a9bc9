#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// Times of one stage for one unit (micro-batch or slice), in any unit the caller likes.
struct StageTimes {
  double forward = 1.0;
  double input_gradient = 1.0;
  double weight_gradient = 1.0;  ///< a full backward takes both
};

struct ReplayTimes {
  std::vector<StageTimes> stages;  ///< per stage; one entry stands for all
  double hop = 0.0;                ///< a message between two ranks; nothing waits for another one
  double pair = 1.0;               ///< an overlapped pair takes this times the sum of its parts

  [[nodiscard]] const StageTimes& of(std::int32_t stage) const {
    return stages[stages.size() == 1 ? 0 : static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] double of(const Action& action) const;
};

struct RankReplay {
  double start = 0.0;  ///< of its first action
  double end = 0.0;    ///< of its last
  double busy = 0.0;
  /// The most (stage, unit) pairs whose F has run and whose B or W has not.
  std::int32_t peak_in_flight = 0;
  [[nodiscard]] double span() const { return end - start; }
  [[nodiscard]] double idle() const { return span() - busy; }
};

struct Replay {
  double makespan = 0.0;
  std::vector<RankReplay> ranks;
  std::vector<std::vector<double>> starts;  ///< per rank and action
  [[nodiscard]] double longest_span() const;
};

/// Runs the compute actions of a schedule on ranks that do one thing at a time, messages free of
/// contention. Other kinds of action are passed over. A pair is one piece: it starts when all its
/// parts can and both results leave at its end. Nothing when the order cannot finish.
[[nodiscard]] std::optional<Replay> replay(const Schedule& schedule, const ReplayTimes& times);

}  // namespace parsim
