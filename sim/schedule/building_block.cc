#include "sim/schedule/building_block.h"

#include <algorithm>
#include <deque>

#include "sim/schedule/placement.h"

namespace parsim {

namespace {

constexpr std::int32_t kPeriod = 6;

struct Cell {
  std::int64_t slot = 0;
  Action action;
};

std::vector<Cell> fixed_cells(const ScheduleShape& shape, std::int32_t rank,
                              const BuildingBlock& block) {
  const std::int32_t down = rank;
  const std::int32_t up = 2 * shape.ranks - 1 - rank;
  std::vector<Cell> cells;
  for (std::int32_t m = 0; m < shape.micro_batches; ++m) {
    const std::int64_t shift = std::int64_t{kPeriod} * m;
    cells.push_back({shift + block.offset[0], {ActionKind::forward, down, m}});
    cells.push_back({shift + block.offset[1], {ActionKind::forward, up, m}});
    cells.push_back({shift + block.offset[2], {ActionKind::input_gradient, up, m}});
    cells.push_back({shift + block.offset[3], {ActionKind::input_gradient, down, m}});
  }
  std::sort(cells.begin(), cells.end(),
            [](const Cell& one, const Cell& other) { return one.slot < other.slot; });
  return cells;
}

}  // namespace

Schedule repeat_blocks(const ScheduleShape& shape,
                       const std::vector<BuildingBlock>& block_of_rank) {
  Schedule schedule = wave_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    auto& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    const auto cells = fixed_cells(shape, rank, block_of_rank[static_cast<std::size_t>(rank)]);
    std::deque<Action> waiting;  // weight gradients, the oldest first
    std::int64_t slot = 0;
    for (const Cell& cell : cells) {
      for (; slot < cell.slot && !waiting.empty(); ++slot) {
        actions.push_back(waiting.front());
        waiting.pop_front();
      }
      actions.push_back(cell.action);
      slot = cell.slot + 1;
      if (cell.action.kind == ActionKind::input_gradient) {
        waiting.push_back(
            {ActionKind::weight_gradient, cell.action.stage, cell.action.micro_batch});
      }
    }
    actions.insert(actions.end(), waiting.begin(), waiting.end());
  }
  return schedule;
}

}  // namespace parsim
