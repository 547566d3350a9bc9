#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/plan.h"

namespace parsim {

enum class CommunicatorKind : std::uint8_t {
  tensor,
  data,
  embedding,  ///< the first and the last stage's copy of a tied embedding
  send_forward,
  send_backward,
  replica,  ///< the two ranks of a bidirectional pipeline that hold the same two stages
  norm      ///< all ranks of a pipeline
};
inline constexpr int kCommunicatorKinds = 7;

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

[[nodiscard]] Communicators make_communicators(const Plan& plan, const Workload& workload,
                                               const Training& options);

}  // namespace parsim
