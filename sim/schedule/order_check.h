#pragma once

#include <string>
#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// When a message leaves and who waits for it.
enum class TransferMode : std::uint8_t {
  eager,    ///< receives are posted in advance: it leaves once made, only its consumer waits
  posted,   ///< it leaves once made and once the receiver's program has come to the receive
  batched,  ///< all transfers between two computations start together, and both ranks wait for all
  blocking  ///< one after another; both ranks wait for each
};

struct OrderProblem {
  std::int32_t rank = 0;
  std::int32_t position = -1;  ///< index into the rank's actions; -1: the rank as a whole
  std::string message;
  std::string hint;
};

struct OrderCheckOptions {
  bool forward_only = false;  ///< no backward is missed
  bool parts_only = false;    ///< only what is wrong with single actions: some are known to lack
  std::size_t most = 20;      ///< problems reported
};

/// What is wrong with an order, whoever wrote it: an action that stands on another rank than its
/// stage, twice, before what it needs, or not at all; sends without receives; half a backward.
/// Precondition: stages and micro-batches of the actions are in range.
[[nodiscard]] std::vector<OrderProblem> order_problems(const Schedule& schedule,
                                                       const OrderCheckOptions& options);

[[nodiscard]] bool has_transfers(const Schedule& schedule);
/// The schedule with a receive before each action that needs one and a send after each that makes
/// something to send; itself when it has transfers of its own. A pair's transfers go around the
/// pair.
[[nodiscard]] Schedule with_transfers(const Schedule& schedule);

/// A cycle of actions that wait for each other under `mode`, one line each, the last one for the
/// first; empty: the order finishes. Precondition: order_problems finds nothing.
[[nodiscard]] std::vector<std::string> find_deadlock(const Schedule& schedule, TransferMode mode);

}  // namespace parsim
