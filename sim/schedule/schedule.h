#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/schedule/action.h"

namespace parsim {

/// Per pipeline rank, the actions in program order, and where each stage lives.
///
/// A bidirectional schedule holds `copies` of the model: stage c·S + s is stage s of copy c, where
/// S is the number of stages of one copy, and each micro-batch goes through one copy. A
/// sequence-sliced schedule cuts every micro-batch into `slices`: its actions count units, unit
/// m·slices + k being slice k of micro-batch m.
struct Schedule {
  std::vector<std::vector<Action>> ranks;
  std::vector<std::int32_t> stage_rank;  ///< stage -> pipeline rank
  std::int32_t micro_batches = 0;        ///< units: micro-batches x slices
  std::int32_t copies = 1;
  std::int32_t slices = 1;

  [[nodiscard]] std::int32_t stages() const { return static_cast<std::int32_t>(stage_rank.size()); }
  /// S, the stages that one micro-batch goes through.
  [[nodiscard]] std::int32_t depth() const { return stages() / copies; }
  [[nodiscard]] bool is_first(std::int32_t stage) const { return stage % depth() == 0; }
  [[nodiscard]] bool is_last(std::int32_t stage) const { return stage % depth() == depth() - 1; }
  [[nodiscard]] std::int32_t rank_of(std::int32_t stage) const {
    return stage_rank[static_cast<std::size_t>(stage)];
  }
};

struct ScheduleShape {
  std::int32_t ranks = 1;          ///< P
  std::int32_t chunks = 1;         ///< v, stages per rank (of one copy of the model)
  std::int32_t micro_batches = 1;  ///< M
  std::int32_t group = 0;          ///< interleaved: micro-batches per round; 0: the schedule's own
  std::int32_t slices = 1;         ///< seq1f1b: parts of a micro-batch's sequence
};

enum class ScheduleName : std::uint8_t {
  naive,
  gpipe,
  one_f_one_b,
  interleaved_1f1b,
  looped_bfs,
  zb_h1,
  zb_h2,
  interleaved_zb,
  zb_v,
  v_half,
  v_min,
  dualpipe,
  dualpipev,
  chimera,
  hanayo,
  seq1f1b,
  automatic,      ///< made by automatic.h from times and a memory limit
  explicit_order  ///< the user's own
};

// One file a schedule; each returns compute actions only. Rules and sources: docs/schedules.md.
// Precondition: shape_problem (rules.h) finds nothing.
[[nodiscard]] Schedule naive_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule gpipe_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule one_f_one_b_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule interleaved_1f1b_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule looped_bfs_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule zb_h1_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule zb_h2_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule interleaved_zb_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule zb_v_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule v_half_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule v_min_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule dualpipe_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule dualpipev_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule chimera_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule hanayo_schedule(const ScheduleShape& shape);
[[nodiscard]] Schedule seq1f1b_schedule(const ScheduleShape& shape);

}  // namespace parsim
