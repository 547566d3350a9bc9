#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/task_graph.h"

namespace parsim {

/// A constraint of the shared network: Σ weight · rate over the flows that cross it <= bandwidth.
struct FluidLink {
  BytesPerSecond bandwidth{0.0};
};

/// One rate; it counts `weight` times on a link.
struct FluidShare {
  std::int32_t link = 0;
  std::int32_t weight = 1;
};
struct FluidFlow {
  std::vector<FluidShare> shares;
};

struct FluidUse {
  std::int32_t flow = 0;
  double volume_fraction = 1.0;  ///< bytes of the flow = volume_fraction · S
};

/// What a task of this pattern does after its latency: all `uses` run together, and beside them
/// `seconds_per_byte` · S passes for the flows that can share with nobody.
struct FluidPattern {
  std::vector<FluidUse> uses;
  double seconds_per_byte = 0.0;
};

/// The part of the network that needs a simulator: what tasks could ever share.
struct FluidNetwork {
  std::vector<FluidLink> links;
  std::vector<FluidFlow> flows;
  std::vector<FluidPattern> patterns;  ///< indexed by PatternId
};

/// Reduces the graph's patterns to what sharing can change, without changing any rate:
///  1. A link whose tasks all sit on one common lane serves one task at a time (lanes run in
///  order).
///     A flow with only such links, none of them crossed by a second flow of its pattern, is never
///     shared: it takes volume · max(load/bandwidth).
///  2. Inside a shared flow such a link binds only when it is the tightest: else it is left out.
///  3. Of links that carry the same flows with the same weights only the tightest binds.
///  4. Weights and bandwidth of a link are divided by the weights' greatest common divisor.
/// Linear in tasks, lanes of tasks and links of patterns.
[[nodiscard]] FluidNetwork reduce_to_fluid(const TaskGraph& graph);

}  // namespace parsim
