#include "sim/report/account.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/base/check.h"

namespace parsim {

namespace {

Spending busy_with(TaskKind kind, TaskCategory category) {
  switch (category) {
    case TaskCategory::compute:
      return Spending::compute;
    case TaskCategory::optimizer:
      return Spending::optimizer;
    case TaskCategory::tensor:
      return Spending::exposed_tensor;
    case TaskCategory::data:
      return Spending::exposed_data;
    case TaskCategory::pipeline:
      return Spending::exposed_pipeline;
    case TaskCategory::other:
      break;
  }
  return kind == TaskKind::compute ? Spending::other : Spending::exposed_other;
}

/// Books the idle stretches of one rank's compute lane.
class IdleBooking {
 public:
  IdleBooking(const TaskGraph& graph, const Timeline& timeline, const RankLanes& rank)
      : graph_(graph),
        timeline_(timeline),
        rank_(rank.rank),
        before_(static_cast<std::size_t>(graph.size()), kNone),
        visited_in_(static_cast<std::size_t>(graph.size()), 0) {
    for (const auto& lane : graph.lanes) {
      const auto id = static_cast<LaneId>(&lane - graph.lanes.data());
      if (lane.kind == LaneKind::compute) {
        continue;
      }
      const auto tasks = graph.tasks_on(id);
      for (std::size_t i = 1; i < tasks.size(); ++i) {
        TaskId& before = before_[index_of(tasks[i])];
        if (before == kNone || end(before) < end(tasks[i - 1])) {
          before = tasks[i - 1];
        }
      }
    }
  }

  void book_gap(Seconds from, TaskId next, std::vector<Span>& spans) {
    start_gap(from);
    for (const TaskId on : graph_.dependencies_of(next)) {
      consider(on);
    }
    const Seconds to = timeline_.start[index_of(next)];
    Seconds released = from;
    for (const TaskId on : graph_.dependencies_of(next)) {
      released = max(released, end(on));
    }
    book(from, min(released, to), to, spans);
  }

  /// `to` is the end of the step: later than every task.
  void book_tail(Seconds from, Seconds to, const RankLanes& rank, std::vector<Span>& spans) {
    start_gap(from);
    for (const LaneId lane : rank.lanes) {
      const auto tasks = graph_.tasks_on(lane);
      // A message to another rank does not hold this one up, unless the step itself waits for it.
      if (!tasks.empty() && (graph_.kind[index_of(tasks.back())] == TaskKind::collective ||
                             !(end(tasks.back()) < to))) {
        consider(tasks.back());
      }
    }
    book(from, to, to, spans);
  }

 private:
  Seconds end(TaskId task) const { return timeline_.end[index_of(task)]; }

  void start_gap(Seconds from) {
    from_ = from;
    waiting_for_.clear();
    ++gap_;
  }

  void consider(TaskId task) {
    std::int32_t& visited = visited_in_[index_of(task)];
    if (graph_.kind[index_of(task)] == TaskKind::compute || visited == gap_ ||
        !(from_ < end(task))) {
      return;
    }
    visited = gap_;
    waiting_for_.emplace(end(task).value(), task);
  }

  /// Whether `task` was ready but for `before` on its lane.
  bool held_up(TaskId task, TaskId before) const {
    const auto on = graph_.dependencies_of(task);
    return std::none_of(on.begin(), on.end(),
                        [&](TaskId dependency) { return end(before) < end(dependency); });
  }

  bool takes_part(TaskId task) const {
    const auto lanes = graph_.lanes_of(task);
    return std::any_of(lanes.begin(), lanes.end(),
                       [this](LaneId lane) { return graph_.lanes[index_of(lane)].rank == rank_; });
  }

  /// Books [from, to] backwards in time; nothing held the lane back after `released`.
  void book(Seconds from, Seconds released, Seconds to, std::vector<Span>& spans) {
    std::vector<Span> backwards;
    const auto add = [&backwards](Seconds start, Seconds stop, Spending spending) {
      if (start < stop) {
        backwards.push_back({start, stop, spending});
      }
    };
    add(released, to, Spending::other);
    Seconds cursor = released;
    while (!waiting_for_.empty()) {
      const TaskId task = std::prev(waiting_for_.end())->second;
      waiting_for_.erase(std::prev(waiting_for_.end()));
      const Seconds stop = min(cursor, end(task));
      const Seconds start = max(from, timeline_.start[index_of(task)]);
      if (start < stop) {
        add(stop, cursor, Spending::bubble);
        add(start, stop, busy_with(graph_.kind[index_of(task)], graph_.category[index_of(task)]));
        cursor = start;
      }
      if (const TaskId before = before_[index_of(task)]; before != kNone && held_up(task, before)) {
        consider(before);
      }
      if (takes_part(task)) {
        for (const TaskId on : graph_.dependencies_of(task)) {
          consider(on);
        }
      }
    }
    add(from, cursor, Spending::bubble);
    spans.insert(spans.end(), backwards.rbegin(), backwards.rend());
  }

  const TaskGraph& graph_;
  const Timeline& timeline_;
  std::int64_t rank_;
  std::vector<TaskId> before_;  ///< per communication: what ran before it on its lane, ended last
  std::vector<std::int32_t> visited_in_;  ///< per task: the last gap that considered it
  std::int32_t gap_ = 0;
  Seconds from_{0.0};
  std::set<std::pair<double, TaskId>> waiting_for_;  ///< by end
};

}  // namespace

std::vector<Span> account(const TaskGraph& graph, const Timeline& timeline, const RankLanes& rank) {
  std::vector<Span> spans;
  IdleBooking idle(graph, timeline, rank);
  Seconds now{0.0};
  if (rank.compute != kNone) {
    for (const TaskId task : graph.tasks_on(rank.compute)) {
      const Seconds start = timeline.start[index_of(task)];
      if (now < start) {
        idle.book_gap(now, task, spans);
        now = start;
      }
      const Seconds end = timeline.end[index_of(task)];
      if (now < end) {  // an end may lie a rounding error before the last one
        spans.push_back(
            {now, end, busy_with(graph.kind[index_of(task)], graph.category[index_of(task)])});
        now = end;
      }
    }
  }
  if (now < timeline.makespan) {
    idle.book_tail(now, timeline.makespan, rank, spans);
  }
  return spans;
}

}  // namespace parsim
