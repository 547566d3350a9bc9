#include "sim/report/breakdown.h"

namespace parsim {

namespace {

/// Where a rank's warm-up ends and its cool-down starts; warmup_end <= cooldown_start.
struct Turns {
  Seconds warmup_end{0.0};
  Seconds cooldown_start{0.0};
};

Turns find_turns(const TaskGraph& graph, const Timeline& timeline, const RankLanes& rank) {
  bool any_forward = false;
  bool any_backward = false;
  Seconds first_forward{0.0};
  Seconds first_backward{0.0};
  Seconds last_forward{0.0};
  for (const TaskId task : graph.tasks_on(rank.compute)) {
    const auto t = index_of(task);
    const TaskPhase phase = action_phase(graph.label[t].phase);
    if (phase == TaskPhase::forward) {
      first_forward = any_forward ? first_forward : timeline.start[t];
      any_forward = true;
      last_forward = timeline.end[t];
    } else if (phase == TaskPhase::backward && !any_backward) {
      any_backward = true;
      first_backward = timeline.start[t];
    }
  }
  const Seconds warmup_end = any_backward ? first_backward : first_forward;
  return {warmup_end, max(warmup_end, last_forward)};
}

/// How much of [start, end] lies in [from, to].
Seconds overlap(const Span& span, Seconds from, Seconds to) {
  return max(Seconds{0.0}, min(span.end, to) - max(span.start, from));
}

}  // namespace

StageBubble stage_bubble(const TaskGraph& graph, const Timeline& timeline, const RankLanes& rank,
                         const std::vector<Span>& spans) {
  StageBubble bubble;
  bubble.stage = rank.pipeline_rank;
  const Turns turns = rank.compute == kNone ? Turns{} : find_turns(graph, timeline, rank);
  for (const Span& span : spans) {
    if (span.spending == Spending::bubble) {
      bubble.idle += span.end - span.start;
      bubble.warmup += overlap(span, Seconds{0.0}, turns.warmup_end);
      bubble.steady += overlap(span, turns.warmup_end, turns.cooldown_start);
      bubble.cooldown += overlap(span, turns.cooldown_start, timeline.makespan);
    }
  }
  if (Seconds{0.0} < timeline.makespan) {
    bubble.fraction = bubble.idle / timeline.makespan;
  }
  return bubble;
}

}  // namespace parsim
