#pragma once

#include <cstddef>

#include "sim/graph/task_graph.h"

namespace parsim {

/// A run came to rest with only `finished` tasks done. Throws RunError that names the blocking
/// cycle task by task; BugError when there is none, as then the engine lost a task.
[[noreturn]] void throw_unfinished(const TaskGraph& graph, std::size_t finished);

}  // namespace parsim
