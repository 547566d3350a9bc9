// Gradient reduction, what the optimizer waits for, and the optimizer step (A16, A18, A19, A23).

#include <algorithm>

#include "sim/graph/rank_program.h"

namespace parsim {

namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

std::vector<const Operator*> pointers(const std::vector<Operator>& operators) {
  std::vector<const Operator*> result;
  for (const Operator& op : operators) {
    result.push_back(&op);
  }
  return result;
}

}  // namespace

/// After the last backward of a stage the rest of its last bucket is reduced.
void RankProgram::finish_action(const Action& action) {
  if (action.kind != ActionKind::backward && action.kind != ActionKind::weight_gradient) {
    return;
  }
  const bool early = reduces_early(action);
  --backwards_left_[action.stage];
  if (early) {
    if (bucket_filled_ > Bytes{0.0}) {
      reduce(action.stage, bucket_filled_);
    }
    bucket_filled_ = Bytes{0.0};
  }
}

/// True for the action that completes a stage's gradients, when they are reduced as they come.
bool RankProgram::reduces_early(const Action& action) const {
  return scenario().training.overlap_gradient_reduction && backwards_left_.at(action.stage) == 1 &&
         !reduced_by_action_.contains(action.stage) &&
         communicator_class(CommunicatorKind::data) != kNone;
}

Bytes RankProgram::gradient_bytes(std::int64_t parameters) const {
  return static_cast<double>(parameters) * element_size(scenario().training.gradient_precision);
}

/// Reduces full buckets as the backward fills them. Gradients of one block are ready together.
void RankProgram::fill_bucket(std::int32_t stage, std::int64_t parameters) {
  bucket_filled_ += gradient_bytes(parameters);
  const Bytes capacity = scenario().training.bucket;
  while (bucket_filled_ >= capacity) {
    reduce(stage, capacity);
    bucket_filled_ -= capacity;
  }
}

void RankProgram::reduce(std::int32_t stage, Bytes amount) {
  const TaskLabel label{TaskPhase::gradient_reduction, stage, kNone,
                        state_.builder.add_name("gradient all-reduce"), kNone};
  const TaskId task = join_collective(CommunicatorKind::data, CollectiveKind::all_reduce,
                                      TaskCategory::data, label, amount);
  if (task != kNone) {
    reductions_.push_back(task);
  }
}

void RankProgram::reduce_stage(std::int32_t stage) {
  const Bytes amount = gradient_bytes(plan().stages[at(stage)].parameters);
  if (amount > Bytes{0.0}) {
    reduce(stage, amount);
  }
}

/// Remaining gradient reductions, sums over copies, the gradient norm, and the optimizer step.
void RankProgram::finish_step() {
  std::int64_t parameters = 0;
  for (const auto& [stage, unused] : backwards_left_) {
    parameters += plan().stages[at(stage)].parameters;
    if (!scenario().training.overlap_gradient_reduction && !reduced_by_action_.contains(stage)) {
      reduce_stage(stage);
    }
  }
  pending_.insert(pending_.end(), reductions_.begin(), reductions_.end());
  sum_replicas(parameters);
  sum_tied_embedding();
  combine_norms();
  // With two copies each of the two ranks holds both; the optimizer updates what is on the rank.
  const auto [optimizer, is_new] = state_.optimizers.try_emplace(parameters);
  if (is_new) {
    optimizer->second = optimizer_step(scenario().training, parameters);
  }
  if (!optimizer->second.empty()) {
    write_compute(state_.segments.segment(pointers(optimizer->second)), TaskCategory::optimizer,
                  {TaskPhase::optimizer, kNone, kNone, kNone, kNone});
  }
}

/// Two copies of the model sum their gradients, after each has been reduced over its replicas.
void RankProgram::sum_replicas(std::int64_t parameters) {
  const TaskLabel label{TaskPhase::gradient_reduction, kNone, kNone,
                        state_.builder.add_name("all-reduce over the copies"), kNone};
  const TaskId task = join_collective(CommunicatorKind::replica, CollectiveKind::all_reduce,
                                      TaskCategory::data, label, gradient_bytes(parameters));
  if (task != kNone) {
    pending_ = {task};
  }
}

/// First and last stage each hold a copy of the token embedding; its gradients are summed over the
/// two.
void RankProgram::sum_tied_embedding() {
  std::int64_t shared_parameters = 0;
  for (const Block& block : state_.input.workload.types) {
    shared_parameters = std::max(shared_parameters, block.shared_parameters);
  }
  const TaskLabel label{TaskPhase::gradient_reduction, kNone, kNone,
                        state_.builder.add_name("tied embedding all-reduce"), kNone};
  const TaskId task =
      join_collective(CommunicatorKind::embedding, CollectiveKind::all_reduce, TaskCategory::other,
                      label, gradient_bytes(shared_parameters));
  if (task != kNone) {
    pending_ = {task};
  }
}

/// One number over all pipeline ranks. Blocking, no rank steps before the last one is done; with
/// post-validation the step goes ahead.
void RankProgram::combine_norms() {
  constexpr Bytes kNormBytes{4.0};
  const TaskLabel label{TaskPhase::gradient_reduction, kNone, kNone,
                        state_.builder.add_name("gradient norm all-reduce"), kNone};
  const TaskId task = join_collective(CommunicatorKind::norm, CollectiveKind::all_reduce,
                                      TaskCategory::other, label, kNormBytes);
  if (task != kNone && scenario().training.gradient_norm == GradientNorm::blocking) {
    pending_ = {task};
  }
}

}  // namespace parsim
