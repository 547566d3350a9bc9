#pragma once

#include "sim/schedule/schedule.h"

namespace parsim {

/// An empty schedule with the loop placement: stage s on rank s mod P.
[[nodiscard]] inline Schedule loop_placement(const ScheduleShape& shape) {
  Schedule schedule;
  schedule.ranks.resize(static_cast<std::size_t>(shape.ranks));
  for (std::int32_t stage = 0; stage < shape.ranks * shape.chunks; ++stage) {
    schedule.stage_rank.push_back(stage % shape.ranks);
  }
  return schedule;
}

}  // namespace parsim
