#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sim/graph/lower.h"

namespace parsim {

/// Folded patterns by communicator class and collective kind, made on first use. kNone: free
/// communication.
class PatternTable {
 public:
  PatternTable(const LowerInput& input, TaskGraphBuilder& builder)
      : input_(input), builder_(builder) {}

  [[nodiscard]] PatternId collective(std::int32_t communicator_class, CollectiveKind kind) {
    return find(communicator_class, static_cast<int>(kind));
  }
  [[nodiscard]] PatternId transfer(std::int32_t communicator_class) {
    return find(communicator_class, kTransfer);
  }

 private:
  static constexpr int kTransfer = -1;
  PatternId find(std::int32_t communicator_class, int kind);

  const LowerInput& input_;
  TaskGraphBuilder& builder_;
  std::map<std::pair<std::int32_t, int>, PatternId> known_;
};

}  // namespace parsim
