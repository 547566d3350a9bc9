#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/rank_lanes.h"

namespace parsim {

enum class BarKind : std::uint8_t { forward, backward, weight_gradient, optimizer };
inline constexpr std::size_t kBarKinds = 4;

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

/// The label of a bar: "3", "b3", "w3", "o".
[[nodiscard]] std::string bar_text(const Bar& bar);

/// One row of `count` columns of `column` each. A column shows what most of its time goes to: -
/// forward, = backward, w weight gradient, x forward and backward, o optimizer, . idle; bars with
/// room for it show their label instead.
[[nodiscard]] std::string sampled_row(const std::vector<Bar>& bars, Seconds column,
                                      std::size_t count);

/// Bars of one kind that follow each other within `resolution` joined into one without a
/// micro-batch, where one of them is shorter than that. For pictures whose smallest visible time is
/// `resolution`.
[[nodiscard]] std::vector<Bar> joined(const std::vector<Bar>& bars, Seconds resolution);

/// The longest slot of which every start and end of `rows` is a multiple, if the makespan then has
/// at most `most` slots; 0 s if there is none. To 1e-6 of a slot.
[[nodiscard]] Seconds common_slot(const std::vector<std::vector<Bar>>& rows, Seconds makespan,
                                  std::int64_t most);

}  // namespace parsim
