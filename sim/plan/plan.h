#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/scenario/scenario.h"
#include "sim/schedule/schedule.h"
#include "sim/workload/workload.h"

namespace parsim {

/// Named axes mapped to ranks: rank = Σ coordinate(axis) · stride(axis); the first axis of `order`
/// has stride 1.
struct Mesh {
  std::vector<Axis> order;
  std::array<std::int64_t, 3> size{1, 1, 1};    ///< indexed by Axis
  std::array<std::int64_t, 3> stride{1, 1, 1};  ///< indexed by Axis

  [[nodiscard]] std::int64_t ranks() const { return size[0] * size[1] * size[2]; }
  [[nodiscard]] std::int64_t coordinate(std::int64_t rank, Axis axis) const {
    const auto a = static_cast<std::size_t>(axis);
    return rank / stride[a] % size[a];
  }
  /// The rank at the same place but with `coordinate` along `axis`.
  [[nodiscard]] std::int64_t with_coordinate(std::int64_t rank, Axis axis,
                                             std::int64_t coordinate_value) const {
    const auto a = static_cast<std::size_t>(axis);
    return rank + (coordinate_value - coordinate(rank, axis)) * stride[a];
  }
  /// All ranks that differ from `rank` only along `axis`, by coordinate.
  [[nodiscard]] std::vector<std::int64_t> group_of(std::int64_t rank, Axis axis) const;
};

[[nodiscard]] Mesh make_mesh(const Parallel& parallel);

/// A pipeline stage (model chunk): a contiguous run of blocks on one pipeline rank. With two copies
/// of the model, stage c·S + s holds the blocks of stage s.
struct Stage {
  std::int32_t pipeline_rank = 0;
  std::int64_t first_block = 0;  ///< index into Workload::blocks
  std::int64_t block_count = 0;
  std::int64_t parameters = 0;  ///< on one rank of the tensor group
};

/// Who does what: everything the lowering needs besides costs and the network.
struct Plan {
  Mesh mesh;
  std::int64_t micro_batches = 1;
  std::vector<Stage> stages;  ///< in stage order; pipeline × chunks × copies of them
  Schedule schedule;
};

/// Precondition: check_scenario found nothing. Throws RunError, with the cycle, when the schedule
/// cannot finish the way its transfers wait for each other.
[[nodiscard]] Plan make_plan(const Scenario& scenario, const Workload& workload);

}  // namespace parsim
