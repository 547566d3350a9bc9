#include "sim/schedule/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/diagnostic.h"
#include "sim/schedule/automatic_bound.h"
#include "sim/schedule/automatic_search.h"
#include "sim/schedule/automatic_stages.h"
#include "sim/schedule/placement.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

ScheduleShape shape_of(const ScheduleProblem& problem) {
  return {problem.ranks, problem.chunks, problem.micro_batches};
}

/// Placements an automatic schedule may choose from; with one stage a rank they are the same.
std::vector<Schedule> placements(const ScheduleProblem& problem) {
  std::vector<Schedule> result{loop_placement(shape_of(problem))};
  if (problem.chunks > 1 && problem.ranks > 1) {
    result.push_back(wave_placement(shape_of(problem)));
  }
  return result;
}

/// Ranks of this placement on which a single micro-batch alone, all chunks in flight, is too much.
std::vector<Diagnostic> too_small(const PlacedStages& stages, const ScheduleProblem& problem) {
  std::vector<Diagnostic> result;
  for (std::int32_t r = 0; r < stages.ranks; ++r) {
    double need = 0.0;
    for (std::int32_t c = 0; c < stages.chunks; ++c) {
      need += stages.activations[at(stages.own[at(r * stages.chunks + c)])];
    }
    if (need > stages.limit[at(r)]) {
      Diagnostic diagnostic;
      diagnostic.message = fmt::format(
          "pipeline rank {} needs {} for the activations of one micro-batch, and its "
          "limit is {}",
          r, need, entry_of(problem.limit, r, kNever));
      diagnostic.hint = "raise the limit, or make the micro-batch smaller";
      result.push_back(std::move(diagnostic));
    }
  }
  return result;
}

bool fits(const Schedule& schedule, const ScheduleProblem& problem) {
  const PlacedStages stages(problem, schedule.stage_rank);
  const auto peak = peak_activations(schedule, problem);
  return std::equal(peak.begin(), peak.end(), stages.limit.begin(),
                    [](double most, double limit) { return most <= limit; });
}

/// Every generated schedule of one copy that fits the limit, each with its makespan.
std::vector<AutomaticSchedule> generated(const ScheduleProblem& problem) {
  std::vector<AutomaticSchedule> result;
  const auto consider = [&](const ScheduleRule& rule, const ScheduleShape& shape) {
    if (shape_problem(rule.name, shape)) {
      return;
    }
    Schedule schedule = generate(rule.name, shape);
    if (fits(schedule, problem)) {
      const auto run = replay(schedule, problem.times);
      result.push_back(
          {std::move(schedule), run ? run->makespan : kNever, 0.0, std::string(rule.spelling)});
    }
  };
  for (const ScheduleRule& rule : schedule_rules()) {
    if (rule.placement == Placement::bidirectional || rule.name == ScheduleName::automatic ||
        rule.name == ScheduleName::explicit_order) {
      continue;
    }
    ScheduleShape shape = shape_of(problem);
    consider(rule, shape);
    if (rule.name == ScheduleName::interleaved_1f1b && !pytorch_rounds_problem(shape)) {
      shape.group = pytorch_group(shape);
      consider(rule, shape);
    }
  }
  return result;
}

/// A rank's steps with their micro-batches: each kind of each stage counts up from 0.
Schedule with_order(Schedule schedule, const Order& order) {
  for (std::size_t r = 0; r < order.size(); ++r) {
    std::vector<std::int32_t> next(at(schedule.stages()) * 4, 0);
    for (const Step& step : order[r]) {
      const std::size_t index = at(step.stage) * 4 + static_cast<std::size_t>(step.kind);
      schedule.ranks[r].push_back({step.kind, step.stage, next[index]++});
    }
  }
  return schedule;
}

}  // namespace

std::vector<double> peak_activations(const Schedule& schedule, const ScheduleProblem& problem) {
  std::vector<double> result;
  for (const auto& actions : schedule.ranks) {
    double now = 0.0;
    double peak = 0.0;
    for (std::size_t begin = 0; begin < actions.size();) {
      std::size_t end = begin;
      while (end + 1 < actions.size() && actions[end].overlaps_next) {
        ++end;
      }
      // The parts of a pair run together: none of them gives back before all have begun.
      double freed = 0.0;
      for (; begin <= end; ++begin) {
        const std::int32_t s = actions[begin].stage % schedule.depth();
        const double all = entry_of(problem.activations, s, 0.0);
        const double kept = entry_of(problem.kept_for_weights, s, 0.0);
        switch (actions[begin].kind) {
          case ActionKind::forward:
            now += all;
            break;
          case ActionKind::backward:
            freed += all;
            break;
          case ActionKind::input_gradient:
            freed += all - kept;
            break;
          case ActionKind::weight_gradient:
            freed += kept;
            break;
          default:
            break;
        }
      }
      peak = std::max(peak, now);
      now -= freed;
    }
    result.push_back(peak);
  }
  return result;
}

AutomaticSchedule automatic_schedule(const ScheduleProblem& problem) {
  AutomaticSchedule best;
  best.makespan = kNever;
  for (AutomaticSchedule& candidate : generated(problem)) {
    if (candidate.makespan < best.makespan) {
      best = std::move(candidate);
    }
  }
  double bound = kNever;
  std::vector<Diagnostic> mistakes;
  for (const Schedule& placement : placements(problem)) {
    const PlacedStages stages(problem, placement.stage_rank);
    if (auto found = too_small(stages, problem); !found.empty()) {
      mistakes = mistakes.empty() ? std::move(found) : mistakes;
      continue;
    }
    const double least = placed_lower_bound(stages, problem.times.pair);
    bound = std::min(bound, least);
    const Order order = search_order(stages, least);
    Schedule schedule = with_order(placement, order);
    const auto run = replay(schedule, problem.times);
    if (run && run->makespan < best.makespan && fits(schedule, problem)) {
      best = {std::move(schedule), run->makespan, 0.0, "search"};
    }
  }
  if (best.makespan == kNever) {
    throw InputError(std::move(mistakes));
  }
  best.lower_bound = std::min(bound, best.makespan);  // where they meet, not above by rounding
  return best;
}

}  // namespace parsim
