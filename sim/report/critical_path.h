#pragma once

#include <cstdint>
#include <vector>

#include "sim/report/rank_lanes.h"
#include "sim/report/report.h"

namespace parsim {

enum class Binding : std::uint8_t { first, lane, dependency };

/// A task of the critical path and what it waited for last.
struct BindingTask {
  TaskId task = kNone;
  Binding binding = Binding::first;
};

/// From the task that ends last (of several the lowest id) back through what each task waited for
/// last: its lane predecessor or dependency with the latest end, of several the lane predecessor,
/// then the lowest id. In time order. Linear in the path and its edges.
[[nodiscard]] std::vector<BindingTask> binding_chain(const TaskGraph& graph,
                                                     const Timeline& timeline);

/// The chain with the tasks of one action on one rank joined and steps without length left out:
/// the first step starts at 0, each starts where the one before ends, the last ends at the
/// makespan.
[[nodiscard]] std::vector<CriticalStep> critical_path(const TaskGraph& graph,
                                                      const Timeline& timeline);

}  // namespace parsim
