#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/graph/task_graph.h"

namespace parsim {

/// The lanes of one simulated rank.
struct RankLanes {
  std::int64_t rank = 0;
  std::int64_t multiplicity = 1;
  std::int32_t pipeline_rank = 0;
  LaneId compute = kNone;
  std::vector<LaneId> lanes;  ///< all of them, the compute lane included, by kind
};

/// Every simulated rank, by rank.
[[nodiscard]] std::vector<RankLanes> lanes_by_rank(const TaskGraph& graph);

/// Of each pipeline rank its lowest simulated rank, by pipeline rank.
[[nodiscard]] std::vector<RankLanes> pipeline_representatives(const std::vector<RankLanes>& ranks);

/// The rank on whose lanes the last task ends; of several the lowest. Precondition: `ranks` is not
/// empty.
[[nodiscard]] const RankLanes& last_to_finish(const TaskGraph& graph, const Timeline& timeline,
                                              const std::vector<RankLanes>& ranks);

/// Index of a task in the arrays of graph and timeline.
[[nodiscard]] constexpr std::size_t index_of(std::int32_t id) {
  return static_cast<std::size_t>(id);
}

/// Recomputation is the first part of a backward: reports count it as one action.
[[nodiscard]] constexpr TaskPhase action_phase(TaskPhase phase) {
  return phase == TaskPhase::recompute ? TaskPhase::backward : phase;
}

}  // namespace parsim
