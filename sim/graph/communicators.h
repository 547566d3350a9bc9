#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/plan.h"

namespace parsim {

enum class CommunicatorKind : std::uint8_t { tensor, data, embedding, send_forward, send_backward };
inline constexpr int kCommunicatorKinds = 5;

/// Ranks that communicate together. For send_*: {sender, receiver}.
struct Communicator {
  CommunicatorKind kind = CommunicatorKind::tensor;
  std::vector<std::int64_t> ranks;
};

/// All communicators of a plan. A pipeline rank sends forward to one successor at most, except that
/// V-shaped and bidirectional placements (later) may have several: `of_rank` lists them all.
struct Communicators {
  std::vector<Communicator> all;
  std::vector<std::vector<std::int32_t>>
      of_rank;  ///< per rank: indexes of communicators it is a member of
};

[[nodiscard]] Communicators make_communicators(const Plan& plan, const Workload& workload);

}  // namespace parsim
