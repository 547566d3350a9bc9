#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/cost/cost.h"
#include "sim/graph/task_graph.h"
#include "sim/plan/plan.h"

namespace parsim {

/// Operators between two points of communication, as one task.
struct ComputeItem {
  std::int32_t segment = kNone;
  TaskPhase phase = TaskPhase::forward;
};
/// A tensor-parallel collective. The next `overlapped_segments` compute items do not wait for it.
struct CollectiveItem {
  CollectiveKind kind = CollectiveKind::all_reduce;
  TaskPhase phase = TaskPhase::forward;
  Bytes bytes{0.0};
  std::string name;
  int overlapped_segments = 0;
};
/// The gradients of this many parameters are complete once everything before has run.
struct GradientItem {
  std::int64_t parameters = 0;
};
using StageItem = std::variant<ComputeItem, CollectiveItem, GradientItem>;

/// What one rank does for one unit (micro-batch or slice) in one action of one stage; compiled
/// once, replayed for all. `last_*` are cut after every block and carry gradient marks; the others
/// have the longest possible segments.
struct StageProgram {
  std::vector<StageItem> forward;
  std::vector<StageItem> backward, last_backward;
  std::vector<StageItem> input_gradient;  ///< with recomputation; nothing hides its collectives
  std::vector<StageItem> weight_gradient, last_weight_gradient;
};

/// Which of a stage's programs, and what multiplies its operators' times.
struct StageVariant {
  std::int32_t slice = 0;
  StageFactors factors;
};

/// Costs runs of operators and shares equal ones: a model has few different layers and many of
/// each.
class SegmentTable {
 public:
  SegmentTable(const CostModel& costs, TaskGraphBuilder& builder)
      : costs_(costs), builder_(builder) {}
  /// The segment that runs `operators` in order, each times the factor of its pass. The pointers
  /// are the identity: they must stay valid.
  [[nodiscard]] std::int32_t segment(const std::vector<const Operator*>& operators,
                                     const StageFactors& factors = {});

 private:
  using Key = std::pair<std::vector<const Operator*>, std::array<double, 3>>;
  const CostModel& costs_;
  TaskGraphBuilder& builder_;
  std::map<Key, std::int32_t> known_;
};

/// Joins the operators of a stage's blocks into the longest runs that nothing interrupts.
[[nodiscard]] StageProgram compile_stage(const Workload& workload, const Stage& stage,
                                         const StageVariant& variant, SegmentTable& segments);

}  // namespace parsim
