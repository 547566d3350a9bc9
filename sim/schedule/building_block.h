#pragma once

#include <array>
#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// When a rank runs F of its chunk on the way down, F of the one on the way up, and the I of the
/// latter and of the former, in slots of one f = i = w; micro-batch m is 6·m slots later.
struct BuildingBlock {
  std::array<std::int32_t, 4> offset{};  ///< no two equal mod 6
};

/// Controllable memory (Qi et al. 2024): one block a rank, repeated every six slots; W takes the
/// first slot after its I that nothing else needs. Blocks are read off in slot order.
[[nodiscard]] Schedule repeat_blocks(const ScheduleShape& shape,
                                     const std::vector<BuildingBlock>& block_of_rank);

}  // namespace parsim
