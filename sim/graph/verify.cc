#include "sim/graph/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/check.h"

namespace parsim {

namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

void verify_values(const TaskGraph& graph) {
  const auto lanes = static_cast<LaneId>(graph.lanes.size());
  const auto patterns = static_cast<PatternId>(graph.patterns.size());
  for (TaskId task = 0; task < graph.size(); ++task) {
    const double time = graph.fixed_time[at(task)].value();
    const double bytes = graph.bytes[at(task)].value();
    SIM_CHECK(std::isfinite(time) && time >= 0.0,
              fmt::format("a finite time for task {} ({}), not {}", task,
                          describe_task(graph, task), time));
    SIM_CHECK(std::isfinite(bytes) && bytes >= 0.0,
              fmt::format("finite bytes for task {} ({}), not {}", task, describe_task(graph, task),
                          bytes));
    SIM_CHECK(!graph.lanes_of(task).empty(),
              fmt::format("a lane for task {} ({})", task, describe_task(graph, task)));
    for (const LaneId lane : graph.lanes_of(task)) {
      SIM_CHECK(lane >= 0 && lane < lanes, fmt::format("lane < {}, not {}", lanes, lane));
    }
    SIM_CHECK(graph.pattern[at(task)] >= kNone && graph.pattern[at(task)] < patterns,
              fmt::format("pattern < {}, not {}", patterns, graph.pattern[at(task)]));
    for (const TaskId on : graph.dependencies_of(task)) {
      SIM_CHECK(on >= 0 && on < graph.size(),
                fmt::format("dependency < {}, not {}", graph.size(), on));
    }
  }
}

/// Walks back from a task that never became ready, always to a predecessor that never became ready
/// either, until a task repeats: that loop is a blocking cycle. Predecessors are recovered from
/// dependencies and lanes.
std::vector<TaskId> find_cycle(const TaskGraph& graph, const std::vector<bool>& done) {
  std::vector<TaskId> lane_previous(at(graph.size()), kNone);
  for (LaneId lane = 0; lane < static_cast<LaneId>(graph.lanes.size()); ++lane) {
    TaskId previous = kNone;
    for (const TaskId task : graph.tasks_on(lane)) {
      if (previous != kNone && !done[at(previous)]) {
        lane_previous[at(task)] = previous;
      }
      previous = task;
    }
  }
  const auto blocker = [&](TaskId task) {
    for (const TaskId on : graph.dependencies_of(task)) {
      if (!done[at(on)]) {
        return on;
      }
    }
    return lane_previous[at(task)];
  };
  TaskId task = 0;
  while (done[at(task)]) {
    ++task;
  }
  std::vector<TaskId> path;
  std::vector<bool> on_path(at(graph.size()), false);
  while (!on_path[at(task)]) {
    on_path[at(task)] = true;
    path.push_back(task);
    task = blocker(task);
    SIM_CHECK(task != kNone, "a blocked task to have a blocked predecessor");
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), task));
  return path;
}

std::string cycle_text(const TaskGraph& graph, const std::vector<TaskId>& cycle) {
  constexpr std::size_t kMostShown = 12;
  std::string text = fmt::format(
      "the schedule cannot finish: {} tasks wait for each other in a cycle", cycle.size());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i == kMostShown && cycle.size() > kMostShown + 1) {
      text += fmt::format("\n  ... {} more, and back to the first", cycle.size() - i);
      return text;
    }
    const TaskId task = cycle[i];
    const TaskId blocker = cycle[(i + 1) % cycle.size()];
    const auto dependencies = graph.dependencies_of(task);
    const bool by_dependency =
        std::find(dependencies.begin(), dependencies.end(), blocker) != dependencies.end();
    text += fmt::format("\n  {} waits for {} {}", describe_task(graph, task),
                        by_dependency ? "the result of" : "its turn after",
                        describe_task(graph, blocker));
  }
  return text;
}

}  // namespace

void verify(const TaskGraph& graph) {
  verify_values(graph);
  std::vector<std::int32_t> waiting = graph.predecessor_count;
  std::vector<TaskId> ready;
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (waiting[at(task)] == 0) {
      ready.push_back(task);
    }
  }
  std::vector<bool> done(at(graph.size()), false);
  TaskId finished = 0;
  while (!ready.empty()) {
    const TaskId task = ready.back();
    ready.pop_back();
    done[at(task)] = true;
    ++finished;
    for (const TaskId successor : graph.successors_of(task)) {
      if (--waiting[at(successor)] == 0) {
        ready.push_back(successor);
      }
    }
  }
  if (finished != graph.size()) {
    throw RunError(cycle_text(graph, find_cycle(graph, done)));
  }
}

}  // namespace parsim
