#pragma once

#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// One of the two directions that meet on a rank.
struct Direction {
  std::int32_t stage = 0;
  std::int32_t first_micro_batch = 0;
};

/// Where a rank stands: `from_end` ranks from the end where direction `near` enters, of `half`
/// ranks to the place where the directions meet (or turn).
struct DualPlace {
  std::int32_t half = 1;
  std::int32_t from_end = 0;
  Direction near;
  Direction far;
};

/// DeepSeek's eight steps (DeepSeek-V3 2024, section 3.2.1; github.com/deepseek-ai/DualPipe), which
/// DualPipe and DualPipeV share: forwards of the two directions are paired with backwards of the
/// other and overlap. `micro_batches`: of one direction, at least 2·half.
[[nodiscard]] std::vector<Action> dual_order(const DualPlace& place, std::int32_t micro_batches);

}  // namespace parsim
