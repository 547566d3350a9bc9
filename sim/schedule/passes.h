#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

using Actions = std::vector<Action>;

// PyTorch's lowering passes, compute_only -> compute_comms, in the order in which it runs them.
// Each is a pure function; pairs (overlaps_next) move as one piece. Rules: docs/schedules.md.

/// Drops blanks; an I directly followed by the W of the same stage and micro-batch becomes B.
[[nodiscard]] Actions merge_backward(const Actions& actions);
/// Gathers each stage's weights before use and frees those not among the next `most_active`
/// distinct stages. Drops blanks.
[[nodiscard]] Actions add_unshard_reshard(const Actions& actions, std::int32_t most_active = 3);
/// A REDUCE_GRAD after each stage's last of `micro_batches` B or W. Drops blanks.
[[nodiscard]] Actions add_reduce_gradient(const Actions& actions, std::int32_t micro_batches);
/// Sends after the action that makes the data, receives as early as the sender's progress allows.
/// Throws RunError, naming what each rank waits for, when the order cannot finish.
[[nodiscard]] std::vector<Actions> add_transfers(const Schedule& schedule);
/// Moves each receive to just before its consumer; on the lower-numbered rank of a pair of ranks,
/// pending receives from a peer still come before any send to that peer.
[[nodiscard]] std::vector<Actions> defer_receives(const std::vector<Actions>& ranks,
                                                  const std::vector<std::int32_t>& stage_rank);

/// Steps of PyTorch's own check of a lowered schedule: every action takes one step, each step
/// visits the ranks in order and then once more those that were idle. -1: it gets stuck.
[[nodiscard]] std::int64_t lock_steps(const std::vector<Actions>& ranks,
                                      const std::vector<std::int32_t>& stage_rank);

}  // namespace parsim
