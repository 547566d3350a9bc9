#include "sim/report/breakdown.h"

#include <algorithm>
#include <map>
#include <string>

#include "sim/report/format.h"

namespace parsim {

namespace {

Seconds& field_of(Breakdown& breakdown, Spending spending) {
  switch (spending) {
    case Spending::compute:
      return breakdown.compute;
    case Spending::optimizer:
      return breakdown.optimizer;
    case Spending::exposed_tensor:
      return breakdown.exposed_tensor;
    case Spending::exposed_data:
      return breakdown.exposed_data;
    case Spending::exposed_pipeline:
      return breakdown.exposed_pipeline;
    case Spending::exposed_other:
      return breakdown.exposed_other;
    case Spending::bubble:
      return breakdown.bubble;
    case Spending::other:
      break;
  }
  return breakdown.other;
}

}  // namespace

Breakdown add_up(const std::vector<Span>& spans, std::int64_t rank) {
  Breakdown breakdown;
  breakdown.rank = rank;
  for (const Span& span : spans) {
    field_of(breakdown, span.spending) += span.end - span.start;
  }
  return breakdown;
}

std::vector<ClassTime> time_by_class(const TaskGraph& graph, const RankLanes& rank,
                                     const Breakdown& breakdown) {
  std::map<std::string, Seconds> times;
  if (rank.compute != kNone) {
    for (const TaskId task : graph.tasks_on(rank.compute)) {
      const std::int32_t detail = graph.label[index_of(task)].detail;
      if (graph.kind[index_of(task)] != TaskKind::compute || detail == kNone) {
        continue;
      }
      for (const auto& [op_class, time] : graph.segments[index_of(detail)].by_class) {
        times[to_text(op_class)] += time;
      }
    }
  }
  times["exposed tensor communication"] = breakdown.exposed_tensor;
  times["exposed data communication"] = breakdown.exposed_data;
  times["exposed pipeline communication"] = breakdown.exposed_pipeline;
  times["exposed other communication"] = breakdown.exposed_other;
  std::vector<ClassTime> result;
  for (const auto& [name, time] : times) {
    if (Seconds{0.0} < time) {
      result.push_back({name, time});
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const ClassTime& a, const ClassTime& b) { return b.time < a.time; });
  return result;
}

}  // namespace parsim
