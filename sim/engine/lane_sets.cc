#include "sim/engine/lane_sets.h"

#include <algorithm>
#include <iterator>

namespace parsim {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

std::int32_t LaneSets::intern(const std::vector<LaneId>& lanes) {
  const auto [entry, added] = known_.emplace(lanes, static_cast<std::int32_t>(sets_.size()));
  if (added) {
    sets_.push_back(lanes);
  }
  return entry->second;
}

std::int32_t LaneSets::intersection(std::int32_t a, std::int32_t b) {
  if (a == b) {
    return a;
  }
  const auto [entry, added] = intersections_.emplace(std::minmax(a, b), kNone);
  if (added) {
    std::vector<LaneId> both;
    std::set_intersection(sets_[at(a)].begin(), sets_[at(a)].end(), sets_[at(b)].begin(),
                          sets_[at(b)].end(), std::back_inserter(both));
    entry->second = intern(both);
  }
  return entry->second;
}

std::vector<std::int32_t> common_lanes(const TaskGraph& graph, LaneSets& sets) {
  std::vector<std::vector<LaneId>> common(graph.patterns.size());
  std::vector<bool> used(graph.patterns.size(), false);
  std::vector<LaneId> lanes;
  for (TaskId task = 0; task < graph.size(); ++task) {
    const PatternId pattern = graph.pattern[at(task)];
    if (pattern == kNone) {
      continue;
    }
    const auto on = graph.lanes_of(task);
    lanes.assign(on.begin(), on.end());
    std::sort(lanes.begin(), lanes.end());
    std::vector<LaneId>& so_far = common[at(pattern)];
    if (!used[at(pattern)]) {
      used[at(pattern)] = true;
      so_far = lanes;
    } else if (so_far != lanes) {
      std::vector<LaneId> both;
      std::set_intersection(so_far.begin(), so_far.end(), lanes.begin(), lanes.end(),
                            std::back_inserter(both));
      so_far = std::move(both);
    }
  }
  std::vector<std::int32_t> result(graph.patterns.size(), kNone);
  for (std::size_t pattern = 0; pattern < result.size(); ++pattern) {
    if (used[pattern]) {
      result[pattern] = sets.intern(common[pattern]);
    }
  }
  return result;
}

}  // namespace parsim
