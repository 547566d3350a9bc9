#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/graph/task_graph.h"

/// Hand-made graphs, one line a task.
namespace parsim::engine_cases {

inline Lane lane_of_rank(std::int64_t rank) {
  Lane lane;
  lane.rank = rank;
  return lane;
}

class Drawing {
 public:
  LaneId lane() { return builder_.add_lane(lane_of_rank(next_rank_++)); }

  std::int32_t link(double bytes_per_second) {
    GraphLink link;
    link.name = "link" + std::to_string(next_link_++);
    link.bandwidth = BytesPerSecond{bytes_per_second};
    return builder_.add_link(link);
  }

  PatternId pattern(double latency, std::vector<GraphFlow> flows) {
    GraphPattern pattern;
    pattern.latency = Seconds{latency};
    pattern.flows = std::move(flows);
    return builder_.add_pattern(std::move(pattern));
  }
  /// One flow that crosses each link once.
  PatternId route(double latency, const std::vector<std::int32_t>& links) {
    GraphFlow flow;
    for (const std::int32_t link : links) {
      flow.links.push_back({link, 1, 1});
    }
    return pattern(latency, {flow});
  }

  TaskId compute(LaneId lane, double seconds, const std::vector<TaskId>& after = {}) {
    return depend(builder_.add_compute(lane, TaskCategory::compute, {}, Seconds{seconds}), after);
  }
  TaskId send(LaneId lane, PatternId pattern, double bytes, const std::vector<TaskId>& after = {}) {
    return collective({lane}, pattern, bytes, after);
  }
  TaskId collective(const std::vector<LaneId>& lanes, PatternId pattern, double bytes,
                    const std::vector<TaskId>& after = {}) {
    const TaskId task =
        builder_.add_communication(lanes.size() == 1 ? TaskKind::transfer : TaskKind::collective,
                                   TaskCategory::data, {}, pattern, Bytes{bytes});
    for (const LaneId lane : lanes) {
      builder_.add_to_lane(task, lane);
    }
    return depend(task, after);
  }
  TaskId depend(TaskId task, const std::vector<TaskId>& after) {
    for (const TaskId on : after) {
      builder_.add_dependency(task, on);
    }
    return task;
  }

  TaskGraph build() { return builder_.build(); }
  TaskId size() const { return builder_.size(); }

 private:
  TaskGraphBuilder builder_;
  std::int64_t next_rank_ = 0;
  std::int64_t next_link_ = 0;
};

inline double end_of(const std::vector<Seconds>& times, TaskId task) {
  return times.at(static_cast<std::size_t>(task)).value();
}

}  // namespace parsim::engine_cases
