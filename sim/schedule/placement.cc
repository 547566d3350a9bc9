#include "sim/schedule/placement.h"

namespace parsim {

namespace {

Schedule empty_schedule(const ScheduleShape& shape) {
  Schedule schedule;
  schedule.ranks.resize(static_cast<std::size_t>(shape.ranks));
  schedule.micro_batches = shape.micro_batches * shape.slices;
  schedule.slices = shape.slices;
  return schedule;
}

}  // namespace

Schedule loop_placement(const ScheduleShape& shape) {
  Schedule schedule = empty_schedule(shape);
  for (std::int32_t stage = 0; stage < shape.ranks * shape.chunks; ++stage) {
    schedule.stage_rank.push_back(stage % shape.ranks);
  }
  return schedule;
}

Schedule wave_placement(const ScheduleShape& shape) {
  Schedule schedule = empty_schedule(shape);
  for (std::int32_t stage = 0; stage < shape.ranks * shape.chunks; ++stage) {
    const std::int32_t place = stage % shape.ranks;
    const bool down = stage / shape.ranks % 2 == 0;
    schedule.stage_rank.push_back(down ? place : shape.ranks - 1 - place);
  }
  return schedule;
}

Schedule bidirectional_placement(const ScheduleShape& shape) {
  Schedule schedule = empty_schedule(shape);
  schedule.copies = 2;
  for (std::int32_t stage = 0; stage < 2 * shape.ranks; ++stage) {
    const std::int32_t place = stage % shape.ranks;
    schedule.stage_rank.push_back(stage < shape.ranks ? place : shape.ranks - 1 - place);
  }
  return schedule;
}

}  // namespace parsim
