#include "sim/graph/task_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/check.h"

namespace parsim {

namespace {

/// Some 10 GB of graph and timeline; beyond, a machine fails without saying why.
constexpr TaskId kMostTasks = 100'000'000;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

template <class T>
std::span<const T> row(const std::vector<std::int32_t>& begin, const std::vector<T>& values,
                       std::int32_t index) {
  const auto first = at(begin[at(index)]);
  const auto last = at(begin[at(index) + 1]);
  return std::span<const T>(values).subspan(first, last - first);
}

/// Sorts (row, value) pairs into compressed rows, keeping the order of equal rows. Linear.
void compress(const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs, std::size_t rows,
              std::vector<std::int32_t>& begin, std::vector<std::int32_t>& values) {
  begin.assign(rows + 1, 0);
  for (const auto& pair : pairs) {
    ++begin[at(pair.first) + 1];
  }
  for (std::size_t i = 0; i < rows; ++i) {
    begin[i + 1] += begin[i];
  }
  values.resize(pairs.size());
  std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
  for (const auto& pair : pairs) {
    values[at(next[at(pair.first)]++)] = pair.second;
  }
}

/// Dependencies and lane order as one deduplicated successor list. A double edge would be harmless
/// for the result but costs time in every run.
void link_successors(TaskGraph& graph) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  edges.reserve(graph.dependencies.size() + graph.lane_tasks.size());
  for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(graph.lanes.size()); ++lane) {
    const auto tasks = graph.tasks_on(lane);
    for (std::size_t i = 1; i < tasks.size(); ++i) {
      edges.emplace_back(tasks[i - 1], tasks[i]);
    }
  }
  for (TaskId task = 0; task < graph.size(); ++task) {
    for (const TaskId on : graph.dependencies_of(task)) {
      edges.emplace_back(on, task);
    }
  }
  const auto count = static_cast<std::size_t>(graph.size());
  compress(edges, count, graph.successor_begin, graph.successors);
  graph.predecessor_count.assign(count, 0);
  std::vector<TaskId> last_from(count, kNone);
  std::int32_t kept = 0;
  for (TaskId task = 0; task < graph.size(); ++task) {
    const auto first = at(graph.successor_begin[at(task)]);
    const auto last = at(graph.successor_begin[at(task) + 1]);
    graph.successor_begin[at(task)] = kept;
    for (std::size_t i = first; i < last; ++i) {
      const TaskId successor = graph.successors[i];
      if (last_from[at(successor)] == task) {
        continue;
      }
      last_from[at(successor)] = task;
      graph.successors[at(kept++)] = successor;
      ++graph.predecessor_count[at(successor)];
    }
  }
  graph.successor_begin[count] = kept;
  graph.successors.resize(at(kept));
}

}  // namespace

std::span<const TaskId> TaskGraph::successors_of(TaskId task) const {
  return row(successor_begin, successors, task);
}
std::span<const TaskId> TaskGraph::dependencies_of(TaskId task) const {
  return row(dependency_begin, dependencies, task);
}
std::span<const LaneId> TaskGraph::lanes_of(TaskId task) const {
  return row(lane_begin, task_lanes, task);
}
std::span<const TaskId> TaskGraph::tasks_on(LaneId lane) const {
  return row(lane_task_begin, lane_tasks, lane);
}

Seconds TaskGraph::time_alone(TaskId task) const {
  const PatternId id = pattern[at(task)];
  if (id == kNone) {
    return fixed_time[at(task)];
  }
  return fixed_time[at(task)] +
         Seconds{bytes[at(task)].value() * patterns[at(id)].seconds_per_byte_alone};
}

LaneId TaskGraphBuilder::add_lane(const Lane& lane) {
  graph_.lanes.push_back(lane);
  return static_cast<LaneId>(graph_.lanes.size() - 1);
}

std::int32_t TaskGraphBuilder::add_link(GraphLink link) {
  graph_.links.push_back(std::move(link));
  return static_cast<std::int32_t>(graph_.links.size() - 1);
}

PatternId TaskGraphBuilder::add_pattern(GraphPattern pattern) {
  pattern.seconds_per_byte_alone = 0.0;
  for (const GraphFlow& flow : pattern.flows) {
    for (const FlowLink& use : flow.links) {
      const double rate = graph_.links.at(at(use.link)).bandwidth.value();
      pattern.seconds_per_byte_alone =
          std::max(pattern.seconds_per_byte_alone, flow.volume_fraction * use.own / rate);
    }
  }
  graph_.patterns.push_back(std::move(pattern));
  return static_cast<PatternId>(graph_.patterns.size() - 1);
}

std::int32_t TaskGraphBuilder::add_segment(Segment segment) {
  graph_.segments.push_back(std::move(segment));
  return static_cast<std::int32_t>(graph_.segments.size() - 1);
}

std::int32_t TaskGraphBuilder::add_name(const std::string& name) {
  const auto found = std::find(graph_.names.begin(), graph_.names.end(), name);
  if (found != graph_.names.end()) {
    return static_cast<std::int32_t>(found - graph_.names.begin());
  }
  graph_.names.push_back(name);
  return static_cast<std::int32_t>(graph_.names.size() - 1);
}

TaskId TaskGraphBuilder::add_compute(LaneId lane, TaskCategory category, const TaskLabel& label,
                                     Seconds duration) {
  const TaskId task = add_communication(TaskKind::compute, category, label, kNone, Bytes{0.0});
  graph_.fixed_time.back() = duration;
  add_to_lane(task, lane);
  return task;
}

TaskId TaskGraphBuilder::add_communication(TaskKind kind, TaskCategory category,
                                           const TaskLabel& label, PatternId pattern, Bytes bytes) {
  graph_.kind.push_back(kind);
  graph_.category.push_back(category);
  graph_.label.push_back(label);
  graph_.pattern.push_back(pattern);
  graph_.fixed_time.push_back(pattern == kNone ? Seconds{0.0}
                                               : graph_.patterns.at(at(pattern)).latency);
  graph_.bytes.push_back(bytes);
  return graph_.size() - 1;
}

void TaskGraphBuilder::add_to_lane(TaskId task, LaneId lane) {
  on_lane_.emplace_back(task, lane);
}

void TaskGraphBuilder::add_dependency(TaskId task, TaskId on) {
  depends_.emplace_back(task, on);
}

TaskGraph TaskGraphBuilder::build() {
  const auto count = static_cast<std::size_t>(graph_.size());
  compress(on_lane_, count, graph_.lane_begin, graph_.task_lanes);
  compress(depends_, count, graph_.dependency_begin, graph_.dependencies);
  for (auto& pair : on_lane_) {
    std::swap(pair.first, pair.second);
  }
  compress(on_lane_, graph_.lanes.size(), graph_.lane_task_begin, graph_.lane_tasks);
  link_successors(graph_);
  on_lane_.clear();
  depends_.clear();
  return std::exchange(graph_, TaskGraph{});
}

}  // namespace parsim
