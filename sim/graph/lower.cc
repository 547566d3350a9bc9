// Lowering: every rank class gets the program of its representative (A4, A16 to A21, A23).
//
// Communication tasks have several parties, which are lowered at different times. Each is created
// by whoever reaches it first and found again by its key: a transfer by (sender class, direction,
// stage, micro-batch), a collective by (communicator class, how many this class has issued before).
// Members of one class issue the same sequence, so counting is enough.

#include "sim/graph/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "sim/base/check.h"
#include "sim/graph/pattern_table.h"
#include "sim/graph/stage_program.h"

namespace parsim {

namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

constexpr std::array<LaneKind, kCommunicatorKinds> kLaneOf = {
    LaneKind::tensor, LaneKind::data, LaneKind::embedding, LaneKind::send_forward,
    LaneKind::send_backward};

/// State shared by the programs of all rank classes.
struct Shared {
  const LowerInput& input;
  TaskGraphBuilder& builder;
  PatternTable patterns;
  SegmentTable segments;
  std::vector<StageProgram> programs;  ///< per stage
  /// Per communicator class: its collectives in order.
  std::vector<std::vector<TaskId>> issued;
  /// (communicator class of a send, stage that sends) -> task per micro-batch.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<TaskId>> transfers;
  /// Optimizer operators by parameters on one rank; segments refer to them by address.
  std::map<std::int64_t, std::vector<Operator>> optimizers;
};

/// Writes the program of one rank class, action by action.
class RankProgram {
 public:
  RankProgram(Shared& shared, std::int32_t rank_class)
      : shared_(shared),
        rank_(shared.input.folding.representative[at(rank_class)]),
        rank_class_(rank_class),
        pipeline_rank_(
            static_cast<std::int32_t>(shared.input.plan.mesh.coordinate(rank_, Axis::pipeline))) {
    issued_.resize(shared.issued.size(), 0);
    lanes_.fill(kNone);
  }

  void write() {
    const auto& actions = shared_.input.plan.schedule.ranks[at(pipeline_rank_)];
    std::map<std::int32_t, std::int32_t> backwards_left;
    for (const Action& action : actions) {
      if (action.kind == ActionKind::backward) {
        ++backwards_left[action.stage];
      }
    }
    for (const Action& action : actions) {
      if (action.kind == ActionKind::forward) {
        write_forward(action);
      } else {
        write_backward(action, --backwards_left[action.stage] == 0);
      }
    }
    if (!backwards_left.empty()) {
      finish_step(backwards_left);
    }
  }

 private:
  const Scenario& scenario() const { return shared_.input.scenario; }
  const Plan& plan() const { return shared_.input.plan; }

  LaneId lane(LaneKind kind) {
    LaneId& id = lanes_[static_cast<std::size_t>(kind)];
    if (id == kNone) {
      id = shared_.builder.add_lane(
          {rank_, shared_.input.folding.multiplicity[at(rank_class_)], pipeline_rank_, kind});
    }
    return id;
  }

  /// The class of this rank's communicator of `kind` (for sends: the one that leads to `peer`);
  /// kNone: none.
  std::int32_t communicator_class(CommunicatorKind kind, std::int64_t sender = -1,
                                  std::int64_t receiver = -1) const {
    const auto& communicators = shared_.input.communicators;
    for (const std::int32_t index : communicators.of_rank[at(rank_)]) {
      const Communicator& communicator = communicators.all[at(index)];
      if (communicator.kind == kind &&
          (sender < 0 || (communicator.ranks[0] == sender && communicator.ranks[1] == receiver))) {
        return shared_.input.folding.communicator_class[at(index)];
      }
    }
    return kNone;
  }

  void depend_on_pending(TaskId task) {
    for (const TaskId on : pending_) {
      shared_.builder.add_dependency(task, on);
    }
  }

  void write_compute(std::int32_t segment, TaskCategory category, TaskLabel label) {
    label.detail = segment;
    const TaskId task = shared_.builder.add_compute(lane(LaneKind::compute), category, label,
                                                    shared_.builder.segment(segment).time);
    depend_on_pending(task);
    pending_.clear();
    last_compute_ = task;
  }

  /// Puts this rank into its next collective on `kind`; returns the task, or kNone for a group of
  /// one.
  TaskId join_collective(CommunicatorKind kind, CollectiveKind collective, TaskCategory category,
                         const TaskLabel& label, Bytes bytes) {
    const std::int32_t c = communicator_class(kind);
    if (c == kNone) {
      return kNone;
    }
    std::vector<TaskId>& issued = shared_.issued[at(c)];
    const std::size_t next = issued_[at(c)]++;
    if (next == issued.size()) {
      issued.push_back(shared_.builder.add_communication(TaskKind::collective, category, label,
                                                         shared_.patterns.collective(c, collective),
                                                         bytes));
    }
    const TaskId task = issued[next];
    shared_.builder.add_to_lane(task, lane(kLaneOf[static_cast<std::size_t>(kind)]));
    depend_on_pending(task);
    if (last_compute_ != kNone) {
      shared_.builder.add_dependency(task, last_compute_);
    }
    return task;
  }

