#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/graph/task_graph.h"
#include "sim/report/report.h"

/// Small graphs written by hand, and a longest path to run them: independent of lowering and
/// engines.
namespace parsim::cases {

/// Longest path: each task starts when its last predecessor ends.
inline Timeline run(const TaskGraph& graph) {
  const auto count = static_cast<std::size_t>(graph.size());
  Timeline timeline{std::vector<Seconds>(count), std::vector<Seconds>(count), Seconds{0.0}};
  std::vector<std::int32_t> waits = graph.predecessor_count;
  std::vector<TaskId> ready;
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (waits[static_cast<std::size_t>(task)] == 0) {
      ready.push_back(task);
    }
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto t = static_cast<std::size_t>(ready[i]);
    timeline.end[t] = timeline.start[t] + graph.time_alone(ready[i]);
    timeline.makespan = max(timeline.makespan, timeline.end[t]);
    for (const TaskId successor : graph.successors_of(ready[i])) {
      const auto s = static_cast<std::size_t>(successor);
      timeline.start[s] = max(timeline.start[s], timeline.end[t]);
      if (--waits[s] == 0) {
        ready.push_back(successor);
      }
    }
  }
  return timeline;
}

/// One rank per pipeline rank with a lane of every kind, and one link of 1 B/s per lane, so that a
/// communication of n bytes takes n seconds.
class Machine {
 public:
  explicit Machine(std::int32_t ranks, std::int64_t multiplicity = 1) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      for (int kind = 0; kind < kKinds; ++kind) {
        const LaneId lane =
            builder.add_lane({rank, multiplicity, rank, static_cast<LaneKind>(kind)});
        const std::int32_t link = builder.add_link(
            {"link" + std::to_string(lane), LinkClass::nic, BytesPerSecond{1.0}, multiplicity});
        patterns_.push_back(
            builder.add_pattern({Seconds{0.0}, {GraphFlow{1.0, {FlowLink{link, 1, 1}}}}, 0.0}));
      }
    }
  }

  static LaneId lane(std::int32_t rank, LaneKind kind) {
    return rank * kKinds + static_cast<LaneId>(kind);
  }

  TaskId compute(std::int32_t rank, TaskPhase phase, std::int32_t micro_batch, double time,
                 const std::vector<TaskId>& after = {}, std::int32_t detail = kNone) {
    const bool optimizer = phase == TaskPhase::optimizer;
    const TaskLabel label{phase, optimizer ? kNone : rank, micro_batch, detail, kNone};
    const TaskId task = builder.add_compute(
        lane(rank, LaneKind::compute), optimizer ? TaskCategory::optimizer : TaskCategory::compute,
        label, Seconds{time});
    return wait(task, after);
  }

  /// On the `kind` lane of all `ranks`; takes `time`.
  TaskId collective(const std::vector<std::int32_t>& ranks, LaneKind kind, TaskCategory category,
                    const TaskLabel& label, double time, const std::vector<TaskId>& after) {
    const LaneId first = lane(ranks.front(), kind);
    const TaskId task =
        builder.add_communication(TaskKind::collective, category, label,
                                  patterns_[static_cast<std::size_t>(first)], Bytes{time});
    for (const std::int32_t rank : ranks) {
      builder.add_to_lane(task, lane(rank, kind));
    }
    return wait(task, after);
  }

  /// From `rank` to its neighbour; takes `time`.
  TaskId transfer(std::int32_t rank, bool forward, std::int32_t micro_batch, double time,
                  const std::vector<TaskId>& after) {
    const LaneId from = lane(rank, forward ? LaneKind::send_forward : LaneKind::send_backward);
    const TaskLabel label{forward ? TaskPhase::forward : TaskPhase::backward, rank, micro_batch,
                          builder.add_name(forward ? "activations" : "gradients"), kNone};
    const TaskId task =
        builder.add_communication(TaskKind::transfer, TaskCategory::pipeline, label,
                                  patterns_[static_cast<std::size_t>(from)], Bytes{time});
    builder.add_to_lane(task, from);
    return wait(task, after);
  }

  TaskGraphBuilder builder;

 private:
  static constexpr int kKinds = 6;
  TaskId wait(TaskId task, const std::vector<TaskId>& after) {
    for (const TaskId on : after) {
      builder.add_dependency(task, on);
    }
    return task;
  }
  std::vector<PatternId> patterns_;
};

/// Per rank: (is forward, micro-batch) in program order.
using Orders = std::vector<std::vector<std::pair<bool, std::int32_t>>>;

inline Orders gpipe_orders(std::int32_t ranks, std::int32_t micro_batches, bool backward = true) {
  Orders orders(static_cast<std::size_t>(ranks));
  for (auto& order : orders) {
    for (std::int32_t m = 0; m < micro_batches; ++m) {
      order.emplace_back(true, m);
    }
    for (std::int32_t m = 0; backward && m < micro_batches; ++m) {
      order.emplace_back(false, m);
    }
  }
  return orders;
}

/// PipeDream-flush: rank r runs min(P - 1 - r, M) forwards ahead, then one forward, one backward.
inline Orders one_f_one_b_orders(std::int32_t ranks, std::int32_t micro_batches) {
  Orders orders(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    auto& order = orders[static_cast<std::size_t>(rank)];
    const std::int32_t ahead = std::min(ranks - 1 - rank, micro_batches);
    for (std::int32_t m = 0; m < micro_batches + ahead; ++m) {
      if (m < micro_batches) {
        order.emplace_back(true, m);
      }
      if (m >= ahead) {
        order.emplace_back(false, m - ahead);
      }
    }
  }
  return orders;
}

/// A pipeline with the given orders; every forward, backward and message takes the given time.
inline TaskGraph pipeline(const Orders& orders, double forward, double backward, double message) {
  const auto ranks = static_cast<std::int32_t>(orders.size());
  Machine machine(ranks);
  const std::size_t micro_batches = orders.front().size();
  using Row = std::vector<TaskId>;
  std::vector<Row> f(orders.size(), Row(micro_batches, kNone));
  std::vector<Row> b = f;
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    for (const auto& [is_forward, m] : orders[rank]) {
      (is_forward ? f : b)[rank][static_cast<std::size_t>(m)] = machine.compute(
          static_cast<std::int32_t>(rank), is_forward ? TaskPhase::forward : TaskPhase::backward, m,
          is_forward ? forward : backward);
    }
  }
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    for (const auto& [is_forward, m] : orders[rank]) {
      const std::size_t to = is_forward ? rank + 1 : rank - 1;
      if (to < orders.size()) {  // rank 0 has nobody before it: to wraps around
        auto& tasks = is_forward ? f : b;
        const TaskId sent = machine.transfer(static_cast<std::int32_t>(rank), is_forward, m,
                                             message, {tasks[rank][static_cast<std::size_t>(m)]});
        machine.builder.add_dependency(tasks[to][static_cast<std::size_t>(m)], sent);
      }
    }
  }
  return machine.builder.build();
}

}  // namespace parsim::cases
