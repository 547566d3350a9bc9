#include "sim/schedule/automatic_windows.h"

#include <algorithm>
#include <cmath>

// The rules, all of them about the n-th of a kind in the order of running, n = 0 .. M-1. If every
// micro-batch's x comes after its y, then the n-th x comes after the n-th y, because the n+1
// micro-batches whose x came first have all had their y.
//
// Heads: the n-th F comes after the n-th F of the stage before and after its own (n-1)-th; the n-th
// I likewise in the other direction, and after n+1 F and n I of the same stage, which one rank runs
// one after another; the n-th W after the n-th I. With k activations within the limit, the n-th F
// waits for the (n-k)-th I, and where the whole activations are kept for W, for the (n-k)-th W.
//
// Tails mirror this: after the n-th I come that of the stage before, the next I of this stage, the
// M-n W and M-1-n I that the rank has left of this stage, and F number n + k. After the n-th F come
// that of the next stage, the next F of this stage, the M-n I (and W) and M-1-n F that are left,
// and what follows the last I. The n-th W comes before F number n + k where all is kept, and, if
// the limit lets only `late` W of the stage be left at the rank's last I, before that I if n < M -
// late.

namespace parsim {

namespace {

class Builder {
 public:
  Builder(const PlacedStages& stages, const std::vector<double>& least_forward)
      : stages_(stages), least_forward_(least_forward), units_(stages.micro_batches) {
    const std::size_t slots = at(std::int64_t{stages.stages()} * units_);
    for (Windows::Kind* kind : {&windows_.forward, &windows_.input, &windows_.weight}) {
      kind->head.assign(slots, 0.0);
      kind->tail.assign(slots, 0.0);
    }
    for (std::int32_t s = 0; s < stages.stages(); ++s) {
      const double limit = stages.limit[at(stages.rank[at(s)])];
      room_.push_back(std::max(1, whole_pieces(limit, stages.activations[at(s)], units_)));
      all_kept_.push_back(stages.kept[at(s)] >= stages.activations[at(s)]);
      const std::int32_t first = first_of_rank(s);
      const double beside = limit - stages.activations[at(first)];
      late_.push_back(whole_pieces(beside, stages.kept[at(s)], units_) + (first == s ? 1 : 0));
    }
  }

  Windows run() {
    for (std::int32_t n = 0; n < units_; ++n) {
      for (std::int32_t s = 0; s < stages_.stages(); ++s) {
        forward_head(s, n);
      }
      for (std::int32_t s = stages_.stages() - 1; s >= 0; --s) {
        input_head(s, n);
      }
    }
    for (std::int32_t n = units_ - 1; n >= 0; --n) {
      for (std::int32_t s = 0; s < stages_.stages(); ++s) {
        input_tail(s, n);
      }
      for (std::int32_t s = stages_.stages() - 1; s >= 0; --s) {
        forward_tail(s, n);
      }
    }
    for (std::int32_t s = 0; s < stages_.stages(); ++s) {
      weight_tails(s);
    }
    return std::move(windows_);
  }

 private:
  [[nodiscard]] std::size_t slot(std::int32_t stage, std::int32_t n) const {
    return at(std::int64_t{stage} * units_ + n);
  }
  [[nodiscard]] std::int32_t first_of_rank(std::int32_t stage) const {
    return stages_.own[at(stages_.rank[at(stage)] * stages_.chunks)];
  }

  void forward_head(std::int32_t s, std::int32_t n) {
    const StageTimes& t = stages_.times[at(s)];
    auto& head = windows_.forward.head;
    double least = least_forward_.empty() ? 0.0 : least_forward_[slot(s, n)];
    if (s > 0) {
      least = std::max(
          least, head[slot(s - 1, n)] + stages_.times[at(s - 1)].forward + stages_.hop[at(s - 1)]);
    }
    if (n > 0) {
      least = std::max(least, head[slot(s, n - 1)] + t.forward);
    }
    const std::int32_t k = room_[at(s)];
    if (n >= k) {
      least = std::max(least, windows_.input.head[slot(s, n - k)] + t.input_gradient);
      if (all_kept_[at(s)]) {
        least = std::max(least, windows_.weight.head[slot(s, n - k)] + t.weight_gradient);
      }
    }
    head[slot(s, n)] = least;
  }

