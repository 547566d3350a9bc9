#include "sim/schedule/schedule.h"

namespace parsim {

/// Qi et al. 2023, ZB-H1: the interleaved zero-bubble order with one stage a rank.
Schedule zb_h1_schedule(const ScheduleShape& shape) {
  return interleaved_zb_schedule(shape);
}

}  // namespace parsim