  /// The message that leaves `stage` (forward: to stage + 1, backward: to stage - 1). This rank is
  /// one of its ends.
  TaskId transfer(bool forward, std::int32_t stage, std::int32_t micro_batch) {
    const auto& stages = plan().stages;
    const std::int32_t to = forward ? stage + 1 : stage - 1;
    const auto place = [&](std::int32_t s) {
      return plan().mesh.with_coordinate(rank_, Axis::pipeline, stages[at(s)].pipeline_rank);
    };
    const std::int32_t c = communicator_class(
        forward ? CommunicatorKind::send_forward : CommunicatorKind::send_backward, place(stage),
        place(to));
    SIM_CHECK(c != kNone, fmt::format("a communicator from stage {} to {}", stage, to));
    auto& tasks = shared_.transfers[{c, stage}];
    tasks.resize(at(plan().micro_batches), kNone);
    TaskId& task = tasks[at(micro_batch)];
    if (task == kNone) {
      const std::string name =
          fmt::format("{} to stage {}", forward ? "activations" : "gradients", to);
      const TaskLabel label{forward ? TaskPhase::forward : TaskPhase::backward, stage, micro_batch,
                            shared_.builder.add_name(name), kNone};
      task = shared_.builder.add_communication(TaskKind::transfer, TaskCategory::pipeline, label,
                                               shared_.patterns.transfer(c),
                                               sent_bytes(forward ? stage : stage - 1));
    }
    return task;
  }

  /// Bytes one rank sends over the boundary after `stage`: the activation, or its gradient, which
  /// is as large.
  Bytes sent_bytes(std::int32_t stage) const {
    const bool split = scenario().parallel.sequence_parallel || splits_messages();
    return split ? boundary(stage) / static_cast<double>(scenario().parallel.tensor)
                 : boundary(stage);
  }
  Bytes boundary(std::int32_t stage) const {
    const Stage& s = plan().stages[at(stage)];
    const Workload& workload = shared_.input.workload;
    return workload.types[at(workload.blocks[at(s.first_block + s.block_count - 1)])].output;
  }
  /// Scatter/gather (Narayanan et al. 2021, section 4.1): each tensor rank sends its share, the
  /// receivers gather.
  bool splits_messages() const {
    return scenario().parallel.scatter_gather_p2p && !scenario().parallel.sequence_parallel &&
           scenario().parallel.tensor > 1;
  }

  void send(bool forward, const Action& action) {
    const auto& stages = plan().stages;
    const std::int32_t to = forward ? action.stage + 1 : action.stage - 1;
    if (to < 0 || to >= static_cast<std::int32_t>(stages.size()) ||
        stages[at(to)].pipeline_rank == pipeline_rank_) {
      return;
    }
    const TaskId task = transfer(forward, action.stage, action.micro_batch);
    shared_.builder.add_to_lane(task,
                                lane(forward ? LaneKind::send_forward : LaneKind::send_backward));
    depend_on_pending(task);
    if (last_compute_ != kNone) {
      shared_.builder.add_dependency(task, last_compute_);
    }
  }

  void receive(bool forward, const Action& action) {
    const auto& stages = plan().stages;
    const std::int32_t from = forward ? action.stage - 1 : action.stage + 1;
    if (from < 0 || from >= static_cast<std::int32_t>(stages.size()) ||
        stages[at(from)].pipeline_rank == pipeline_rank_) {
      return;
    }
    pending_.push_back(transfer(forward, from, action.micro_batch));
    if (splits_messages()) {
      const TaskLabel label{forward ? TaskPhase::forward : TaskPhase::backward, action.stage,
                            action.micro_batch,
                            shared_.builder.add_name("gather of a split message"), kNone};
      const TaskId gather =
          join_collective(CommunicatorKind::tensor, CollectiveKind::all_gather,
                          TaskCategory::pipeline, label, boundary(forward ? from : action.stage));
      pending_ = {gather};
    }
  }

  void write_forward(const Action& action) {
    receive(true, action);
    write_items(shared_.programs[at(action.stage)].forward, action);
    send(true, action);
  }

  void write_backward(const Action& action, bool last) {
    receive(false, action);
    const StageProgram& program = shared_.programs[at(action.stage)];
    const bool reduce_early = last && scenario().training.overlap_gradient_reduction &&
                              communicator_class(CommunicatorKind::data) != kNone;
    write_items(reduce_early ? program.last_backward : program.backward, action);
    if (reduce_early) {
      reduce_bucket(action.stage, bucket_filled_);
    }
    send(false, action);
  }

