#include "sim/report/bars.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parsim {

namespace {

BarKind bar_kind(TaskPhase phase) {
  switch (action_phase(phase)) {
    case TaskPhase::forward:
      return BarKind::forward;
    case TaskPhase::backward:
      return BarKind::backward;
    case TaskPhase::weight_gradient:
      return BarKind::weight_gradient;
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

std::string bar_text(const Bar& bar) {
  const std::string number = bar.micro_batch == kNone ? "" : std::to_string(bar.micro_batch);
  switch (bar.kind) {
    case BarKind::forward:
      return number;
    case BarKind::backward:
      return "b" + number;
    case BarKind::weight_gradient:
      return "w" + number;
    case BarKind::optimizer:
      break;
  }
  return "o";
}

std::string sampled_row(const std::vector<Bar>& bars, Seconds column, std::size_t count) {
  std::vector<std::array<double, kBarKinds>> busy(count, {0.0, 0.0, 0.0, 0.0});
  const auto column_of = [&](Seconds time) {
    return std::min(static_cast<std::size_t>(std::max(time / column, 0.0)), count - 1);
  };
  for (const Bar& bar : bars) {
    for (std::size_t c = column_of(bar.start); c <= column_of(bar.end); ++c) {
      const Seconds from = max(bar.start, column * static_cast<double>(c));
      const Seconds to = min(bar.end, column * static_cast<double>(c + 1));
      busy[c][static_cast<std::size_t>(bar.kind)] += std::max((to - from) / column, 0.0);
    }
  }
  std::string row(count, '.');
  for (std::size_t c = 0; c < count; ++c) {
    const auto& [forward, backward, weight, optimizer] = busy[c];
    if (forward + backward + weight + optimizer < 0.5) {
      continue;
    }
    if (optimizer > forward + backward + weight) {
      row[c] = 'o';
    } else if (weight > std::max(forward, backward)) {
      row[c] = 'w';
    } else if (std::min(forward, backward) > 0.2) {
      row[c] = 'x';
    } else {
      row[c] = forward > backward ? '-' : '=';
    }
  }
  for (const Bar& bar : bars) {
    const auto first = static_cast<std::size_t>(std::ceil(bar.start / column - 1e-9));
    const auto last = std::min(count, static_cast<std::size_t>(bar.end / column + 1e-9));
    const std::string label = bar_text(bar);
    if (bar.kind != BarKind::optimizer && first + label.size() <= last) {
      row.replace(first, label.size(), label);
    }
  }
  return row;
}

std::vector<Bar> joined(const std::vector<Bar>& bars, Seconds resolution) {
  std::vector<Bar> result;
  for (const Bar& bar : bars) {
    const bool joins =
        !result.empty() && result.back().kind == bar.kind &&
        bar.start - result.back().end <= resolution &&
        (bar.end - bar.start < resolution || result.back().end - result.back().start < resolution);
    if (joins) {
      result.back().end = bar.end;
      result.back().micro_batch = kNone;
    } else {
      result.push_back(bar);
    }
  }
  return result;
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
