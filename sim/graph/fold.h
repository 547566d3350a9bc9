#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/communicators.h"
#include "sim/graph/task_graph.h"
#include "sim/network/network.h"
#include "sim/plan/plan.h"

namespace parsim {

/// Ranks, communicators and links grouped into classes that are provably alike; one of each class
/// is simulated.
struct Folding {
  std::vector<std::int32_t> rank_class;      ///< per rank
  std::vector<std::int64_t> representative;  ///< per rank class: its lowest rank
  std::vector<std::int64_t> multiplicity;    ///< per rank class

  std::vector<std::int32_t> communicator_class;           ///< per communicator
  std::vector<std::int32_t> communicator_representative;  ///< per communicator class
  std::vector<std::int64_t> communicator_multiplicity;    ///< per communicator class

  std::vector<std::int32_t> link_class;  ///< per link; kNone for links no communicator crosses
  std::vector<GraphLink> links;          ///< per link class
};

/// Finds the classes. With `unfold` every rank is its own class.
[[nodiscard]] Folding fold(const Plan& plan, const Communicators& communicators,
                           const Network& network, bool unfold);

/// The pattern of `communicator_class` on the folded links: own multiplicities and loads.
[[nodiscard]] GraphPattern fold_pattern(const Folding& folding, std::int32_t communicator_class,
                                        const CollectivePattern& pattern);

}  // namespace parsim
