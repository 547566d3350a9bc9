#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace parsim {

enum class ActionKind { forward, backward };

/// One cell of a schedule: stage `stage` works on micro-batch `micro_batch` (both 0-based). Text:
/// "2F5", "0B3".
struct Action {
  ActionKind kind = ActionKind::forward;
  std::int32_t stage = 0;
  std::int32_t micro_batch = 0;
  bool operator==(const Action&) const = default;
};

/// Per pipeline rank, the actions in program order. Stage s runs on pipeline rank `stage_rank[s]`.
struct Schedule {
  std::vector<std::vector<Action>> ranks;
  std::vector<std::int32_t> stage_rank;
};

struct ScheduleShape {
  std::int32_t ranks = 1;          ///< P
  std::int32_t chunks = 1;         ///< v, stages per rank
  std::int32_t micro_batches = 1;  ///< M
  std::int32_t group = 0;          ///< interleaved: micro-batches per round; 0: P (clamped to M)
};

// One file a schedule; each returns forward and backward actions. Rules: docs/schedules.md.
[[nodiscard]] Schedule naive_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule gpipe_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule one_f_one_b_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule interleaved_1f1b_schedule(const ScheduleShape& shape);
/// Parses the user's own order; check_scenario has validated the texts.
[[nodiscard]] Schedule explicit_schedule(const ScheduleShape& shape,
                                         const std::vector<std::vector<std::string>>& orders);

/// The schedule a scenario names, with backward actions dropped when `spec.forward_only`.
[[nodiscard]] Schedule make_schedule(const ScheduleSpec& spec, const ScheduleShape& shape);

/// "2F5" → Action; nullopt-like failure: returns false and leaves `action` alone.
[[nodiscard]] bool parse_action(const std::string& text, Action& action);
[[nodiscard]] std::string to_text(const Action& action);

}  // namespace parsim
