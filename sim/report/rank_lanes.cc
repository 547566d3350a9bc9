#include "sim/report/rank_lanes.h"

#include <algorithm>
#include <map>

#include "sim/base/check.h"

namespace parsim {

std::vector<RankLanes> lanes_by_rank(const TaskGraph& graph) {
  std::map<std::int64_t, RankLanes> by_rank;
  for (LaneId lane = 0; lane < static_cast<LaneId>(graph.lanes.size()); ++lane) {
    const Lane& described = graph.lanes[index_of(lane)];
    RankLanes& entry = by_rank[described.rank];
    entry.rank = described.rank;
    entry.multiplicity = described.multiplicity;
    entry.pipeline_rank = described.pipeline_rank;
    entry.lanes.push_back(lane);
    if (described.kind == LaneKind::compute) {
      entry.compute = lane;
    }
  }
  std::vector<RankLanes> ranks;
  for (auto& [rank, entry] : by_rank) {
    std::stable_sort(entry.lanes.begin(), entry.lanes.end(), [&graph](LaneId a, LaneId b) {
      return graph.lanes[index_of(a)].kind < graph.lanes[index_of(b)].kind;
    });
    ranks.push_back(std::move(entry));
  }
  return ranks;
}

std::vector<RankLanes> pipeline_representatives(const std::vector<RankLanes>& ranks) {
  std::map<std::int32_t, const RankLanes*> first;
  for (const RankLanes& rank : ranks) {
    first.emplace(rank.pipeline_rank, &rank);  // ranks come in order: the lowest stays
  }
  std::vector<RankLanes> representatives;
  for (const auto& [pipeline_rank, rank] : first) {
    representatives.push_back(*rank);
  }
  return representatives;
}

const RankLanes& last_to_finish(const TaskGraph& graph, const Timeline& timeline,
                                const std::vector<RankLanes>& ranks) {
  SIM_CHECK(!ranks.empty(), "a graph with at least one rank");
  const RankLanes* last = nullptr;
  Seconds latest{0.0};
  for (const RankLanes& rank : ranks) {
    Seconds end{0.0};
    for (const LaneId lane : rank.lanes) {
      if (const auto tasks = graph.tasks_on(lane); !tasks.empty()) {
        end = max(end, timeline.end[index_of(tasks.back())]);
      }
    }
    if (last == nullptr || latest < end) {
      last = &rank;
      latest = end;
    }
  }
  return *last;
}

}  // namespace parsim
