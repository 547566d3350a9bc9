#include "sim/schedule/dual_order.h"

#include <array>
#include <deque>

namespace parsim {

namespace {

enum Side : std::size_t { kNear, kFar };

/// Appends the next micro-batch of one side, forward or backward.
class DualWriter {
 public:
  explicit DualWriter(const DualPlace& place) : sides_{place.near, place.far} {}

  void forward(Side side) { add(ActionKind::forward, side, forwards_[side]++); }
  void backward(Side side) { add(ActionKind::backward, side, backwards_[side]++); }
  /// Input gradient now; its weight gradient joins the queue.
  void input(Side side) {
    const std::int32_t next = backwards_[side]++;
    add(ActionKind::input_gradient, side, next);
    Action later = actions_.back();
    later.kind = ActionKind::weight_gradient;
    queue_.push_back(later);
  }
  void weight() {
    actions_.push_back(queue_.front());
    queue_.pop_front();
  }
  void pair(Side forward_side, Side backward_side) {
    forward(forward_side);
    actions_.back().overlaps_next = true;
    backward(backward_side);
  }
  [[nodiscard]] std::vector<Action> take() { return std::move(actions_); }

 private:
  void add(ActionKind kind, Side side, std::int32_t next) {
    actions_.push_back({kind, sides_[side].stage, sides_[side].first_micro_batch + next});
  }
  std::array<Direction, 2> sides_;
  std::array<std::int32_t, 2> forwards_{}, backwards_{};
  std::deque<Action> queue_;
  std::vector<Action> actions_;
};

}  // namespace

std::vector<Action> dual_order(const DualPlace& place, std::int32_t micro_batches) {
  const std::int32_t inward = place.half - 1 - place.from_end;  // ranks between here and the middle
  const std::int32_t outward = place.from_end + 1;
  DualWriter write(place);
  for (std::int32_t i = 0; i < 2 * inward; ++i) {  // 1
    write.forward(kNear);
  }
  for (std::int32_t i = 0; i < outward; ++i) {  // 2
    write.forward(kNear);
    write.forward(kFar);
  }
  for (std::int32_t i = 0; i < inward; ++i) {  // 3
    write.input(kFar);
    write.weight();
    write.forward(kFar);
  }
  for (std::int32_t i = 0; i < micro_batches - 2 * place.half + outward; ++i) {  // 4
    if (i == 0 && inward == 0) {  // the middle has nothing to hide yet: one bubble less
      write.forward(kNear);
      write.backward(kFar);
    } else {
      write.pair(kNear, kFar);
    }
    write.pair(kFar, kNear);
  }
  for (std::int32_t i = 0; i < inward; ++i) {  // 5
    write.backward(kFar);
    write.pair(kFar, kNear);
  }
  for (std::int32_t i = 0; i < 2 * outward; ++i) {  // 6: split in the second half
    const Side side = i % 2 == 0 ? kFar : kNear;
    if (i < outward) {
      write.backward(side);
    } else {
      write.input(side);
    }
  }
  for (std::int32_t i = 0; i < inward; ++i) {  // 7
    write.weight();
    write.input(kNear);
  }
  for (std::int32_t i = 0; i < outward; ++i) {  // 8
    write.weight();
  }
  return write.take();
}

}  // namespace parsim
