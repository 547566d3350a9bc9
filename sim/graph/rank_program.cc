#include "sim/graph/rank_program.h"

#include <algorithm>
#include <utility>

#include "sim/base/check.h"

namespace parsim {

namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

constexpr std::array<LaneKind, kCommunicatorKinds> kLaneOf = {
    LaneKind::tensor,        LaneKind::data, LaneKind::embedding, LaneKind::send_forward,
    LaneKind::send_backward, LaneKind::data, LaneKind::norm};

StageFactors factors_of(const ScheduleSpec& spec, std::int32_t stage) {
  if (spec.stage_factors.empty()) {
    return {};
  }
  return spec.stage_factors.size() == 1 ? spec.stage_factors.front()
                                        : spec.stage_factors[at(stage)];
}

}  // namespace

const StageProgram& LoweringState::program(std::int32_t stage, std::int32_t unit, bool paired) {
  const ScheduleSpec& spec = input.scenario.schedule;
  const bool slower = paired && spec.pair_time != 1.0;
  const std::int32_t slice = unit % order.slices;
  const auto [entry, is_new] = programs.try_emplace({stage, slice, slower});
  if (is_new) {
    StageVariant variant{slice, factors_of(spec, stage % order.depth())};
    for (double* factor : {&variant.factors.forward, &variant.factors.input_gradient,
                           &variant.factors.weight_gradient}) {
      *factor *= slower ? spec.pair_time : 1.0;
    }
    entry->second = compile_stage(input.workload, input.plan.stages[at(stage)], variant, segments);
  }
  return entry->second;
}

RankProgram::RankProgram(LoweringState& state, std::int32_t rank_class)
    : state_(state),
      rank_(state.input.folding.representative[at(rank_class)]),
      rank_class_(rank_class),
      pipeline_rank_(
          static_cast<std::int32_t>(state.input.plan.mesh.coordinate(rank_, Axis::pipeline))) {
  issued_.resize(state.issued.size(), 0);
  lanes_.fill(kNone);
}

void RankProgram::write() {
  const auto& actions = state_.order.ranks[at(pipeline_rank_)];
  count_backwards();
  for (std::size_t begin = 0; begin < actions.size();) {
    std::size_t end = begin + 1;
    while (end < actions.size() && actions[end - 1].overlaps_next) {
      ++end;
    }
    const Action& action = actions[begin];
    if (is_compute(action.kind)) {
      write_piece(actions, begin, end);
    } else if (is_send(action.kind)) {
      send(action);
    } else if (is_transfer(action.kind)) {
      receive(action);
    } else if (action.kind == ActionKind::reduce_gradient) {
      reduce_stage(action.stage);
    }
    begin = end;
  }
  if (!backwards_left_.empty()) {
    finish_step();
  }
}

void RankProgram::count_backwards() {
  for (const Action& action : state_.order.ranks[at(pipeline_rank_)]) {
    if (action.kind == ActionKind::backward || action.kind == ActionKind::weight_gradient) {
      ++backwards_left_[action.stage];
    } else if (action.kind == ActionKind::reduce_gradient) {
      reduced_by_action_.insert(action.stage);
    }
  }
}

