#include <algorithm>

#include "sim/schedule/placement.h"

namespace parsim {

namespace {

/// Appends a chunk's actions, micro-batch after micro-batch; those beyond the batch are left out.
class Chunk {
 public:
  Chunk(std::vector<Action>& actions, std::int32_t stage, std::int32_t micro_batches)
      : actions_(actions), stage_(stage), micro_batches_(micro_batches) {}
  void forward() { add(ActionKind::forward, forwards_); }
  void input() { add(ActionKind::input_gradient, inputs_); }
  void weight() { add(ActionKind::weight_gradient, weights_); }
  [[nodiscard]] std::int32_t forwards() const { return forwards_; }
  [[nodiscard]] bool weights_left() const { return weights_ < inputs_; }

 private:
  void add(ActionKind kind, std::int32_t& count) {
    if (count < micro_batches_) {
      actions_.push_back({kind, stage_, count});
    }
    ++count;
  }
  std::vector<Action>& actions_;
  std::int32_t stage_;
  std::int32_t micro_batches_;
  std::int32_t forwards_ = 0, inputs_ = 0, weights_ = 0;
};

void write_rank(std::vector<Action>& actions, const ScheduleShape& shape, std::int32_t rank) {
  const std::int32_t below = shape.ranks - rank;  // ranks from here to the turn, this one included
  const std::int32_t full = std::max(shape.micro_batches, 2 * shape.ranks - 1);
  Chunk a(actions, rank, shape.micro_batches);
  Chunk z(actions, 2 * shape.ranks - 1 - rank, shape.micro_batches);
  for (std::int32_t i = 0; i < 2 * below - 1; ++i) {
    a.forward();
  }
  for (std::int32_t i = 0; i < rank; ++i) {
    z.forward();
    a.forward();
  }
  for (std::int32_t i = 0; i < below; ++i) {
    z.forward();
    z.input();
    z.weight();
  }
  while (z.forwards() < a.forwards() || a.forwards() < full) {
    if (a.forwards() < full) {
      a.forward();
    }
    a.input();
    a.weight();
    z.forward();
    z.input();
    z.weight();
  }
  for (std::int32_t i = 0; i < rank; ++i) {
    a.input();
    z.input();
  }
  for (std::int32_t i = 0; i < below; ++i) {
    a.input();
    a.weight();
  }
  for (Chunk* chunk : {&z, &a}) {
    while (chunk->weights_left()) {
      chunk->weight();
    }
  }
}

}  // namespace

/// Qi et al. 2023 and PyTorch's ZBVZeroBubble: two chunks in a V, so that the first and the last
/// stage share a rank and backwards start at once. Laid out for at least 2P-1 micro-batches; with
/// fewer, the cells of those that do not exist are dropped and leave bubbles.
Schedule zb_v_schedule(const ScheduleShape& shape) {
  Schedule schedule = wave_placement(shape);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    write_rank(schedule.ranks[static_cast<std::size_t>(rank)], shape, rank);
  }
  return schedule;
}

}  // namespace parsim
