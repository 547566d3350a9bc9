#include "sim/report/critical_path.h"

#include <algorithm>

#include "sim/report/critical_words.h"

namespace parsim {

namespace {

/// Lane predecessor of each (task, lane) pair, laid out like TaskGraph::task_lanes.
std::vector<TaskId> lane_predecessors(const TaskGraph& graph) {
  std::vector<TaskId> before(graph.task_lanes.size(), kNone);
  for (LaneId lane = 0; lane < static_cast<LaneId>(graph.lanes.size()); ++lane) {
    const auto tasks = graph.tasks_on(lane);
    for (std::size_t i = 1; i < tasks.size(); ++i) {
      const auto lanes = graph.lanes_of(tasks[i]);
      const auto offset = std::find(lanes.begin(), lanes.end(), lane) - lanes.begin();
      before[index_of(graph.lane_begin[index_of(tasks[i])]) + static_cast<std::size_t>(offset)] =
          tasks[i - 1];
    }
  }
  return before;
}

TaskId last_task(const TaskGraph& graph, const Timeline& timeline) {
  TaskId last = kNone;
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (last == kNone || timeline.end[index_of(last)] < timeline.end[index_of(task)]) {
      last = task;
    }
  }
  return last;
}

}  // namespace

std::vector<BindingTask> binding_chain(const TaskGraph& graph, const Timeline& timeline) {
  const std::vector<TaskId> before = lane_predecessors(graph);
  std::vector<BindingTask> chain;
  TaskId task = last_task(graph, timeline);
  while (task != kNone) {
    TaskId bound_by = kNone;
    Binding binding = Binding::first;
    const auto offer = [&](TaskId candidate, Binding how) {
      if (candidate == kNone) {
        return;
      }
      const Seconds end = timeline.end[index_of(candidate)];
      const bool later = bound_by == kNone || timeline.end[index_of(bound_by)] < end;
      const bool lower = bound_by != kNone && timeline.end[index_of(bound_by)] == end &&
                         binding == how && candidate < bound_by;
      if (later || lower) {
        bound_by = candidate;
        binding = how;
      }
    };
    for (auto i = index_of(graph.lane_begin[index_of(task)]);
         i < index_of(graph.lane_begin[index_of(task) + 1]); ++i) {
      offer(before[i], Binding::lane);
    }
    for (const TaskId on : graph.dependencies_of(task)) {
      offer(on, Binding::dependency);
    }
    chain.push_back({task, binding});
    task = bound_by;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::vector<CriticalStep> critical_path(const TaskGraph& graph, const Timeline& timeline) {
  const std::vector<BindingTask> chain = binding_chain(graph, timeline);
  std::vector<CriticalStep> steps;
  Seconds now{0.0};
  for (std::size_t first = 0; first < chain.size();) {
    // A collective of several ranks leads the step of whichever rank goes on after it.
    TaskId leader = chain[first].task;
    std::size_t last = first + 1;
    for (; last < chain.size() && same_action(graph, leader, chain[last].task); ++last) {
      if (graph.kind[index_of(leader)] != TaskKind::compute) {
        leader = chain[last].task;
      }
    }
    const Seconds end = timeline.end[index_of(chain[last - 1].task)];
    if (now < end) {
      const TaskId bound_by = first == 0 ? kNone : chain[first - 1].task;
      steps.push_back({step_name(graph, leader), now, end,
                       why_not_earlier(graph, chain[first], bound_by), step_kind(graph, leader)});
      now = end;
    }
    first = last;
  }
  return steps;
}

}  // namespace parsim