  void write_items(const std::vector<StageItem>& items, const Action& action) {
    TaskId delayed = kNone;  // a collective that the next compute item does not wait for
    for (const StageItem& item : items) {
      if (const auto* compute = std::get_if<ComputeItem>(&item)) {
        write_compute(compute->segment, TaskCategory::compute,
                      {compute->phase, action.stage, action.micro_batch, kNone, kNone});
        if (delayed != kNone) {
          pending_.push_back(std::exchange(delayed, kNone));
        }
      } else if (const auto* collective = std::get_if<CollectiveItem>(&item)) {
        const TaskLabel label{collective->phase, action.stage, action.micro_batch,
                              shared_.builder.add_name(collective->name), kNone};
        const TaskId task = join_collective(CommunicatorKind::tensor, collective->kind,
                                            TaskCategory::tensor, label, collective->bytes);
        SIM_CHECK(task != kNone, "a tensor group for " + collective->name);
        if (collective->overlapped_segments > 0) {
          delayed = task;  // the next compute item still waits for what the collective waited for
        } else {
          pending_ = {task};
        }
      } else {
        fill_bucket(action.stage, std::get<GradientItem>(item).parameters);
      }
    }
    if (delayed != kNone) {
      pending_.push_back(delayed);
    }
  }

  Bytes gradient_bytes(std::int64_t parameters) const {
    return static_cast<double>(parameters) * element_size(scenario().training.gradient_precision);
  }

  /// Reduces full buckets as the backward fills them. Gradients of one block are ready together.
  void fill_bucket(std::int32_t stage, std::int64_t parameters) {
    bucket_filled_ += gradient_bytes(parameters);
    const Bytes capacity = scenario().training.bucket;
    while (bucket_filled_ >= capacity) {
      reduce(stage, capacity);
      bucket_filled_ -= capacity;
    }
  }
  void reduce_bucket(std::int32_t stage, Bytes amount) {
    if (amount > Bytes{0.0}) {
      reduce(stage, amount);
    }
    bucket_filled_ = Bytes{0.0};
  }
  void reduce(std::int32_t stage, Bytes amount) {
    const TaskLabel label{TaskPhase::gradient_reduction, stage, kNone,
                          shared_.builder.add_name("gradient all-reduce"), kNone};
    const TaskId task = join_collective(CommunicatorKind::data, CollectiveKind::all_reduce,
                                        TaskCategory::data, label, amount);
    if (task != kNone) {
      reductions_.push_back(task);
    }
  }

  /// Remaining gradient reductions, the tied embedding's sum, and the optimizer step.
  void finish_step(const std::map<std::int32_t, std::int32_t>& stages_here) {
    std::int64_t parameters = 0;
    for (const auto& [stage, unused] : stages_here) {
      parameters += plan().stages[at(stage)].parameters;
      if (!scenario().training.overlap_gradient_reduction) {
        reduce_bucket(stage, gradient_bytes(plan().stages[at(stage)].parameters));
      }
    }
    pending_.insert(pending_.end(), reductions_.begin(), reductions_.end());
    sum_tied_embedding();
    const auto [optimizer, is_new] = shared_.optimizers.try_emplace(parameters);
    if (is_new) {
      optimizer->second = optimizer_step(scenario().training, parameters);
    }
    if (!optimizer->second.empty()) {
      write_compute(shared_.segments.segment(pointers(optimizer->second)), TaskCategory::optimizer,
                    {TaskPhase::optimizer, kNone, kNone, kNone, kNone});
    }
  }

  /// First and last stage each hold a copy of the token embedding; its gradients are summed over
  /// the two.
  void sum_tied_embedding() {
    std::int64_t shared_parameters = 0;
    for (const Block& block : shared_.input.workload.types) {
      shared_parameters = std::max(shared_parameters, block.shared_parameters);
    }
    const TaskLabel label{TaskPhase::gradient_reduction, kNone, kNone,
                          shared_.builder.add_name("tied embedding all-reduce"), kNone};
    const TaskId task =
        join_collective(CommunicatorKind::embedding, CollectiveKind::all_reduce,
                        TaskCategory::other, label, gradient_bytes(shared_parameters));
    if (task != kNone) {
      pending_ = {task};
    }
  }

  static std::vector<const Operator*> pointers(const std::vector<Operator>& operators) {
    std::vector<const Operator*> result;
    for (const Operator& op : operators) {
      result.push_back(&op);
    }
    return result;
  }

  Shared& shared_;
  std::int64_t rank_;
  std::int32_t rank_class_;
  std::int32_t pipeline_rank_;
  std::array<LaneId, 6> lanes_{};
  std::vector<std::size_t> issued_;  ///< per communicator class: collectives joined so far
  std::vector<TaskId> pending_;      ///< what the next task of the compute lane waits for
  std::vector<TaskId> reductions_;   ///< gradient reductions the optimizer waits for
  TaskId last_compute_ = kNone;
  Bytes bucket_filled_{0.0};
};

}  // namespace

TaskGraph lower(const LowerInput& input) {
  TaskGraphBuilder builder;
  for (const GraphLink& link : input.folding.links) {
    builder.add_link(link);
  }
  Shared shared{
      input, builder, PatternTable(input, builder), SegmentTable(input.costs, builder), {}, {},
      {},    {}};
  for (const Stage& stage : input.plan.stages) {
    shared.programs.push_back(compile_stage(input.workload, stage, shared.segments));
  }
  shared.issued.resize(input.folding.communicator_representative.size());
  for (std::size_t c = 0; c < input.folding.representative.size(); ++c) {
    RankProgram(shared, static_cast<std::int32_t>(c)).write();
  }
  return builder.build();
}

}  // namespace parsim
