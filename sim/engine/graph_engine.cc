#include <fmt/format.h>

#include "sim/engine/engine.h"
#include "sim/engine/unfinished.h"

namespace parsim {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

// Kahn's algorithm over the compressed successor rows. The order in which ready tasks are taken
// does not matter: a start is the maximum of its predecessors' ends. A stack keeps the rows in the
// cache.
Timeline run_graph_engine(const TaskGraph& graph) {
  const auto count = static_cast<std::size_t>(graph.size());
  Timeline timeline;
  timeline.start.resize(count);
  timeline.end.resize(count);
  std::vector<std::int32_t> waiting = graph.predecessor_count;
  std::vector<TaskId> ready;
  ready.reserve(count);
  for (std::size_t task = count; task-- > 0;) {
    if (waiting[task] == 0) {
      ready.push_back(static_cast<TaskId>(task));
    }
  }
  std::size_t finished = 0;
  while (!ready.empty()) {
    const TaskId task = ready.back();
    ready.pop_back();
    ++finished;
    const Seconds end = timeline.start[at(task)] + graph.time_alone(task);
    timeline.end[at(task)] = end;
    timeline.makespan = max(timeline.makespan, end);
    for (const TaskId successor : graph.successors_of(task)) {
      Seconds& start = timeline.start[at(successor)];
      start = max(start, end);
      if (--waiting[at(successor)] == 0) {
        ready.push_back(successor);
      }
    }
  }
  if (finished != count) {
    throw_unfinished(graph, finished);
  }
  return timeline;
}

}  // namespace parsim
