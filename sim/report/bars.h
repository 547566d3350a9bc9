#pragma once

#include <cstdint>
#include <vector>

#include "sim/report/rank_lanes.h"

namespace parsim {

enum class BarKind : std::uint8_t { forward, backward, optimizer };

/// One action on a compute lane: its tasks from the first start to the last end, with the
/// communication between them.
struct Bar {
  BarKind kind = BarKind::forward;
  std::int32_t micro_batch = kNone;
  Seconds start{0.0};
  Seconds end{0.0};
};

/// The actions of a compute lane in order; those without length are left out.
[[nodiscard]] std::vector<Bar> bars_of(const TaskGraph& graph, const Timeline& timeline,
                                       const RankLanes& rank);

/// The longest slot of which every start and end of `rows` is a multiple, if the makespan then has
/// at most `most` slots; 0 s if there is none. To 1e-6 of a slot.
[[nodiscard]] Seconds common_slot(const std::vector<std::vector<Bar>>& rows, Seconds makespan,
                                  std::int64_t most);

}  // namespace parsim
