#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/graph/task_graph.h"

namespace parsim {

/// Sets of lanes, each stored once and named by a number, so that the many links of a collective
/// that intersect the same two sets do so once.
class LaneSets {
 public:
  /// `lanes` in ascending order.
  std::int32_t intern(const std::vector<LaneId>& lanes);
  std::int32_t intersection(std::int32_t a, std::int32_t b);
  [[nodiscard]] bool empty(std::int32_t set) const {
    return sets_[static_cast<std::size_t>(set)].empty();
  }

 private:
  std::vector<std::vector<LaneId>> sets_;
  std::map<std::vector<LaneId>, std::int32_t> known_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> intersections_;
};

/// Per pattern: the set of lanes that every one of its tasks sits on; kNone when no task uses it.
[[nodiscard]] std::vector<std::int32_t> common_lanes(const TaskGraph& graph, LaneSets& sets);

}  // namespace parsim