  void input_head(std::int32_t s, std::int32_t n) {
    const StageTimes& t = stages_.times[at(s)];
    auto& head = windows_.input.head;
    const auto& forward = windows_.forward.head;
    double least = std::max(forward[slot(s, n)] + t.forward,
                            forward[slot(s, 0)] + (n + 1) * t.forward + n * t.input_gradient);
    if (s + 1 < stages_.stages()) {
      least = std::max(least, head[slot(s + 1, n)] + stages_.times[at(s + 1)].input_gradient +
                                  stages_.hop[at(s)]);
    }
    double weight = 0.0;
    if (n > 0) {
      least = std::max(least, head[slot(s, n - 1)] + t.input_gradient);
      weight = windows_.weight.head[slot(s, n - 1)] + t.weight_gradient;
    }
    head[slot(s, n)] = least;
    windows_.weight.head[slot(s, n)] = std::max(weight, least + t.input_gradient);
  }

  void input_tail(std::int32_t s, std::int32_t n) {
    const StageTimes& t = stages_.times[at(s)];
    auto& tail = windows_.input.tail;
    const std::int32_t later = units_ - 1 - n;
    double least = later * t.input_gradient + (later + 1) * t.weight_gradient;
    if (s > 0) {
      least = std::max(least, stages_.hop[at(s - 1)] + stages_.times[at(s - 1)].input_gradient +
                                  tail[slot(s - 1, n)]);
    }
    if (later > 0) {
      least = std::max(least, t.input_gradient + tail[slot(s, n + 1)]);
    }
    if (room_[at(s)] <= later) {
      least = std::max(least, t.forward + windows_.forward.tail[slot(s, n + room_[at(s)])]);
    }
    tail[slot(s, n)] = least;
  }

  void forward_tail(std::int32_t s, std::int32_t n) {
    const StageTimes& t = stages_.times[at(s)];
    auto& tail = windows_.forward.tail;
    const auto& input = windows_.input.tail;
    const std::int32_t later = units_ - 1 - n;
    const double own = later * t.forward + (later + 1) * t.input_gradient;
    double least =
        std::max({t.input_gradient + input[slot(s, n)], own + (later + 1) * t.weight_gradient,
                  own + input[slot(s, units_ - 1)]});
    if (s + 1 < stages_.stages()) {
      least = std::max(
          least, stages_.hop[at(s)] + stages_.times[at(s + 1)].forward + tail[slot(s + 1, n)]);
    }
    if (later > 0) {
      least = std::max(least, t.forward + tail[slot(s, n + 1)]);
    }
    tail[slot(s, n)] = least;
  }

  void weight_tails(std::int32_t s) {
    const StageTimes& t = stages_.times[at(s)];
    const std::int32_t first = first_of_rank(s);
    const double last_input =
        stages_.times[at(first)].input_gradient + windows_.input.tail[slot(first, units_ - 1)];
    for (std::int32_t n = units_ - 1; n >= 0; --n) {
      double least =
          n + 1 < units_ ? t.weight_gradient + windows_.weight.tail[slot(s, n + 1)] : 0.0;
      if (n < units_ - late_[at(s)]) {
        least = std::max(least, last_input);
      }
      const std::int32_t k = room_[at(s)];
      if (all_kept_[at(s)] && n + k < units_) {
        least = std::max(least, t.forward + windows_.forward.tail[slot(s, n + k)]);
      }
      windows_.weight.tail[slot(s, n)] = least;
    }
  }

  const PlacedStages& stages_;
  const std::vector<double>& least_forward_;
  std::int32_t units_;
  std::vector<std::int32_t> room_;  ///< per stage: activations of it alone within the limit
  std::vector<std::int32_t> late_;  ///< per stage: W that may be left at the rank's last I
  std::vector<bool> all_kept_;
  Windows windows_;
};

}  // namespace

std::int32_t whole_pieces(double room, double size, std::int32_t most) {
  return size <= 0.0
             ? most
             : static_cast<std::int32_t>(std::clamp(std::floor(room / size), 0.0, 1.0 * most));
}

Windows windows_of(const PlacedStages& stages, const std::vector<double>& least_forward) {
  return Builder(stages, least_forward).run();
}

}  // namespace parsim
