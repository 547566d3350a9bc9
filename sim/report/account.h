#pragma once

#include <cstdint>
#include <vector>

#include "sim/report/rank_lanes.h"

namespace parsim {

/// What a moment of a rank's compute lane is spent on.
enum class Spending : std::uint8_t {
  compute,
  optimizer,
  exposed_tensor,
  exposed_data,
  exposed_pipeline,
  exposed_other,
  bubble,
  other
};
inline constexpr int kSpendings = 8;

/// A stretch of time spent on one thing. Times in seconds from the start of the step.
struct Span {
  Seconds start{0.0};
  Seconds end{0.0};
  Spending spending = Spending::bubble;
};

/// Books every moment of the step on one rank: the spans tile [0, makespan] in order.
///
/// A busy compute lane is booked by its task. An idle moment before a task is booked by what bound
/// that task: as exposed communication while a communication the task waits for was running, else
/// as bubble (waiting for work of other ranks). What a task waits for: the communications among its
/// dependencies; in turn, what these waited for (the communication before them on their lane when
/// it held them up and, where the rank takes part in them, their own dependencies). Where several
/// ran at the same time the one that ended last is booked, so every moment is booked once. After
/// the rank's last task the same holds for its unfinished collectives. A moment in which nothing
/// held the next task back is `other`.
[[nodiscard]] std::vector<Span> account(const TaskGraph& graph, const Timeline& timeline,
                                        const RankLanes& rank);

}  // namespace parsim
