#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/graph/lower.h"
#include "sim/graph/pattern_table.h"
#include "sim/graph/stage_program.h"

namespace parsim {

/// State shared by the programs of all rank classes.
///
/// Communication tasks have several parties, which are lowered at different times. Each is created
/// by whoever reaches it first and found again by its key: a transfer by (communicator class, stage
/// that sends, unit), a collective by (communicator class, how many this class has issued before).
/// Members of one class issue the same sequence, so counting is enough.
struct LoweringState {
  const LowerInput& input;
  TaskGraphBuilder& builder;
  Schedule order;  ///< the plan's schedule with all its transfers
  PatternTable patterns;
  SegmentTable segments;
  /// (stage, slice, in a pair) -> its programs, compiled on first use.
  std::map<std::tuple<std::int32_t, std::int32_t, bool>, StageProgram> programs;
  /// Per communicator class: its collectives in order.
  std::vector<std::vector<TaskId>> issued;
  /// (communicator class of a send, stage that sends) -> task per unit.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<TaskId>> transfers;
  /// Optimizer operators by parameters on one rank; segments refer to them by address.
  std::map<std::int64_t, std::vector<Operator>> optimizers;
  std::int32_t overhead = kNone;  ///< segment of the time to launch an action; kNone: free

  [[nodiscard]] const StageProgram& program(std::int32_t stage, std::int32_t unit, bool paired);
};

/// Writes the program of one rank class, action by action.
class RankProgram {
 public:
  RankProgram(LoweringState& state, std::int32_t rank_class);
  void write();

 private:
  /// One computation on its way into the graph: what its next task waits for.
  struct Thread {
    const Action* action = nullptr;
    const std::vector<StageItem>* items = nullptr;
    std::size_t next = 0;
    std::vector<TaskId> pending;
    TaskId last_compute = kNone;
    TaskId delayed = kNone;  ///< a collective that the next compute item does not wait for
  };

  // Actions, in rank_program.cc.
  void count_backwards();
  void write_piece(const std::vector<Action>& actions, std::size_t begin, std::size_t end);
  [[nodiscard]] const std::vector<StageItem>& items_of(const Action& action, bool paired);
  void write_item(Thread& thread);
  void write_threads(std::vector<Thread>& threads);
  void write_overhead(const Action& action);
  TaskId write_compute(std::int32_t segment, TaskCategory category, TaskLabel label);
  TaskId join_collective(CommunicatorKind kind, CollectiveKind collective, TaskCategory category,
                         const TaskLabel& label, Bytes bytes);
  void depend_on_pending(TaskId task);
  [[nodiscard]] LaneId lane(LaneKind kind);
  [[nodiscard]] std::int32_t communicator_class(CommunicatorKind kind, std::int64_t sender = -1,
                                                std::int64_t receiver = -1) const;

  // Messages between stages, in rank_transfers.cc.
  void send(const Action& action);
  void receive(const Action& action);
  void take_input(const Action& action);
  TaskId transfer(bool forward, std::int32_t stage, std::int32_t unit);
  void wait_in_turn(TaskId task);
  [[nodiscard]] Bytes boundary(std::int32_t stage) const;
  [[nodiscard]] Bytes sent_bytes(std::int32_t stage) const;
  [[nodiscard]] bool splits_messages() const;

  // Gradients and the optimizer, in rank_gradients.cc.
  void finish_action(const Action& action);
  [[nodiscard]] bool reduces_early(const Action& action) const;
  [[nodiscard]] Bytes gradient_bytes(std::int64_t parameters) const;
  void fill_bucket(std::int32_t stage, std::int64_t parameters);
  void reduce(std::int32_t stage, Bytes amount);
  void reduce_stage(std::int32_t stage);
  void finish_step();
  void sum_replicas(std::int64_t parameters);
  void sum_tied_embedding();
  void combine_norms();

  [[nodiscard]] const Scenario& scenario() const { return state_.input.scenario; }
  [[nodiscard]] const Plan& plan() const { return state_.input.plan; }

  LoweringState& state_;
  std::int64_t rank_;
  std::int32_t rank_class_;
  std::int32_t pipeline_rank_;
  std::array<LaneId, kLaneKinds> lanes_{};
  std::vector<std::size_t> issued_;  ///< per communicator class: collectives joined so far
  std::vector<TaskId> pending_;      ///< what the next task of the compute lane waits for
  std::vector<TaskId> awaited_;      ///< blocking transfers that the next computation waits for
  std::vector<TaskId> reductions_;   ///< gradient reductions the optimizer waits for
  std::map<std::tuple<bool, std::int32_t, std::int32_t>, TaskId> received_;
  std::map<std::int32_t, std::int32_t> backwards_left_;  ///< per stage: B or W still to come
  std::set<std::int32_t> reduced_by_action_;             ///< stages with a REDUCE_GRAD of their own
  TaskId last_compute_ = kNone;
  TaskId last_transfer_ = kNone;
  Bytes bucket_filled_{0.0};
};

}  // namespace parsim
