#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parsim {

/// What a cell of a schedule does. The letters are PyTorch's (torch.distributed.pipelining).
enum class ActionKind : std::uint8_t {
  forward,           ///< F
  backward,          ///< B: gradients of inputs and of weights
  input_gradient,    ///< I: the part of the backward that the previous stage waits for
  weight_gradient,   ///< W: the rest, after the same micro-batch's I
  send_forward,      ///< SEND_F: the stage named sends its activation
  receive_forward,   ///< RECV_F: the stage named receives one
  send_backward,     ///< SEND_B: the stage named sends the gradient of its input
  receive_backward,  ///< RECV_B: the stage named receives the gradient of its output
  unshard,           ///< UNSHARD: gathers the stage's sharded weights
  reshard,           ///< RESHARD: frees them
  reduce_gradient,   ///< REDUCE_GRAD: one gradient reduction of the stage
  idle               ///< a blank cell: a time slot in which nothing is done
};

/// One cell: `stage` does `kind` for `micro_batch`, both counted from 0.
struct Action {
  ActionKind kind = ActionKind::forward;
  std::int32_t stage = 0;
  std::int32_t micro_batch = 0;  ///< kNoMicroBatch for unshard, reshard, reduce_gradient, idle
  /// Runs together with the next action of its rank: (0F7;7B3)OVERLAP_F_B is 0F7, which overlaps
  /// the next, then 7B3.
  bool overlaps_next = false;
  bool operator==(const Action&) const = default;
};
inline constexpr std::int32_t kNoMicroBatch = -1;

/// F, B, I or W.
[[nodiscard]] constexpr bool is_compute(ActionKind kind) {
  return kind <= ActionKind::weight_gradient;
}
/// B, I or W.
[[nodiscard]] constexpr bool is_backward(ActionKind kind) {
  return kind > ActionKind::forward && kind <= ActionKind::weight_gradient;
}
/// SEND or RECV, of either direction.
[[nodiscard]] constexpr bool is_transfer(ActionKind kind) {
  return kind >= ActionKind::send_forward && kind <= ActionKind::receive_backward;
}
[[nodiscard]] constexpr bool is_send(ActionKind kind) {
  return kind == ActionKind::send_forward || kind == ActionKind::send_backward;
}
[[nodiscard]] constexpr bool has_micro_batch(ActionKind kind) {
  return is_compute(kind) || is_transfer(kind);
}

/// "F", "SEND_B", ...; "" for idle.
[[nodiscard]] std::string_view letters_of(ActionKind kind);
/// "2F5", "1UNSHARD"; "" for idle. A pair's parts are written one by one.
[[nodiscard]] std::string to_text(const Action& action);
/// Reads one action, both ends anchored: "2F5", "0SEND_B3", "1RESHARD". Nothing for anything else:
/// junk behind it, a missing or needless micro-batch, a number beyond 2^31, BW of the old dialect.
[[nodiscard]] std::optional<Action> parse_action(std::string_view text);

}  // namespace parsim
