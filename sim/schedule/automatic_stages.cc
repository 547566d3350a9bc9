#include "sim/schedule/automatic_stages.h"

#include <limits>

namespace parsim {

double entry_of(const std::vector<double>& values, std::int32_t index, double otherwise) {
  return values.empty() ? otherwise : values[values.size() == 1 ? 0 : at(index)];
}

PlacedStages::PlacedStages(const ScheduleProblem& problem,
                           const std::vector<std::int32_t>& stage_rank)
    : ranks(problem.ranks),
      chunks(problem.chunks),
      micro_batches(problem.micro_batches),
      rank(stage_rank) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  // Sums of activations may exceed the exact limit by rounding alone.
  constexpr double kRounding = 1.0 + 1e-9;
  for (std::int32_t r = 0; r < ranks; ++r) {
    limit.push_back(entry_of(problem.limit, r, kNoLimit) * kRounding);
    for (std::int32_t s = 0; s < stages(); ++s) {
      if (rank[at(s)] == r) {
        own.push_back(s);
      }
    }
  }
  for (std::int32_t s = 0; s < stages(); ++s) {
    times.push_back(problem.times.of(s));
    activations.push_back(entry_of(problem.activations, s, 0.0));
    kept.push_back(entry_of(problem.kept_for_weights, s, 0.0));
    hop.push_back(s + 1 < stages() && rank[at(s)] != rank[at(s + 1)] ? problem.times.hop : 0.0);
  }
}

}  // namespace parsim
