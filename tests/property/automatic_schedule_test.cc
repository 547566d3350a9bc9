#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/schedule/automatic.h"
#include "sim/schedule/placement.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"

using namespace parsim;

namespace {

constexpr double kRounding = 1.0 + 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

StageTimes random_stage(Random& random) {
  const double forward = 0.5 + random.uniform();
  const double input = 0.5 + random.uniform();
  return {forward, input, 0.5 + random.uniform()};
}

ScheduleProblem random_problem(Random& random, std::int32_t chunks) {
  ScheduleProblem problem;
  problem.ranks = static_cast<std::int32_t>(random.between(2, 8));
  problem.chunks = chunks;
  problem.micro_batches =
      static_cast<std::int32_t>(random.between(problem.ranks, 4 * problem.ranks));
  for (std::int32_t s = 0; s < problem.ranks * chunks; ++s) {
    problem.times.stages.push_back(random_stage(random));
  }
  problem.times.hop = 0.3 * random.uniform();
  const auto whole = random.between(problem.ranks, 2 * problem.ranks + 1);
  problem.limit = {random.between(0, 9) == 0 ? kNever : static_cast<double>(whole * chunks)};
  return problem;
}

/// Memory anywhere between one micro-batch and more than enough, other on every rank, and a part of
/// it kept for W.
void random_memory(Random& random, ScheduleProblem& problem) {
  const std::int32_t stages = problem.ranks * problem.chunks;
  problem.activations.clear();
  problem.kept_for_weights.clear();
  problem.limit.clear();
  for (std::int32_t s = 0; s < stages; ++s) {
    problem.activations.push_back(0.5 + random.uniform());
    problem.kept_for_weights.push_back(problem.activations.back() * random.uniform());
  }
  for (std::int32_t r = 0; r < problem.ranks; ++r) {
    // One micro-batch of the loop placement; the V may fit or not.
    double one = 0.0;
    for (std::int32_t s = r; s < stages; s += problem.ranks) {
      one += problem.activations[static_cast<std::size_t>(s)];
    }
    problem.limit.push_back(one * (1.0 + 3.0 * random.uniform()));
  }
}

bool fits(const Schedule& schedule, const ScheduleProblem& problem) {
  const auto peak = peak_activations(schedule, problem);
  for (std::size_t r = 0; r < peak.size(); ++r) {
    if (peak[r] > problem.limit[problem.limit.size() == 1 ? 0 : r] * kRounding) {
      return false;
    }
  }
  return true;
}

/// Each stage and micro-batch has its F once, and B once or I and W once each, on its own rank.
bool complete(const Schedule& schedule, const ScheduleProblem& problem) {
  const std::int32_t m = problem.micro_batches;
  std::vector<int> seen(static_cast<std::size_t>(schedule.stages() * m * 3), 0);
  for (std::size_t r = 0; r < schedule.ranks.size(); ++r) {
    for (const Action& action : schedule.ranks[r]) {
      if (schedule.rank_of(action.stage) != static_cast<std::int32_t>(r)) {
        return false;
      }
      const auto slot = static_cast<std::size_t>((action.stage * m + action.micro_batch) * 3);
      seen[slot] += action.kind == ActionKind::forward;
      seen[slot + 1] += is_backward(action.kind) && action.kind != ActionKind::weight_gradient;
      seen[slot + 2] +=
          action.kind == ActionKind::backward || action.kind == ActionKind::weight_gradient;
    }
  }
  return schedule.stages() == problem.ranks * problem.chunks && schedule.micro_batches == m &&
         std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; });
}

double best_generated(const ScheduleProblem& problem) {
  const ScheduleShape shape{problem.ranks, problem.chunks, problem.micro_batches};
  double best = kNever;
  for (const ScheduleRule& rule : schedule_rules()) {
    if (rule.placement == Placement::bidirectional || rule.name == ScheduleName::automatic ||
        rule.name == ScheduleName::explicit_order || shape_problem(rule.name, shape)) {
      continue;
    }
    const Schedule schedule = generate(rule.name, shape);
    if (fits(schedule, problem)) {
      best = std::min(best, replay(schedule, problem.times)->makespan);
    }
  }
  return best;
}

/// What always holds; returns makespan / lower bound.
double checked_ratio(const ScheduleProblem& problem) {
  CAPTURE(problem.ranks, problem.chunks, problem.micro_batches, problem.limit);
  const AutomaticSchedule found = automatic_schedule(problem);
  CHECK(complete(found.schedule, problem));
  CHECK(fits(found.schedule, problem));
  const auto run = replay(found.schedule, problem.times);
  REQUIRE(run);
  CHECK(run->makespan == found.makespan);
  CHECK(found.makespan <= best_generated(problem));
  CHECK(found.lower_bound <= found.makespan * kRounding);
  return found.makespan / found.lower_bound;
}

