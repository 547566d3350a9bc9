#include "sim/schedule/building_block.h"

namespace parsim {

/// Controllable memory (Qi et al. 2024), V-Half: about half of 1F1B's activations,
/// 2·floor((P+2)/2) chunks in flight.
Schedule v_half_schedule(const ScheduleShape& shape) {
  const std::int32_t p = shape.ranks;
  const std::int32_t even = p % 2 == 0 ? 3 : 0;
  std::vector<BuildingBlock> blocks;
  for (std::int32_t r = 0; r < p; ++r) {
    blocks.push_back({{2 * r, 3 * p - 2 - r, 3 * p + even + 2 * r - 1, 6 * p + even - 2 - r}});
  }
  return repeat_blocks(shape, blocks);
}

}  // namespace parsim
