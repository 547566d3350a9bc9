#include "tools/bench_graph.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/base/units.h"

namespace parsim {
namespace {

constexpr Seconds kForward = 1.0 * milliseconds;
constexpr Seconds kBackward = 2.0 * milliseconds;
constexpr Bytes kActivation = 16.0 * mebibytes;
constexpr BytesPerSecond kNic = 25.0 * gigabytes_per_second;
constexpr Seconds kLatency = 5.0 * microseconds;
constexpr std::uint64_t kSeed = 1;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

struct Rank {
  LaneId compute, forward, backward;
  std::int32_t nic_out, nic_in;
};

class Pipeline {
 public:
  Pipeline(TaskGraphBuilder& builder, Random& random, double jitter, std::int32_t stages,
           std::int32_t micro_batches, std::int64_t first_rank)
      : builder_(builder), random_(random), jitter_(jitter), micro_batches_(micro_batches) {
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      ranks_.push_back(add_rank(first_rank + stage, stage));
    }
    forward_.assign(at(stages), std::vector<TaskId>(at(micro_batches)));
    backward_ = forward_;
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      add_computes(stage);
    }
    for (std::int32_t stage = 0; stage + 1 < stages; ++stage) {
      add_transfers(stage, stage + 1, ranks_[at(stage)].forward, forward_);
      add_transfers(stage + 1, stage, ranks_[at(stage) + 1].backward, backward_);
    }
    for (std::int32_t micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
      builder_.add_dependency(backward_.back()[at(micro_batch)], forward_.back()[at(micro_batch)]);
    }
  }

 private:
  Rank add_rank(std::int64_t rank, std::int32_t stage) {
    const auto lane = [&](LaneKind kind) { return builder_.add_lane({rank, 1, stage, kind}); };
    const auto link = [&](const char* direction) {
      return builder_.add_link(
          {"node" + std::to_string(rank) + ".nic0." + direction, LinkClass::nic, kNic, 1});
    };
    return {lane(LaneKind::compute), lane(LaneKind::send_forward), lane(LaneKind::send_backward),
            link("out"), link("in")};
  }

  TaskId add_compute(std::int32_t stage, TaskPhase phase, std::int32_t micro_batch) {
    TaskLabel label;
    label.phase = phase;
    label.stage = stage;
    label.micro_batch = micro_batch;
    const Seconds time = phase == TaskPhase::forward ? kForward : kBackward;
    return builder_.add_compute(ranks_[at(stage)].compute, TaskCategory::compute, label,
                                time * (1.0 + jitter_ * random_.uniform()));
  }

  /// 1F1B: `warmup` forwards, then one forward and one backward in turn, then the rest.
  void add_computes(std::int32_t stage) {
    const auto stages = static_cast<std::int32_t>(ranks_.size());
    const std::int32_t warmup = std::min(stages - 1 - stage, micro_batches_);
    for (std::int32_t step = 0; step < micro_batches_ + warmup; ++step) {
      if (step < micro_batches_) {
        forward_[at(stage)][at(step)] = add_compute(stage, TaskPhase::forward, step);
      }
      if (step >= warmup) {
        backward_[at(stage)][at(step - warmup)] =
            add_compute(stage, TaskPhase::backward, step - warmup);
      }
    }
  }

  void add_transfers(std::int32_t from, std::int32_t to, LaneId lane,
                     const std::vector<std::vector<TaskId>>& computes) {
    GraphFlow flow;
    flow.links = {{ranks_[at(from)].nic_out, 1, 1}, {ranks_[at(to)].nic_in, 1, 1}};
    GraphPattern pattern;
    pattern.latency = kLatency;
    pattern.flows = {flow};
    const PatternId id = builder_.add_pattern(pattern);
    for (std::int32_t micro_batch = 0; micro_batch < micro_batches_; ++micro_batch) {
      const TaskId transfer = builder_.add_communication(TaskKind::transfer, TaskCategory::pipeline,
                                                         {}, id, kActivation);
      builder_.add_to_lane(transfer, lane);
      builder_.add_dependency(transfer, computes[at(from)][at(micro_batch)]);
      builder_.add_dependency(computes[at(to)][at(micro_batch)], transfer);
    }
  }

  TaskGraphBuilder& builder_;
  Random& random_;
  double jitter_;
  std::int32_t micro_batches_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<TaskId>> forward_, backward_;  ///< [stage][micro-batch]
};

}  // namespace

TaskGraph bench_pipeline(std::int32_t stages, std::int32_t replicas, std::int32_t micro_batches,
                         double jitter) {
  TaskGraphBuilder builder;
  Random random(kSeed);
  for (std::int32_t replica = 0; replica < replicas; ++replica) {
    Pipeline(builder, random, jitter, stages, micro_batches, std::int64_t{replica} * stages);
  }
  return builder.build();
}

}  // namespace parsim
