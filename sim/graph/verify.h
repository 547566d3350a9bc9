#pragma once

#include "sim/graph/task_graph.h"

namespace parsim {

/// Checks a graph after every pass, in linear time: ids in range, every task on a lane, times
/// finite and not negative (else BugError); no cycle through dependencies and lane order (else
/// RunError that names the blocking cycle task by task: what each waits for).
void verify(const TaskGraph& graph);

}  // namespace parsim
