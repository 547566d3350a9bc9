#pragma once

#include <cstdint>

#include "sim/graph/task_graph.h"

namespace parsim {

/// An unfolded 1F1B pipeline, every rank on a node of its own: forward and backward compute tasks,
/// and transfers between neighbours over one NIC port per rank and direction. `jitter` varies
/// compute times by up to that fraction (seeded), so that replicas do not move in step.
[[nodiscard]] TaskGraph bench_pipeline(std::int32_t stages, std::int32_t replicas,
                                       std::int32_t micro_batches, double jitter);

}  // namespace parsim
