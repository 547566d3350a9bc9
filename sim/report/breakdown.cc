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

namespace {

std::vector<ClassTime> largest_first(const std::map<std::string, Seconds>& times) {
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

}  // namespace

std::vector<ClassTime> bound_by(const TaskGraph& graph, const RankLanes& rank,
                                const Breakdown& breakdown) {
  Seconds compute{0.0};
  Seconds memory{0.0};
  Seconds launch{0.0};
  if (rank.compute != kNone) {
    for (const TaskId task : graph.tasks_on(rank.compute)) {
      const std::int32_t detail = graph.label[index_of(task)].detail;
      if (graph.kind[index_of(task)] == TaskKind::compute && detail != kNone) {
        const Segment& segment = graph.segments[index_of(detail)];
        compute += segment.compute_bound;
        memory += segment.memory_bound;
        launch += segment.launch_bound;
      }
    }
  }
  const Seconds work = breakdown.compute + breakdown.optimizer;
  Seconds stated = work - (compute + memory + launch);
  if (stated < 1e-9 * work) {
    stated = Seconds{0.0};  // rounding
  }
  return largest_first({{"compute", compute},
                        {"memory bandwidth", memory},
                        {"kernel launches", launch},
                        {"stated times", stated},
                        {"communication", breakdown.exposed_tensor + breakdown.exposed_data +
                                              breakdown.exposed_pipeline + breakdown.exposed_other},
                        {"bubble", breakdown.bubble},
                        {"other", breakdown.other}});
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
  return largest_first(times);
}

}  // namespace parsim
