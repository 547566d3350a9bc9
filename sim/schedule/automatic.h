#pragma once

#include <string>
#include <vector>

#include "sim/schedule/replay.h"
#include "sim/schedule/schedule.h"

namespace parsim {

/// What an automatic schedule is made from. Stages count from 0 to ranks·chunks - 1 in model order.
struct ScheduleProblem {
  std::int32_t ranks = 1;
  std::int32_t chunks = 1;
  std::int32_t micro_batches = 1;
  ReplayTimes times;  ///< measured: forward, input-gradient, weight-gradient per stage, and the hop
  /// Activations one unit keeps on a stage from its F on; part of them (`kept_for_weights`) until
  /// its W, the rest until its I. Any unit of memory; one entry stands for all stages.
  std::vector<double> activations = {1.0};
  std::vector<double> kept_for_weights = {1.0};
  /// The most activations a rank may hold; one entry stands for all ranks; infinity: no limit.
  std::vector<double> limit;
};

struct AutomaticSchedule {
  Schedule schedule;
  double makespan = 0.0;     ///< of its replay
  double lower_bound = 0.0;  ///< no order that fits the limit is faster
  std::string origin;        ///< "search", or the spelling of the generated schedule that it is
};

/// The most activations each rank holds when it runs this order; the order alone decides.
[[nodiscard]] std::vector<double> peak_activations(const Schedule& schedule,
                                                   const ScheduleProblem& problem);

/// An order that fits the limit and is never slower than any generated schedule of one copy and
/// `chunks` chunks that fits it. Deterministic. Throws InputError when not even one micro-batch
/// fits.
[[nodiscard]] AutomaticSchedule automatic_schedule(const ScheduleProblem& problem);

}  // namespace parsim
