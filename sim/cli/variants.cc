#include "sim/cli/variants.h"

#include <fmt/format.h>

#include "sim/scenario/check.h"
#include "sim/scenario/load.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

bool allows(const ScheduleRule& rule, std::int64_t chunks) {
  const bool enough = chunks >= rule.least_chunks;
  const bool few = rule.most_chunks == 0 || chunks <= rule.most_chunks;
  return enough && few && (rule.name != ScheduleName::hanayo || chunks % 2 == 0);
}

void set_chunks(const ScheduleRule& rule, Variant& variant) {
  ScheduleSpec& spec = variant.scenario.schedule;
  if (allows(rule, spec.chunks)) {
    return;
  }
  spec.chunks = rule.least_chunks;
  if (spec.chunks > 1) {
    variant.changes.push_back(fmt::format("chunks {}", spec.chunks));
  }
  if (!spec.layers_per_stage.empty()) {
    spec.layers_per_stage.clear();
    variant.changes.emplace_back("even layers per stage");
  }
  if (spec.stage_factors.size() > 1) {
    spec.stage_factors.clear();
    variant.changes.emplace_back("no stage factors");
  }
}

/// Rounds of interleaved-1f1b that fit the micro-batches, where the default does not.
void set_group(Variant& variant) {
  const auto count = micro_batch_count(variant.scenario);
  if (variant.name != ScheduleName::interleaved_1f1b) {
    variant.scenario.schedule.group.reset();
    return;
  }
  if (!count || variant.scenario.schedule.group ||
      *count % variant.scenario.parallel.pipeline == 0 || *count > 1'000'000) {
    return;
  }
  const ScheduleShape shape{static_cast<std::int32_t>(variant.scenario.parallel.pipeline),
                            static_cast<std::int32_t>(variant.scenario.schedule.chunks),
                            static_cast<std::int32_t>(*count)};
  if (!pytorch_rounds_problem(shape)) {
    variant.scenario.schedule.group = pytorch_group(shape);
    variant.changes.push_back(fmt::format("group {}", pytorch_group(shape)));
  }
}

void set_slices(Variant& variant) {
  std::int64_t& slices = variant.scenario.schedule.slices;
  if (variant.name != ScheduleName::seq1f1b) {
    slices = 1;
  } else if (slices == 1) {
    const Parallel& parallel = variant.scenario.parallel;
    const std::int64_t parts = parallel.sequence_parallel ? parallel.tensor : 1;
    const std::int64_t sequence = variant.scenario.batch.sequence.value_or(0);
    slices = sequence % (4 * parts) == 0 ? 4 : 2;
    variant.changes.push_back(fmt::format("slices {}", slices));
  }
}

}  // namespace

std::vector<Variant> schedule_variants(const Scenario& scenario,
                                       const std::vector<ScheduleName>& names) {
  std::vector<Variant> variants;
  for (const ScheduleName name : names) {
    Variant variant{name, scenario, {}, ""};
    ScheduleSpec& spec = variant.scenario.schedule;
    spec.name = name;
    if (name != ScheduleName::explicit_order) {
      spec.orders.clear();
    }
    if (name != ScheduleName::automatic) {
      spec.in_flight_limit.reset();
    }
    set_chunks(rule_of(name), variant);
    set_group(variant);
    set_slices(variant);
    if (const auto found = check_scenario(variant.scenario); !found.empty()) {
      variant.problem = found.front().message;
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

}  // namespace parsim
