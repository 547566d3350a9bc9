#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/network/network.h"
#include "sim/workload/workload.h"

namespace parsim {

using TaskId = std::int32_t;
using LaneId = std::int32_t;
using PatternId = std::int32_t;
inline constexpr std::int32_t kNone = -1;

enum class TaskKind : std::uint8_t { compute, transfer, collective };
/// What a task's time is booked under in the report.
enum class TaskCategory : std::uint8_t { compute, optimizer, tensor, data, pipeline, other };
enum class TaskPhase : std::uint8_t {
  forward,
  recompute,
  backward,         ///< all of it, or the input gradient where a schedule runs the two apart
  weight_gradient,  ///< where a schedule runs it apart
  gradient_reduction,
  optimizer
};
enum class LaneKind : std::uint8_t {
  compute,
  tensor,
  data,
  send_forward,
  send_backward,
  embedding,
  norm  ///< the gradient norm of all pipeline ranks
};
inline constexpr std::size_t kLaneKinds = 7;

/// A stream of one simulated rank. Its tasks run one after another in program order.
struct Lane {
  std::int64_t rank = 0;          ///< representative rank
  std::int64_t multiplicity = 1;  ///< how many alike ranks it stands for
  std::int32_t pipeline_rank = 0;
  LaneKind kind = LaneKind::compute;
};

/// A link class of the folded network (or one link when unfolded).
struct GraphLink {
  std::string name;  ///< of the representative link
  LinkClass link_class = LinkClass::device_port;
  BytesPerSecond bandwidth{0.0};
  std::int64_t multiplicity = 1;
};

/// A link inside a flow. `own`: how often one flow crosses it (alone: bytes·own/bandwidth).
/// `load`: how many alike flows cross it at the same time, this one included (>= own): what SimGrid
/// shares.
struct FlowLink {
  std::int32_t link = 0;
  std::int32_t own = 1;
  std::int32_t load = 1;
};
struct GraphFlow {
  double volume_fraction = 1.0;
  std::vector<FlowLink> links;
};
/// A communication pattern on the folded network, shared by all tasks of one communicator and kind.
struct GraphPattern {
  Seconds latency{0.0};
  std::vector<GraphFlow> flows;
  double seconds_per_byte_alone =
      0.0;  ///< max over flows and links of volume_fraction·own/bandwidth
};

/// A run of operators with no communication between them, costed once and used by many tasks.
struct Segment {
  std::string name;  ///< e.g. "layer.forward 1/3"
  Seconds time{0.0};
  std::vector<std::pair<OperatorClass, Seconds>> by_class;           ///< adds up to time
  Seconds compute_bound{0.0}, memory_bound{0.0}, launch_bound{0.0};  ///< the rest is stated
  std::vector<std::pair<std::string, Seconds>> operators;            ///< adds up to time
  Flops flops{0.0};
};

struct TaskLabel {
  TaskPhase phase = TaskPhase::forward;
  std::int32_t stage = kNone;
  std::int32_t micro_batch = kNone;
  std::int32_t detail = kNone;  ///< compute: index into segments; else index into names
  std::int32_t block =
      kNone;  ///< position of the block inside its stage; kNone when not of one block
};

/// The program of all simulated ranks: flat arrays indexed by task id, compressed adjacency.
/// A task starts when its predecessor on every lane it sits on and all its dependencies have ended.
/// Compute and transfer tasks sit on one lane (a transfer on its sender's); a collective on one
/// lane of each simulated member, so it starts when all members have arrived. Time alone =
/// fixed_time + bytes · patterns[pattern].seconds_per_byte_alone.
struct TaskGraph {
  std::vector<TaskKind> kind;
  std::vector<TaskCategory> category;
  std::vector<TaskLabel> label;
  std::vector<Seconds>
      fixed_time;  ///< compute: duration; communication: latency, shared with nothing
  std::vector<PatternId> pattern;  ///< kNone for compute and for free communication
  std::vector<Bytes> bytes;        ///< S of the transfer or collective; 0 for compute

  // Compressed rows, sealed by TaskGraphBuilder::build.
  std::vector<std::int32_t>
      lane_begin;  ///< task t sits on task_lanes[lane_begin[t]..lane_begin[t+1])
  std::vector<LaneId> task_lanes;
  std::vector<std::int32_t>
      lane_task_begin;  ///< lane l runs lane_tasks[lane_task_begin[l]..[l+1]) in order
  std::vector<TaskId> lane_tasks;
  std::vector<std::int32_t> dependency_begin;  ///< explicit dependencies only
  std::vector<TaskId> dependencies;
  std::vector<std::int32_t>
      successor_begin;  ///< explicit dependencies and lane order together, no duplicates
  std::vector<TaskId> successors;
  std::vector<std::int32_t> predecessor_count;  ///< matching `successors`

  std::vector<Lane> lanes;
  std::vector<GraphLink> links;
  std::vector<GraphPattern> patterns;
  std::vector<Segment> segments;
  std::vector<std::string> names;

  [[nodiscard]] TaskId size() const { return static_cast<TaskId>(kind.size()); }
  [[nodiscard]] std::span<const TaskId> successors_of(TaskId task) const;
  [[nodiscard]] std::span<const TaskId> dependencies_of(TaskId task) const;
  [[nodiscard]] std::span<const LaneId> lanes_of(TaskId task) const;
  [[nodiscard]] std::span<const TaskId> tasks_on(LaneId lane) const;
  [[nodiscard]] Seconds time_alone(TaskId task) const;
};

/// The task in words: "rank 3 compute: F stage 3 micro-batch 5 (layer.forward 1/3)".
[[nodiscard]] std::string describe_task(const TaskGraph& graph, TaskId task);

/// Collects tasks in any order; lane program order is the order of `add_to_lane` calls on that
/// lane.
class TaskGraphBuilder {
 public:
  LaneId add_lane(const Lane& lane);
  std::int32_t add_link(GraphLink link);
  PatternId add_pattern(GraphPattern pattern);  ///< fills in seconds_per_byte_alone
  std::int32_t add_segment(Segment segment);
  std::int32_t add_name(const std::string& name);  ///< interned

  TaskId add_compute(LaneId lane, TaskCategory category, const TaskLabel& label, Seconds duration);
  /// A transfer or collective; not yet on any lane. `pattern` kNone: takes no time.
  TaskId add_communication(TaskKind kind, TaskCategory category, const TaskLabel& label,
                           PatternId pattern, Bytes bytes);
  void add_to_lane(TaskId task, LaneId lane);
  void add_dependency(TaskId task, TaskId on);

  [[nodiscard]] TaskId size() const { return graph_.size(); }
  [[nodiscard]] const Segment& segment(std::int32_t id) const {
    return graph_.segments.at(static_cast<std::size_t>(id));
  }
  /// Seals the rows and leaves the builder empty.
  [[nodiscard]] TaskGraph build();

 private:
  TaskGraph graph_;
  std::vector<std::pair<TaskId, LaneId>> on_lane_;
  std::vector<std::pair<TaskId, TaskId>> depends_;
};

}  // namespace parsim
