#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/schedule/schedule.h"

namespace parsim {

enum class Placement : std::uint8_t { loop, wave, bidirectional };

/// What is fixed about a schedule before its shape is known.
struct ScheduleRule {
  ScheduleName name;
  std::string_view spelling;  ///< "zb-h1"
  Placement placement;
  std::int32_t least_chunks;
  std::int32_t most_chunks;  ///< 0: any
  bool splits_backward;      ///< runs I and W apart
  std::string_view summary;  ///< one line, for lists
};

/// All schedules in the order of docs/schedules.md; `explicit` and `auto` last.
[[nodiscard]] std::span<const ScheduleRule> schedule_rules();
[[nodiscard]] const ScheduleRule& rule_of(ScheduleName name);

/// Which part of a shape breaks a rule.
enum class ShapePart : std::uint8_t { ranks, chunks, micro_batches, group, slices };
struct ShapeProblem {
  ShapePart part;
  std::string message;
  std::string hint;
};
/// Why this schedule cannot have this shape; nothing when it can. Sizes are positive.
[[nodiscard]] std::optional<ShapeProblem> shape_problem(ScheduleName name,
                                                        const ScheduleShape& shape);

/// The generated schedule. Preconditions: shape_problem finds nothing, and the name is neither
/// `automatic` nor `explicit_order`.
[[nodiscard]] Schedule generate(ScheduleName name, const ScheduleShape& shape);

/// PyTorch's micro-batches per round: M in max(1, M div P) rounds. Precondition: that divides M.
[[nodiscard]] std::int32_t pytorch_group(const ScheduleShape& shape);
/// Why PyTorch refuses M micro-batches on P ranks; nothing when it does not.
[[nodiscard]] std::optional<ShapeProblem> pytorch_rounds_problem(const ScheduleShape& shape);

}  // namespace parsim
