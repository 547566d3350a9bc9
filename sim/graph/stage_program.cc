#include "sim/graph/stage_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace parsim {

namespace {

template <class Key>
void add_time(std::vector<std::pair<Key, Seconds>>& times, const Key& key, Seconds time) {
  const auto found = std::find_if(times.begin(), times.end(),
                                  [&key](const auto& entry) { return entry.first == key; });
  if (found == times.end()) {
    times.emplace_back(key, time);
  } else {
    found->second += time;
  }
}

void add_bound(Segment& segment, const KernelCost& cost) {
  switch (cost.bound) {
    case CostBound::compute:
      segment.compute_bound += cost.time;
      break;
    case CostBound::memory:
      segment.memory_bound += cost.time;
      break;
    case CostBound::launch:
      segment.launch_bound += cost.time;
      break;
    case CostBound::stated:
      break;
  }
}

Segment cost_segment(const CostModel& costs, const std::vector<const Operator*>& operators) {
  Segment segment;
  segment.name = operators.size() == 1
                     ? operators.front()->name
                     : fmt::format("{} ... {}, {} operators", operators.front()->name,
                                   operators.back()->name, operators.size());
  for (const Operator* op : operators) {
    const KernelCost cost = kernel_cost(costs, *op);
    const Seconds time = cost.time;
    segment.time += time;
    add_bound(segment, cost);
    segment.flops += op->flops;
    add_time(segment.by_class, op->op_class, time);
    add_time(segment.operators, op->name, time);
  }
  return segment;
}

/// Appends steps to a list of items, keeping a run of operators open as long as nothing interrupts
/// it.
class ItemWriter {
 public:
  ItemWriter(std::vector<StageItem>& items, SegmentTable& segments)
      : items_(items), segments_(segments) {}

  void write(const std::vector<Step>& steps, TaskPhase phase) {
    if (phase != phase_) {
      flush();
      phase_ = phase;
    }
    for (const Step& step : steps) {
      if (const auto* op = std::get_if<Operator>(&step)) {
        open_.push_back(op);
        if (until_cut_ > 0 && --until_cut_ == 0) {
          flush();
        }
      } else {
        write_collective(std::get<TensorCollective>(step));
      }
    }
  }

  void mark_gradients(std::int64_t parameters) {
    if (parameters > 0) {
      flush();
      items_.emplace_back(GradientItem{parameters});
    }
  }

  void flush() {
    if (!open_.empty()) {
      items_.emplace_back(ComputeItem{segments_.segment(open_), phase_});
      open_.clear();
    }
  }

 private:
  void write_collective(const TensorCollective& collective) {
    flush();
    until_cut_ = collective.overlapped_operators;
    items_.emplace_back(CollectiveItem{collective.kind, phase_, collective.bytes, collective.name,
                                       collective.overlapped_operators > 0 ? 1 : 0});
  }

  std::vector<StageItem>& items_;
  SegmentTable& segments_;
  std::vector<const Operator*> open_;
  TaskPhase phase_ = TaskPhase::forward;
  int until_cut_ = 0;  ///< operators left before the run must end; 0: no limit
};

}  // namespace

std::int32_t SegmentTable::segment(const std::vector<const Operator*>& operators) {
  const auto found = known_.find(operators);
  if (found != known_.end()) {
    return found->second;
  }
  const std::int32_t id = builder_.add_segment(cost_segment(costs_, operators));
  known_.emplace(operators, id);
  return id;
}

StageProgram compile_stage(const Workload& workload, const Stage& stage, SegmentTable& segments) {
  const auto block = [&](std::int64_t index) -> const Block& {
    return workload.types[static_cast<std::size_t>(
        workload.blocks[static_cast<std::size_t>(stage.first_block + index)])];
  };
  StageProgram program;
  ItemWriter forward(program.forward, segments);
  for (std::int64_t i = 0; i < stage.block_count; ++i) {
    forward.write(block(i).forward, TaskPhase::forward);
  }
  forward.flush();

  ItemWriter backward(program.backward, segments);
  ItemWriter last(program.last_backward, segments);
  for (std::int64_t i = stage.block_count; i-- > 0;) {
    for (ItemWriter* writer : {&backward, &last}) {
      writer->write(block(i).recompute, TaskPhase::recompute);
      writer->write(block(i).backward, TaskPhase::backward);
    }
    last.mark_gradients(block(i).parameters);
  }
  backward.flush();
  last.flush();
  return program;
}

}  // namespace parsim
