#include "sim/schedule/automatic_greedy.h"

#include <algorithm>
#include <limits>

namespace parsim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr auto kForward = static_cast<std::size_t>(ActionKind::forward);
constexpr auto kInput = static_cast<std::size_t>(ActionKind::input_gradient);
constexpr auto kWeight = static_cast<std::size_t>(ActionKind::weight_gradient);

}  // namespace

Greedy::Greedy(const PlacedStages& stages)
    : stages_(&stages),
      reserve_(at(stages.stages()), 0.0),
      all_work_(at(stages.ranks), 0.0),
      order_(at(stages.ranks)) {
  for (std::int32_t r = 0; r < stages.ranks; ++r) {
    double later = 0.0;
    for (std::int32_t c = stages.chunks - 1; c >= 0; --c) {
      const std::size_t s = at(stages.own[at(r * stages.chunks + c)]);
      reserve_[s] = later;
      later += stages.activations[s];
      const StageTimes& t = stages.times[s];
      all_work_[at(r)] += (t.forward + t.input_gradient + t.weight_gradient) * stages.micro_batches;
    }
    order_[at(r)].reserve(at(3 * stages.chunks * stages.micro_batches));
  }
}

void Greedy::reset() {
  const std::size_t slots = at(std::int64_t{stages_->stages()} * stages_->micro_batches);
  forward_in_.assign(slots, kNever);
  gradient_in_.assign(slots, kNever);
  std::fill_n(forward_in_.begin(), stages_->micro_batches, 0.0);
  for (auto& done : done_) {
    done.assign(at(stages_->stages()), 0);
  }
  clock_.assign(at(stages_->ranks), 0.0);
  held_.assign(at(stages_->ranks), 0.0);
  work_left_ = all_work_;
  choice_.assign(at(stages_->ranks), {kNever, 0, ActionKind::forward});
  for (auto& steps : order_) {
    steps.clear();
  }
}

// A forward of a later chunk must never find the memory taken by younger micro-batches. So besides
// fitting now, a forward leaves room for the same micro-batch's later chunks on this rank, where
// only those that still have forwards to run here are counted. Then an order always finishes: take
// the oldest micro-batch m with a forward left anywhere. Older ones need no more memory and will
// give back all of theirs. Of m and the younger ones, whichever took memory last on the rank where
// m waits did so for an earlier chunk than the one m needs (each stage is first come, first
// served), and left room for the later ones.
bool Greedy::fits(std::int32_t rank, std::int32_t stage) const {
  const std::size_t s = at(stage);
  const double limit = stages_->limit[at(rank)];
  if (held_[at(rank)] + stages_->activations[s] > limit) {
    return false;
  }
  const std::int32_t* own = &stages_->own[at(rank * stages_->chunks)];
  const std::int32_t through = done_[kForward][at(own[stages_->chunks - 1])];
  double halfway = 0.0;
  for (std::int32_t c = 0; c + 1 < stages_->chunks; ++c) {
    halfway += stages_->activations[at(own[c])] * (done_[kForward][at(own[c])] - through);
  }
  return halfway + stages_->activations[s] + reserve_[s] <= limit;
}

Greedy::Choice Greedy::choose(std::int32_t rank, const RankPolicy& policy) const {
  Choice best{kNever, 0, ActionKind::forward};
  double best_key = kNever;
  const double now = clock_[at(rank)];
  const auto offer = [&](double start, double wait, std::int32_t stage, ActionKind kind) {
    if (start + wait < best_key) {
      best_key = start + wait;
      best = {start, stage, kind};
    }
  };
  const std::int32_t* own = &stages_->own[at(rank * stages_->chunks)];
  const std::int32_t m = stages_->micro_batches;
  for (std::int32_t c = stages_->chunks - 1; c >= 0; --c) {
    const std::int32_t s = own[c];
    const std::int32_t inputs = done_[kInput][at(s)];
    if (inputs < m) {
      offer(std::max(now, gradient_in_[slot(s, inputs)]), 0.0, s, ActionKind::input_gradient);
    }
    const std::int32_t forwards = done_[kForward][at(s)];
    const bool admitted = c > 0 || forwards - done_[kInput][at(s)] < policy.most_in_flight;
    if (forwards < m && admitted && fits(rank, s)) {
      offer(std::max(now, forward_in_[slot(s, forwards)]),
            policy.forward_wait - policy.later_chunk * c, s, ActionKind::forward);
    }
  }
  for (std::int32_t c = stages_->chunks - 1; c >= 0; --c) {
    if (done_[kWeight][at(own[c])] < done_[kInput][at(own[c])]) {
      offer(now, policy.weight_wait, own[c], ActionKind::weight_gradient);
    }
  }
  return best;
}

void Greedy::commit(std::int32_t rank, const Choice& choice) {
  const std::int32_t s = choice.stage;
  const StageTimes& t = stages_->times[at(s)];
  const std::int32_t unit = done_[static_cast<std::size_t>(choice.kind)][at(s)]++;
  const double took = choice.kind == ActionKind::forward          ? t.forward
                      : choice.kind == ActionKind::input_gradient ? t.input_gradient
                                                                  : t.weight_gradient;
  const double end = choice.start + took;
  clock_[at(rank)] = end;
  work_left_[at(rank)] -= took;
  order_[at(rank)].push_back({s, choice.kind});
  const double kept = stages_->kept[at(s)];
  if (choice.kind == ActionKind::forward) {
    held_[at(rank)] += stages_->activations[at(s)];
    if (s + 1 < stages_->stages()) {
      forward_in_[slot(s + 1, unit)] = end + stages_->hop[at(s)];
    } else {
      gradient_in_[slot(s, unit)] = end;
    }
  } else if (choice.kind == ActionKind::input_gradient) {
    held_[at(rank)] -= stages_->activations[at(s)] - kept;
    if (s > 0) {
      gradient_in_[slot(s - 1, unit)] = end + stages_->hop[at(s - 1)];
    }
  } else {
    held_[at(rank)] -= kept;
  }
}

double Greedy::run(const Policy& policy, double enough) {
  reset();
  const std::int32_t ranks = stages_->ranks;
  std::int64_t left = std::int64_t{3} * stages_->stages() * stages_->micro_batches;
  for (std::int32_t r = 0; r < ranks; ++r) {
    choice_[at(r)] = choose(r, policy[at(r)]);
  }
  for (; left > 0; --left) {
    std::int32_t first = 0;
    for (std::int32_t r = 1; r < ranks; ++r) {
      first = choice_[at(r)].start < choice_[at(first)].start ? r : first;
    }
    const Choice choice = choice_[at(first)];
    if (choice.start + work_left_[at(first)] >= enough) {
      return kNever;
    }
    commit(first, choice);
    choice_[at(first)] = choose(first, policy[at(first)]);
    for (const std::int32_t neighbour : {choice.stage - 1, choice.stage + 1}) {
      if (neighbour >= 0 && neighbour < stages_->stages()) {
        const std::int32_t r = stages_->rank[at(neighbour)];
        choice_[at(r)] = choose(r, policy[at(r)]);
      }
    }
  }
  return *std::max_element(clock_.begin(), clock_.end());
}

}  // namespace parsim