/// All orders of one rank that fit, micro-batches ascending within each kind of each stage.
void orders_of_rank(const ScheduleProblem& problem, const Schedule& placement, std::int32_t rank,
                    std::vector<std::vector<Action>>& result) {
  const auto stages = static_cast<std::size_t>(placement.stages());
  std::vector<std::int32_t> done[3];
  for (auto& kind : done) {
    kind.assign(stages, 0);
  }
  constexpr ActionKind kKinds[] = {ActionKind::forward, ActionKind::input_gradient,
                                   ActionKind::weight_gradient};
  std::vector<Action> order;
  const std::function<void()> extend = [&] {
    bool full = true;
    for (std::size_t s = 0; s < stages; ++s) {
      for (std::size_t k = 0; k < 3 && placement.stage_rank[s] == rank; ++k) {
        if (done[k][s] == problem.micro_batches) {
          continue;
        }
        full = false;
        if (k > 0 && done[k][s] == done[k - 1][s]) {
          continue;
        }
        order.push_back({kKinds[k], static_cast<std::int32_t>(s), done[k][s]++});
        Schedule alone = placement;
        alone.ranks[static_cast<std::size_t>(rank)] = order;
        if (fits(alone, problem)) {
          extend();
        }
        --done[k][s];
        order.pop_back();
      }
    }
    if (full) {
      result.push_back(order);
    }
  };
  extend();
}

double best_of_all_orders(const ScheduleProblem& problem, Schedule placement) {
  std::vector<std::vector<std::vector<Action>>> choices(placement.ranks.size());
  for (std::size_t r = 0; r < choices.size(); ++r) {
    orders_of_rank(problem, placement, static_cast<std::int32_t>(r), choices[r]);
  }
  double best = kNever;
  const std::function<void(std::size_t)> pick = [&](std::size_t r) {
    if (r == choices.size()) {
      if (const auto run = replay(placement, problem.times)) {
        best = std::min(best, run->makespan);
      }
      return;
    }
    for (const auto& order : choices[r]) {
      placement.ranks[r] = order;
      pick(r + 1);
    }
  };
  pick(0);
  return best;
}

}  // namespace

TEST_CASE("200 random profiles: fits, complete, never worse than a generated one, near the bound") {
  Random random(20240);
  std::vector<double> ratios;
  for (int n = 0; n < 200; ++n) {
    ratios.push_back(checked_ratio(random_problem(random, n < 150 ? 1 : 2)));
  }
  const auto near = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r <= 1.02; });
  CHECK(near >= 160);
}

TEST_CASE("any memory that holds one micro-batch gives an order") {
  Random random(77);
  for (int n = 0; n < 40; ++n) {
    ScheduleProblem problem = random_problem(random, static_cast<std::int32_t>(n % 4 + 1));
    problem.ranks = std::min(problem.ranks, 4);
    problem.micro_batches = std::min(problem.micro_batches, 12);
    problem.times.stages.resize(static_cast<std::size_t>(problem.ranks * problem.chunks));
    random_memory(random, problem);
    checked_ratio(problem);
  }
}

TEST_CASE("no order of all is below the bound, and the search misses the best by little") {
  struct Size {
    std::int32_t ranks, chunks, micro_batches;
  };
  Random random(4);
  for (const Size size : {Size{2, 1, 2}, {2, 1, 3}, {3, 1, 2}, {2, 2, 1}, {4, 1, 1}, {1, 2, 1}}) {
    for (int n = 0; n < 25; ++n) {
      ScheduleProblem problem;
      problem.ranks = size.ranks;
      problem.chunks = size.chunks;
      problem.micro_batches = size.micro_batches;
      for (std::int32_t s = 0; s < size.ranks * size.chunks; ++s) {
        problem.times.stages.push_back(random_stage(random));
      }
      problem.times.hop = 0.3 * random.uniform();
      random_memory(random, problem);
      const ScheduleShape shape{size.ranks, size.chunks, size.micro_batches};
      const double best = std::min(best_of_all_orders(problem, loop_placement(shape)),
                                   best_of_all_orders(problem, wave_placement(shape)));
      const AutomaticSchedule found = automatic_schedule(problem);
      CAPTURE(size.ranks, size.chunks, size.micro_batches, n);
      CHECK(found.lower_bound <= best * kRounding);
      CHECK(found.makespan <= best * 1.02);
    }
  }
}

TEST_CASE("16 ranks and 128 micro-batches come near the bound") {
  Random random(5);
  for (const std::int32_t chunks : {1, 2}) {
    ScheduleProblem problem;
    problem.ranks = 16;
    problem.chunks = chunks;
    problem.micro_batches = 128;
    for (std::int32_t s = 0; s < 16 * chunks; ++s) {
      problem.times.stages.push_back(random_stage(random));
    }
    problem.limit = {17.0 * chunks};
    CHECK(checked_ratio(problem) < 1.02);
  }
}
