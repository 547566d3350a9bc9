#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/rank_lanes.h"

namespace parsim {

/// What one trace shows: which lanes, and when each task ran on the trace's own clock.
struct TraceContents {
  std::vector<RankLanes> ranks;  ///< those written, by rank
  std::vector<bool> lane_shown;  ///< per lane
  /// Per task, in ns, the finest step Perfetto keeps. Start and end are rounded on one grid, so
  /// neighbours on a lane never overlap.
  std::vector<std::int64_t> start, end;
  std::vector<std::string> segment_names;  ///< of the graph, as JSON strings
  std::vector<std::string> names;          ///< of the graph, as JSON strings
  std::vector<std::int32_t> links;         ///< with a counter, busiest first
  std::vector<std::string> link_names;     ///< of `links`, as JSON strings
  std::int64_t links_process = 0;          ///< pid of the counters
};

/// The Chrome trace events that the trace consists of. Each function appends its events to `out`,
/// each preceded by a comma and a newline, and returns how many.
class TraceEvents {
 public:
  TraceEvents(const TaskGraph& graph, const TraceContents& contents)
      : graph_(graph), contents_(contents) {}

  /// Names and order of all processes and threads.
  std::int64_t append_names(fmt::memory_buffer& out) const;
  /// `task` as it shows on `lane`.
  std::int64_t append_slice(fmt::memory_buffer& out, TaskId task, LaneId lane) const;
  /// Arrows from the transfers that `task` waited for. Both ends must be shown and take time: an
  /// arrow without a slice around its end is dropped by Perfetto.
  std::int64_t append_arrows(fmt::memory_buffer& out, TaskId task) const;
  /// One value of a counter; `link` is an index into TraceContents::links.
  std::int64_t append_counter(fmt::memory_buffer& out, std::size_t link, std::int64_t time,
                              BytesPerSecond rate) const;

 private:
  [[nodiscard]] LaneId first_shown_lane(TaskId task) const;
  [[nodiscard]] bool has_length(TaskId task) const {
    return contents_.start[index_of(task)] < contents_.end[index_of(task)];
  }

  const TaskGraph& graph_;
  const TraceContents& contents_;
};

}  // namespace parsim
