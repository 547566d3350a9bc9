// Messages between stages, and who waits for them (TransferMode; A17).

#include <fmt/format.h>

#include "sim/base/check.h"
#include "sim/graph/rank_program.h"

namespace parsim {

namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

bool goes_forward(ActionKind kind) {
  return kind == ActionKind::send_forward || kind == ActionKind::receive_forward;
}

}  // namespace

void RankProgram::send(const Action& action) {
  const bool forward = goes_forward(action.kind);
  const TaskId task = transfer(forward, action.stage, action.micro_batch);
  state_.builder.add_to_lane(task,
                             lane(forward ? LaneKind::send_forward : LaneKind::send_backward));
  depend_on_pending(task);
  if (last_compute_ != kNone) {
    state_.builder.add_dependency(task, last_compute_);
  }
  wait_in_turn(task);
}

void RankProgram::receive(const Action& action) {
  const bool forward = goes_forward(action.kind);
  const std::int32_t from = action.stage + (forward ? -1 : 1);
  const TaskId task = transfer(forward, from, action.micro_batch);
  received_[{forward, action.stage, action.micro_batch}] = task;
  if (scenario().schedule.transfers != TransferMode::eager && last_compute_ != kNone) {
    state_.builder.add_dependency(task, last_compute_);
  }
  wait_in_turn(task);
}

/// What a blocking message makes others wait for.
void RankProgram::wait_in_turn(TaskId task) {
  const TransferMode mode = scenario().schedule.transfers;
  if (mode == TransferMode::blocking) {
    if (last_transfer_ != kNone) {
      state_.builder.add_dependency(task, last_transfer_);
    }
    last_transfer_ = task;
  }
  if (mode == TransferMode::blocking || mode == TransferMode::batched) {
    awaited_.push_back(task);
  }
}

/// The computation that follows waits for the message it works on, and for its parts to be gathered
/// where every tensor rank received a share.
void RankProgram::take_input(const Action& action) {
  const bool forward = action.kind == ActionKind::forward;
  const auto found = received_.find({forward, action.stage, action.micro_batch});
  if (action.kind == ActionKind::weight_gradient || found == received_.end()) {
    return;
  }
  pending_.push_back(found->second);
  received_.erase(found);
  if (splits_messages()) {
    const TaskLabel label{forward ? TaskPhase::forward : TaskPhase::backward, action.stage,
                          action.micro_batch, state_.builder.add_name("gather of a split message"),
                          kNone};
    pending_ = {join_collective(CommunicatorKind::tensor, CollectiveKind::all_gather,
                                TaskCategory::pipeline, label,
                                boundary(forward ? action.stage - 1 : action.stage))};
  }
}

/// The message that leaves `stage` (forward: to stage + 1, backward: to stage - 1). This rank is
/// one of its ends.
TaskId RankProgram::transfer(bool forward, std::int32_t stage, std::int32_t unit) {
  const std::int32_t to = forward ? stage + 1 : stage - 1;
  const auto place = [this](std::int32_t s) {
    return plan().mesh.with_coordinate(rank_, Axis::pipeline, plan().stages[at(s)].pipeline_rank);
  };
  const std::int32_t c =
      communicator_class(forward ? CommunicatorKind::send_forward : CommunicatorKind::send_backward,
                         place(stage), place(to));
  SIM_CHECK(c != kNone, fmt::format("a communicator from stage {} to {}", stage, to));
  auto& tasks = state_.transfers[{c, stage}];
  tasks.resize(at(state_.order.micro_batches), kNone);
  TaskId& task = tasks[at(unit)];
  if (task == kNone) {
    const std::string name =
        fmt::format("{} to stage {}", forward ? "activations" : "gradients", to);
    const TaskLabel label{forward ? TaskPhase::forward : TaskPhase::backward, stage, unit,
                          state_.builder.add_name(name), kNone};
    task = state_.builder.add_communication(TaskKind::transfer, TaskCategory::pipeline, label,
                                            state_.patterns.transfer(c),
                                            sent_bytes(forward ? stage : stage - 1));
  }
  return task;
}

/// Bytes one rank sends over the boundary after `stage`: the activation, or its gradient, which is
/// as large.
Bytes RankProgram::sent_bytes(std::int32_t stage) const {
  const bool split = scenario().parallel.sequence_parallel || splits_messages();
  return split ? boundary(stage) / static_cast<double>(scenario().parallel.tensor)
               : boundary(stage);
}

Bytes RankProgram::boundary(std::int32_t stage) const {
  const Stage& s = plan().stages[at(stage)];
  return state_.input.workload.block(s.first_block + s.block_count - 1).output;
}

/// Scatter/gather (Narayanan et al. 2021, section 4.1): each tensor rank sends its share, the
/// receivers gather.
bool RankProgram::splits_messages() const {
  return scenario().parallel.scatter_gather_p2p && !scenario().parallel.sequence_parallel &&
         scenario().parallel.tensor > 1;
}

}  // namespace parsim
