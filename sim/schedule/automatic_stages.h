#pragma once

#include <vector>

#include "sim/schedule/automatic.h"

namespace parsim {

/// A problem laid out on one placement, flat: what search and bound read in their inner loops.
struct PlacedStages {
  std::int32_t ranks = 1, chunks = 1, micro_batches = 1;
  std::vector<std::int32_t> rank;         ///< stage -> rank
  std::vector<std::int32_t> own;          ///< rank·chunks + chunk -> stage, ascending on each rank
  std::vector<StageTimes> times;          ///< per stage
  std::vector<double> hop;                ///< stage -> message between it and the next stage
  std::vector<double> activations, kept;  ///< per stage
  std::vector<double> limit;              ///< per rank, with room for rounding

  PlacedStages(const ScheduleProblem& problem, const std::vector<std::int32_t>& stage_rank);
  [[nodiscard]] std::int32_t stages() const { return ranks * chunks; }
};

/// Indices are never negative here.
[[nodiscard]] constexpr std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// The entry for `index`; a list of one stands for all, an empty one for `otherwise`.
[[nodiscard]] double entry_of(const std::vector<double>& values, std::int32_t index,
                              double otherwise);

}  // namespace parsim