/// One computation, or a pair whose parts take turns: while one communicates, the other computes.
void RankProgram::write_piece(const std::vector<Action>& actions, std::size_t begin,
                              std::size_t end) {
  std::vector<Thread> threads;
  for (std::size_t i = begin; i < end; ++i) {
    take_input(actions[i]);
    write_overhead(actions[i]);
  }
  for (std::size_t i = begin; i < end; ++i) {
    threads.push_back(
        {&actions[i], &items_of(actions[i], end - begin > 1), 0, pending_, last_compute_, kNone});
  }
  write_threads(threads);
  pending_.clear();
  for (Thread& thread : threads) {
    pending_.insert(pending_.end(), thread.pending.begin(), thread.pending.end());
    if (thread.delayed != kNone) {
      pending_.push_back(thread.delayed);
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    finish_action(actions[i]);
  }
}

const std::vector<StageItem>& RankProgram::items_of(const Action& action, bool paired) {
  const StageProgram& program = state_.program(action.stage, action.micro_batch, paired);
  switch (action.kind) {
    case ActionKind::forward:
      return program.forward;
    case ActionKind::input_gradient:
      return program.input_gradient;
    case ActionKind::weight_gradient:
      return reduces_early(action) ? program.last_weight_gradient : program.weight_gradient;
    default:
      return reduces_early(action) ? program.last_backward : program.backward;
  }
}

/// The thread that has done the smallest part of its items goes on.
void RankProgram::write_threads(std::vector<Thread>& threads) {
  const auto behind = [](const Thread& one, const Thread& other) {
    return one.next * other.items->size() < other.next * one.items->size();
  };
  while (true) {
    Thread* chosen = nullptr;
    for (Thread& thread : threads) {
      if (thread.next < thread.items->size() && (chosen == nullptr || behind(thread, *chosen))) {
        chosen = &thread;
      }
    }
    if (chosen == nullptr) {
      return;
    }
    std::swap(pending_, chosen->pending);
    const TaskId newest = std::exchange(last_compute_, chosen->last_compute);
    write_item(*chosen);
    chosen->last_compute = last_compute_;
    last_compute_ = std::max(newest, last_compute_);  // ids grow along the compute lane
    std::swap(pending_, chosen->pending);
  }
}

void RankProgram::write_item(Thread& thread) {
  const StageItem& item = (*thread.items)[thread.next++];
  const Action& action = *thread.action;
  if (const auto* compute = std::get_if<ComputeItem>(&item)) {
    write_compute(compute->segment, TaskCategory::compute,
                  {compute->phase, action.stage, action.micro_batch, kNone, kNone});
    if (thread.delayed != kNone) {
      pending_.push_back(std::exchange(thread.delayed, kNone));
    }
  } else if (const auto* collective = std::get_if<CollectiveItem>(&item)) {
    const TaskLabel label{collective->phase, action.stage, action.micro_batch,
                          state_.builder.add_name(collective->name), kNone};
    const TaskId task = join_collective(CommunicatorKind::tensor, collective->kind,
                                        TaskCategory::tensor, label, collective->bytes);
    SIM_CHECK(task != kNone, "a tensor group for " + collective->name);
    if (collective->overlapped_segments > 0) {
      thread.delayed =
          task;  // the next compute item still waits for what the collective waited for
    } else {
      pending_ = {task};
    }
  } else {
    fill_bucket(action.stage, std::get<GradientItem>(item).parameters);
  }
}

void RankProgram::write_overhead(const Action& action) {
  if (state_.overhead == kNone) {
    return;
  }
  const TaskPhase phase = action.kind == ActionKind::forward           ? TaskPhase::forward
                          : action.kind == ActionKind::weight_gradient ? TaskPhase::weight_gradient
                                                                       : TaskPhase::backward;
  // The host launches while the input is still under way: it is the computation that waits.
  std::vector<TaskId> pending;
  std::swap(pending, pending_);
  write_compute(state_.overhead, TaskCategory::compute,
                {phase, action.stage, action.micro_batch, kNone, kNone});
  std::swap(pending, pending_);
}

TaskId RankProgram::write_compute(std::int32_t segment, TaskCategory category, TaskLabel label) {
  label.detail = segment;
  const TaskId task = state_.builder.add_compute(lane(LaneKind::compute), category, label,
                                                 state_.builder.segment(segment).time);
  depend_on_pending(task);
  for (const TaskId on : awaited_) {
    state_.builder.add_dependency(task, on);
  }
  pending_.clear();
  awaited_.clear();
  last_compute_ = task;
  return task;
}

/// Puts this rank into its next collective on `kind`; returns the task, or kNone for a group of
/// one.
TaskId RankProgram::join_collective(CommunicatorKind kind, CollectiveKind collective,
                                    TaskCategory category, const TaskLabel& label, Bytes bytes) {
  const std::int32_t c = communicator_class(kind);
  if (c == kNone) {
    return kNone;
  }
  std::vector<TaskId>& issued = state_.issued[at(c)];
  const std::size_t next = issued_[at(c)]++;
  if (next == issued.size()) {
    issued.push_back(state_.builder.add_communication(
        TaskKind::collective, category, label, state_.patterns.collective(c, collective), bytes));
  }
  const TaskId task = issued[next];
  state_.builder.add_to_lane(task, lane(kLaneOf[static_cast<std::size_t>(kind)]));
  depend_on_pending(task);
  if (last_compute_ != kNone) {
    state_.builder.add_dependency(task, last_compute_);
  }
  return task;
}

void RankProgram::depend_on_pending(TaskId task) {
  for (const TaskId on : pending_) {
    state_.builder.add_dependency(task, on);
  }
}

LaneId RankProgram::lane(LaneKind kind) {
  LaneId& id = lanes_[static_cast<std::size_t>(kind)];
  if (id == kNone) {
    id = state_.builder.add_lane(
        {rank_, state_.input.folding.multiplicity[at(rank_class_)], pipeline_rank_, kind});
  }
  return id;
}

/// The class of this rank's communicator of `kind` (for sends: the one that leads from `sender` to
/// `receiver`); kNone: none.
std::int32_t RankProgram::communicator_class(CommunicatorKind kind, std::int64_t sender,
                                             std::int64_t receiver) const {
  const auto& communicators = state_.input.communicators;
  for (const std::int32_t index : communicators.of_rank[at(rank_)]) {
    const Communicator& communicator = communicators.all[at(index)];
    if (communicator.kind == kind &&
        (sender < 0 || (communicator.ranks[0] == sender && communicator.ranks[1] == receiver))) {
      return state_.input.folding.communicator_class[at(index)];
    }
  }
  return kNone;
}

}  // namespace parsim
