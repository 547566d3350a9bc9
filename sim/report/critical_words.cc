#include "sim/report/critical_words.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace parsim {

namespace {

constexpr std::array<std::string_view, 6> kActionNames = {
    "forward", "recompute", "backward", "weight gradient", "gradient reduction", "optimizer"};

/// Computation and tensor-parallel communication alternate many times within one action.
bool is_work(TaskCategory category) {
  return category == TaskCategory::compute || category == TaskCategory::tensor;
}

std::int64_t rank_of(const TaskGraph& graph, TaskId task) {
  const auto lanes = graph.lanes_of(task);
  return lanes.empty() ? -1 : graph.lanes[index_of(lanes.front())].rank;
}

/// A collective of several simulated ranks is part of the action of any of them.
bool share_a_rank(const TaskGraph& graph, TaskId a, TaskId b) {
  for (const LaneId one : graph.lanes_of(a)) {
    for (const LaneId other : graph.lanes_of(b)) {
      if (graph.lanes[index_of(one)].rank == graph.lanes[index_of(other)].rank) {
        return true;
      }
    }
  }
  return false;
}

/// What is done: communications other than the tensor-parallel parts of an action by their name.
std::string action_word(const TaskGraph& graph, TaskId task) {
  const auto t = index_of(task);
  const TaskLabel& label = graph.label[t];
  const bool named =
      !is_work(graph.category[t]) && graph.kind[t] != TaskKind::compute && label.detail != kNone;
  return named ? graph.names[index_of(label.detail)]
               : std::string(kActionNames.at(static_cast<std::size_t>(action_phase(label.phase))));
}

std::string action_name(const TaskGraph& graph, TaskId task) {
  const TaskLabel& label = graph.label[index_of(task)];
  std::string text = action_word(graph, task);
  if (label.stage != kNone && graph.kind[index_of(task)] != TaskKind::transfer) {
    text += fmt::format(" stage {}", label.stage);
  }
  if (label.micro_batch != kNone) {
    text += fmt::format(" micro-batch {}", label.micro_batch);
  }
  return text;
}

std::string waits_for(const TaskGraph& graph, TaskId task, TaskId bound_by) {
  const auto b = index_of(bound_by);
  const TaskLabel& label = graph.label[b];
  switch (graph.kind[b]) {
    case TaskKind::transfer:
      return fmt::format("waits for {} of micro-batch {} from stage {}",
                         label.phase == TaskPhase::forward ? "activations" : "gradients",
                         label.micro_batch, label.stage);
    case TaskKind::collective:
      return fmt::format("waits for the {}", label.detail == kNone
                                                 ? "collective"
                                                 : graph.names[index_of(label.detail)]);
    case TaskKind::compute:
      break;
  }
  if (graph.kind[index_of(task)] == TaskKind::collective) {
    if (graph.lanes_of(task).size() == 1) {  // the members that are not simulated are alike
      return fmt::format("starts when every member is that far in {}",
                         action_name(graph, bound_by));
    }
    return fmt::format("starts when all members have arrived; the last is rank {} in {}",
                       rank_of(graph, bound_by), action_name(graph, bound_by));
  }
  if (graph.kind[index_of(task)] == TaskKind::transfer) {
    return fmt::format("sent when {} is done", action_name(graph, bound_by));
  }
  return fmt::format("waits for rank {}'s {}", rank_of(graph, bound_by),
                     action_name(graph, bound_by));
}

}  // namespace

bool same_action(const TaskGraph& graph, TaskId a, TaskId b) {
  const auto x = index_of(a);
  const auto y = index_of(b);
  const TaskLabel& one = graph.label[x];
  const TaskLabel& other = graph.label[y];
  const bool same_group = is_work(graph.category[x])
                              ? is_work(graph.category[y])
                              : graph.category[x] == graph.category[y] &&
                                    graph.kind[x] == graph.kind[y] && one.detail == other.detail;
  return same_group && action_phase(one.phase) == action_phase(other.phase) &&
         one.stage == other.stage && one.micro_batch == other.micro_batch &&
         share_a_rank(graph, a, b);
}

std::string step_name(const TaskGraph& graph, TaskId task) {
  return fmt::format("rank {}: {}", rank_of(graph, task), action_name(graph, task));
}

std::string step_kind(const TaskGraph& graph, TaskId task) {
  return graph.kind[index_of(task)] == TaskKind::transfer ? "message" : action_word(graph, task);
}

std::string why_not_earlier(const TaskGraph& graph, const BindingTask& task, TaskId bound_by) {
  switch (task.binding) {
    case Binding::first:
      return "first task";
    case Binding::lane:
      return fmt::format("follows {} on the same lane", action_name(graph, bound_by));
    case Binding::dependency:
      break;
  }
  return waits_for(graph, task.task, bound_by);
}

}  // namespace parsim
