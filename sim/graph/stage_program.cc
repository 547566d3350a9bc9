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

void add_bound(Segment& segment, CostBound bound, Seconds time) {
  switch (bound) {
    case CostBound::compute:
      segment.compute_bound += time;
      break;
    case CostBound::memory:
      segment.memory_bound += time;
      break;
    case CostBound::launch:
      segment.launch_bound += time;
      break;
    case CostBound::stated:
      break;
  }
}

double factor_of(const StageFactors& factors, Pass pass) {
  switch (pass) {
    case Pass::forward:
      return factors.forward;
    case Pass::input_gradient:
      return factors.input_gradient;
    case Pass::weight_gradient:
      return factors.weight_gradient;
    case Pass::optimizer:
      break;
  }
  return 1.0;
}

Segment cost_segment(const CostModel& costs, const std::vector<const Operator*>& operators,
                     const StageFactors& factors) {
  Segment segment;
  segment.name = operators.size() == 1
                     ? operators.front()->name
                     : fmt::format("{} ... {}, {} operators", operators.front()->name,
                                   operators.back()->name, operators.size());
  for (const Operator* op : operators) {
    const KernelCost cost = kernel_cost(costs, *op);
    const Seconds time = cost.time * factor_of(factors, op->pass);
    segment.time += time;
    add_bound(segment, cost.bound, time);
    segment.flops += op->flops;
    add_time(segment.by_class, op->op_class, time);
    add_time(segment.operators, op->name, time);
  }
  return segment;
}

/// Which steps of a backward go into a list.
enum class Part { all, input_gradient, weight_gradient };

bool belongs(Part part, const Step& step) {
  const bool weight =
      std::visit([](const auto& what) { return what.pass; }, step) == Pass::weight_gradient;
  return part == Part::all || weight == (part == Part::weight_gradient);
}

/// Appends steps to a list of items, keeping a run of operators open as long as nothing interrupts
/// it.
class ItemWriter {
 public:
  ItemWriter(std::vector<StageItem>& items, const StageFactors& factors, SegmentTable& segments)
      : items_(items), factors_(factors), segments_(segments) {}

  void write(const std::vector<Step>& steps, TaskPhase phase, Part part = Part::all) {
    if (phase != phase_) {
      flush();
      phase_ = phase;
    }
    for (const Step& step : steps) {
      if (!belongs(part, step)) {
        continue;
      }
      if (const auto* op = std::get_if<Operator>(&step)) {
        open_.push_back(op);
        if (until_cut_ > 0 && --until_cut_ == 0) {
          flush();
        }
      } else {
        // Apart from its weight gradient, an input gradient has nothing to hide a collective
        // behind.
        write_collective(std::get<TensorCollective>(step), part == Part::all);
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
      items_.emplace_back(ComputeItem{segments_.segment(open_, factors_), phase_});
      open_.clear();
    }
  }

 private:
  void write_collective(const TensorCollective& collective, bool may_overlap) {
    flush();
    const bool overlaps = may_overlap && collective.overlapped_operators > 0;
    until_cut_ = overlaps ? collective.overlapped_operators : 0;
    items_.emplace_back(CollectiveItem{collective.kind, phase_, collective.bytes, collective.name,
                                       overlaps ? 1 : 0});
  }

  std::vector<StageItem>& items_;
  const StageFactors& factors_;
  SegmentTable& segments_;
  std::vector<const Operator*> open_;
  TaskPhase phase_ = TaskPhase::forward;
  int until_cut_ = 0;  ///< operators left before the run must end; 0: no limit
};

}  // namespace

std::int32_t SegmentTable::segment(const std::vector<const Operator*>& operators,
                                   const StageFactors& factors) {
  Key key{operators, {factors.forward, factors.input_gradient, factors.weight_gradient}};
  const auto found = known_.find(key);
  if (found != known_.end()) {
    return found->second;
  }
  const std::int32_t id = builder_.add_segment(cost_segment(costs_, operators, factors));
  known_.emplace(std::move(key), id);
  return id;
}

StageProgram compile_stage(const Workload& workload, const Stage& stage,
                           const StageVariant& variant, SegmentTable& segments) {
  const auto block = [&](std::int64_t index) -> const Block& {
    return workload.block(stage.first_block + index, variant.slice);
  };
  StageProgram program;
  const auto writer = [&](std::vector<StageItem>& items) {
    return ItemWriter(items, variant.factors, segments);
  };
  ItemWriter forward = writer(program.forward);
  for (std::int64_t i = 0; i < stage.block_count; ++i) {
    forward.write(block(i).forward, TaskPhase::forward);
  }
  forward.flush();

  ItemWriter backward = writer(program.backward);
  ItemWriter last = writer(program.last_backward);
  ItemWriter input = writer(program.input_gradient);
  ItemWriter weight = writer(program.weight_gradient);
  ItemWriter last_weight = writer(program.last_weight_gradient);
  for (std::int64_t i = stage.block_count; i-- > 0;) {
    for (ItemWriter* whole : {&backward, &last}) {
      whole->write(block(i).recompute, TaskPhase::recompute);
      whole->write(block(i).backward, TaskPhase::backward);
    }
    input.write(block(i).recompute, TaskPhase::recompute);
    input.write(block(i).backward, TaskPhase::backward, Part::input_gradient);
    for (ItemWriter* part : {&weight, &last_weight}) {
      part->write(block(i).backward, TaskPhase::weight_gradient, Part::weight_gradient);
    }
    last.mark_gradients(block(i).parameters);
    last_weight.mark_gradients(block(i).parameters);
  }
  for (ItemWriter* each : {&backward, &last, &input, &weight, &last_weight}) {
    each->flush();
  }
  return program;
}

}  // namespace parsim
