#include "sim/schedule/building_block.h"

namespace parsim {

/// Controllable memory (Qi et al. 2024), V-Min: about a third of 1F1B's activations,
/// 2·floor((P+4)/3) chunks in flight, for about two thirds of its bubble.
Schedule v_min_schedule(const ScheduleShape& shape) {
  const std::int32_t p = shape.ranks;
  const std::int32_t third = p % 3 == 0 ? 2 : 0;
  std::vector<BuildingBlock> blocks;
  for (std::int32_t r = 0; r < p; ++r) {
    blocks.push_back({{r, 2 * p - 1 - r, 2 * p + third + r, 4 * p + third - 1 - r}});
  }
  return repeat_blocks(shape, blocks);
}

}  // namespace parsim
