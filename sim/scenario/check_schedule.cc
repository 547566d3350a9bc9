#include <fmt/format.h>

#include <numeric>

#include "sim/base/text.h"
#include "sim/scenario/check.h"
#include "sim/scenario/field.h"
#include "sim/schedule/rules.h"

namespace parsim {
namespace {

constexpr std::int64_t kMostUnits = 50'000'000;  // beyond the most tasks of check_batch

/// The value that a shape's part comes from.
std::string pointer_of(ShapePart part) {
  switch (part) {
    case ShapePart::ranks:
      return "/parallel/pipeline";
    case ShapePart::chunks:
      return "/schedule/chunks";
    case ShapePart::group:
      return "/schedule/group";
    case ShapePart::slices:
      return "/schedule/slices";
    case ShapePart::micro_batches:
      break;
  }
  return "/schedule/name";
}

/// The rules of the schedule named (sim/schedule/rules.h).
void check_shape(const Scenario& scenario, Findings& findings) {
  const ScheduleSpec& schedule = scenario.schedule;
  const auto count = micro_batch_count(scenario);
  if (!count || *count > kMostUnits || scenario.parallel.pipeline > kMostUnits ||
      schedule.chunks > kMostUnits || schedule.group.value_or(1) > kMostUnits ||
      scenario.parallel.pipeline < 1 || schedule.chunks < 1 || schedule.slices < 1) {
    return;  // reported with the batch
  }
  const ScheduleShape shape{static_cast<std::int32_t>(scenario.parallel.pipeline),
                            static_cast<std::int32_t>(schedule.chunks),
                            static_cast<std::int32_t>(*count),
                            static_cast<std::int32_t>(schedule.group.value_or(0)),
                            static_cast<std::int32_t>(schedule.slices)};
  const auto problem = shape_problem(schedule.name, shape);
  if (!problem) {
    return;
  }
  std::vector<std::string> needs = {"/schedule/name", "/schedule/chunks", "/schedule/group",
                                    "/schedule/slices", "/parallel/pipeline"};
  if (problem->part == ShapePart::micro_batches || problem->part == ShapePart::group) {
    needs.insert(needs.end(), {"/parallel/data", "/batch/global", "/batch/micro"});
  }
  findings.push_back({pointer_of(problem->part), problem->message, problem->hint, needs});
}

/// A slice attends to the keys of those before it only if attention is causal, and ranks share a
/// sequence evenly only if its slices are equal.
void check_slices(const Scenario& scenario, Findings& findings) {
  const std::int64_t slices = scenario.schedule.slices;
  if (slices <= 1) {
    return;
  }
  const auto* model = std::get_if<TransformerModel>(&scenario.model);
  const std::vector<std::string> needs = {"/schedule/slices", "/model", "/batch/sequence"};
  if (model == nullptr) {
    findings.push_back(
        {"/schedule/slices", "a list of layers has no sequence to cut", "remove slices", needs});
    return;
  }
  if (!model->causal) {
    findings.push_back({"/schedule/slices",
                        "cutting the sequence needs causal attention: every slice would need the "
                        "keys of those after it",
                        "remove slices, or use a causal model", needs});
  }
  const std::int64_t sequence = scenario.batch.sequence.value_or(0);
  const std::int64_t parts =
      slices * (scenario.parallel.sequence_parallel ? scenario.parallel.tensor : 1);
  if (sequence > 0 && parts > 0 && sequence % parts != 0) {
    findings.push_back({"/schedule/slices",
                        fmt::format("{} tokens do not divide into {} equal parts", sequence, parts),
                        "slices (times tensor, with sequence parallel) divide batch.sequence",
                        {"/schedule/slices", "/batch/sequence", "/parallel"}});
  }
}

void check_factors(const Scenario& scenario, Findings& findings) {
  const auto stages = product({scenario.parallel.pipeline, scenario.schedule.chunks});
  const auto given = static_cast<std::int64_t>(scenario.schedule.stage_factors.size());
  if (stages && given > 1 && given != *stages) {
    findings.push_back({"/schedule/stage_factors",
                        fmt::format("has {} entries for {} stages", given, *stages),
                        "give one entry for all stages, or one per stage in stage order",
                        {"/schedule/stage_factors", "/schedule/chunks", "/parallel/pipeline"}});
  }
}

/// Options that only one schedule reads.
void check_options(const Scenario& scenario, Findings& findings) {
  const ScheduleSpec& schedule = scenario.schedule;
  if (schedule.in_flight_limit && schedule.name != ScheduleName::automatic) {
    findings.push_back({"/schedule/in_flight_limit",
                        "is for the schedule \"auto\" only",
                        "remove it",
                        {"/schedule/name", "/schedule/in_flight_limit"}});
  }
  if (schedule.forward_only && schedule.name == ScheduleName::automatic) {
    findings.push_back({"/schedule/forward_only",
                        "\"auto\" arranges forwards and backwards; there are no backwards here",
                        "use \"1f1b\"",
                        {"/schedule/name", "/schedule/forward_only"}});
  }
}

void check_stages(const Scenario& scenario, Findings& findings) {
  const ScheduleSpec& schedule = scenario.schedule;
  const auto stages = product({scenario.parallel.pipeline, schedule.chunks});
  const std::int64_t layers = layer_count(scenario.model);
  if (!stages || layers <= 0) {
    return;
  }
  const std::string split =
      fmt::format("pipeline {} x chunks {}", scenario.parallel.pipeline, schedule.chunks);
  const std::string model_layers = "/model/layers";
  if (schedule.layers_per_stage.empty()) {
    if (layers % *stages != 0) {
      findings.push_back(
          {"/parallel/pipeline",
           fmt::format("{} layers do not divide into {} equal stages ({})", layers, *stages, split),
           "use a divisor, or give each stage's layers in "
           "schedule.layers_per_stage",
           {"/parallel/pipeline", "/schedule/chunks", "/schedule/layers_per_stage", model_layers}});
    }
    return;
  }
  const auto given = static_cast<std::int64_t>(schedule.layers_per_stage.size());
  const std::int64_t sum = std::accumulate(schedule.layers_per_stage.begin(),
                                           schedule.layers_per_stage.end(), std::int64_t{0});
  if (given != *stages) {
    findings.push_back({"/schedule/layers_per_stage",
                        fmt::format("has {} entries for {} stages ({})", given, *stages, split),
                        "give one count per stage, in stage order",
                        {"/parallel/pipeline", "/schedule/chunks", "/schedule/layers_per_stage"}});
  }
  if (sum != layers) {
    findings.push_back({"/schedule/layers_per_stage",
                        fmt::format("adds up to {} layers, but the model has {}", sum, layers),
                        "every layer stands in exactly one stage",
                        {"/schedule/layers_per_stage", model_layers}});
  }
}

void check_naive(const Scenario& scenario, Findings& findings) {
  const auto count = micro_batch_count(scenario);
  if (scenario.schedule.name != ScheduleName::naive || !count || *count == 1) {
    return;
  }
  findings.push_back(
      {"/schedule/name",
       fmt::format("\"naive\" runs one micro-batch per step, but this batch makes {}", *count),
       fmt::format("set batch.micro to {}, or use \"gpipe\"",
                   scenario.batch.global / scenario.parallel.data),
       {"/schedule/name", "/parallel/data", "/batch/global", "/batch/micro"}});
}

}  // namespace

void check_schedule(const Scenario& scenario, Findings& findings) {
  check_shape(scenario, findings);
  check_stages(scenario, findings);
  check_naive(scenario, findings);
  check_slices(scenario, findings);
  check_factors(scenario, findings);
  check_options(scenario, findings);
}

}  // namespace parsim
