#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/schedule/schedule.h"

namespace parsim {

/// The schedule that explicit orders write out. A stage lives on the rank where most of its actions
/// stand, of equals on rank s mod P; -1: nowhere. Blank cells are left out, and so is what cannot
/// be read or is out of range (check_scenario reports it).
[[nodiscard]] Schedule schedule_of_orders(const ScheduleSpec& spec, std::int32_t stages,
                                          std::int32_t micro_batches);

/// Per rank and action of that schedule, the index of the cell it stands in.
[[nodiscard]] std::vector<std::vector<std::int32_t>> cells_of_orders(const ScheduleSpec& spec,
                                                                     std::int32_t stages,
                                                                     std::int32_t micro_batches);

/// True when the schedule runs I and W apart, by its rule or in its explicit orders.
[[nodiscard]] bool splits_backward(const ScheduleSpec& spec);

}  // namespace parsim
