#include "sim/report/bars.h"

#include <cmath>

namespace parsim {

namespace {

BarKind bar_kind(TaskPhase phase) {
  switch (action_phase(phase)) {
    case TaskPhase::forward:
      return BarKind::forward;
    case TaskPhase::backward:
      return BarKind::backward;
    default:
      return BarKind::optimizer;
  }
}

bool is_multiple(Seconds time, Seconds slot) {
  const double slots = time / slot;
  return std::abs(slots - std::round(slots)) < 1e-6;
}

bool all_multiples(const std::vector<std::vector<Bar>>& rows, Seconds slot) {
  for (const auto& row : rows) {
    for (const Bar& bar : row) {
      if (!is_multiple(bar.start, slot) || !is_multiple(bar.end, slot)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<Bar> bars_of(const TaskGraph& graph, const Timeline& timeline, const RankLanes& rank) {
  std::vector<Bar> bars;
  std::int32_t stage = kNone;
  if (rank.compute == kNone) {
    return bars;
  }
  for (const TaskId task : graph.tasks_on(rank.compute)) {
    const auto t = index_of(task);
    if (!(timeline.start[t] < timeline.end[t])) {
      continue;
    }
    const TaskLabel& label = graph.label[t];
    const BarKind kind = bar_kind(label.phase);
    if (!bars.empty() && bars.back().kind == kind && stage == label.stage &&
        bars.back().micro_batch == label.micro_batch) {
      bars.back().end = timeline.end[t];
    } else {
      bars.push_back({kind, label.micro_batch, timeline.start[t], timeline.end[t]});
    }
    stage = label.stage;
  }
  return bars;
}

Seconds common_slot(const std::vector<std::vector<Bar>>& rows, Seconds makespan,
                    std::int64_t most) {
  // The end of the step is itself a boundary, so the slot divides it: try that many slots, fewest
  // first.
  for (std::int64_t slots = 1; slots <= most; ++slots) {
    const Seconds slot = makespan / static_cast<double>(slots);
    if (Seconds{0.0} < slot && all_multiples(rows, slot)) {
      return slot;
    }
  }
  return Seconds{0.0};
}

}  // namespace parsim
