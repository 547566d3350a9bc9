#include "sim/graph/pattern_table.h"

namespace parsim {

PatternId PatternTable::find(std::int32_t communicator_class, int kind) {
  if (input_.scenario.costs.free_communication) {
    return kNone;
  }
  const auto [entry, is_new] = known_.try_emplace({communicator_class, kind}, kNone);
  if (is_new) {
    const std::int32_t representative =
        input_.folding.communicator_representative.at(static_cast<std::size_t>(communicator_class));
    const auto& ranks = input_.communicators.all.at(static_cast<std::size_t>(representative)).ranks;
    const CollectivePattern pattern =
        kind == kTransfer
            ? transfer_pattern(input_.network, ranks[0], ranks[1])
            : collective_pattern(input_.network, static_cast<CollectiveKind>(kind), ranks);
    entry->second = builder_.add_pattern(fold_pattern(input_.folding, communicator_class, pattern));
  }
  return entry->second;
}

}  // namespace parsim
