#pragma once

#include <vector>

#include "sim/schedule/automatic_stages.h"

namespace parsim {

/// When the n-th F, I or W of a stage can run at the earliest, and how long the step goes on after
/// it at the least. They are counted in the order in which they run, whatever micro-batches those
/// are. Index: stage·M + n.
struct Windows {
  struct Kind {
    std::vector<double> head;  ///< least start
    std::vector<double> tail;  ///< least time from its end to the end of the step
  };
  Kind forward, input, weight;
};

/// What else is known of the least starts of forwards, indexed like Windows; empty: nothing.
[[nodiscard]] Windows windows_of(const PlacedStages& stages,
                                 const std::vector<double>& least_forward);

/// The largest number of whole pieces of one size in `room`, and at most `most`.
[[nodiscard]] std::int32_t whole_pieces(double room, double size, std::int32_t most);

}  // namespace parsim
