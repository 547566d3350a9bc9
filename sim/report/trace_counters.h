#pragma once

#include <cstdint>
#include <vector>

#include "sim/report/rank_lanes.h"

namespace parsim {

/// From `time` (ns) on, `rate` crosses the link.
struct RateStep {
  std::int64_t time = 0;
  BytesPerSecond rate{0.0};
};

/// The links that the shown tasks use most for their bandwidth, busiest first, at most `most`.
[[nodiscard]] std::vector<std::int32_t> busiest_links(const TaskGraph& graph,
                                                      const std::vector<bool>& task_shown,
                                                      std::size_t most);

/// For each of `links` its rate over time: the sum, over the shown tasks that run, of the task's
/// mean rate (volume over the time after its latency). Steps by time, each another rate than the
/// one before.
[[nodiscard]] std::vector<std::vector<RateStep>> link_rates(const TaskGraph& graph,
                                                            const Timeline& timeline,
                                                            const std::vector<bool>& task_shown,
                                                            const std::vector<std::int32_t>& links);

}  // namespace parsim
