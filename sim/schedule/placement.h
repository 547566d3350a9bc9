#pragma once

#include "sim/schedule/schedule.h"

namespace parsim {

/// Empty schedules: where the stages live, and nothing done yet.

/// Stage s on rank s mod P.
[[nodiscard]] Schedule loop_placement(const ScheduleShape& shape);
/// Stages go down the ranks and come back up, chunk after chunk: 0..P-1, P-1..0, 0..P-1, ... With
/// two chunks this is the V of ZB-V and DualPipeV.
[[nodiscard]] Schedule wave_placement(const ScheduleShape& shape);
/// Two copies of the model with P stages each: copy 0 goes down the ranks, copy 1 up.
[[nodiscard]] Schedule bidirectional_placement(const ScheduleShape& shape);

}  // namespace parsim
