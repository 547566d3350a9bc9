#include <fmt/format.h>

#include <numeric>

#include "sim/base/text.h"
#include "sim/scenario/check.h"
#include "sim/scenario/field.h"

namespace parsim {
namespace {

void check_chunks(const Scenario& scenario, Findings& findings) {
  const ScheduleSpec& schedule = scenario.schedule;
  const bool interleaved = schedule.name == ScheduleName::interleaved_1f1b;
  if (interleaved && schedule.chunks < 2) {
    findings.push_back({"/schedule",
                        "interleaved-1f1b needs \"chunks\" of 2 or more",
                        "set chunks (stages per pipeline rank), or use \"1f1b\"",
                        {"/schedule/name", "/schedule/chunks"}});
  }
  if (interleaved && scenario.parallel.pipeline < 2) {
    findings.push_back({"/schedule/name",
                        "interleaved-1f1b needs a pipeline of 2 or more ranks",
                        "set parallel.pipeline, or use \"1f1b\"",
                        {"/schedule/name", "/parallel/pipeline"}});
  }
  if (!interleaved && schedule.name != ScheduleName::explicit_order && schedule.chunks > 1) {
    findings.push_back({"/schedule/chunks",
                        fmt::format("schedule \"{}\" has one stage per rank, not {}",
                                    spelling_of(schedule.name), schedule.chunks),
                        "remove chunks, or use \"interleaved-1f1b\"",
                        {"/schedule/name", "/schedule/chunks"}});
  }
  if (!interleaved && schedule.group) {
    findings.push_back({"/schedule/group",
                        "is for interleaved-1f1b only",
                        "remove it",
                        {"/schedule/name", "/schedule/group"}});
  }
}

/// Megatron-LM: the group is between the pipeline size and the number of micro-batches, and the
/// last round is empty or at least as long as the pipeline.
void check_group(const Scenario& scenario, Findings& findings) {
  const std::int64_t pipeline = scenario.parallel.pipeline;
  const auto count = micro_batch_count(scenario);
  if (scenario.schedule.name != ScheduleName::interleaved_1f1b || !count || pipeline < 2) {
    return;
  }
  const std::vector<std::string> needs = {"/schedule/name", "/schedule/group", "/parallel/pipeline",
                                          "/parallel/data", "/batch/global",   "/batch/micro"};
  if (!scenario.schedule.group) {
    if (*count % pipeline != 0) {
      findings.push_back(
          {"/schedule/name",
           fmt::format("interleaved-1f1b over {} ranks cannot run {} micro-batches in rounds of {}",
                       pipeline, *count, pipeline),
           *count > pipeline
               ? fmt::format("make the micro-batches a multiple of {}, or set schedule.group to {}",
                             pipeline, *count)
               : fmt::format("make the micro-batches a multiple of {}", pipeline),
           needs});
    }
    return;
  }
  const std::int64_t group = *scenario.schedule.group;
  if (group < pipeline || group > *count) {
    findings.push_back({"/schedule/group",
                        fmt::format("a group of {} is not between the pipeline size {} and the {} "
                                    "micro-batches",
                                    group, pipeline, *count),
                        *count < pipeline ? "interleaving needs as many micro-batches as ranks"
                                          : "leave it out for the pipeline size",
                        needs});
  } else if (*count % group != 0 && *count % group < pipeline) {
    findings.push_back({"/schedule/group",
                        fmt::format("{} micro-batches in groups of {} leave a last round of {}, "
                                    "shorter than the pipeline of {}",
                                    *count, group, *count % group, pipeline),
                        "use a group that divides the micro-batches", needs});
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
  check_chunks(scenario, findings);
  check_group(scenario, findings);
  check_stages(scenario, findings);
  check_naive(scenario, findings);
}

}  // namespace parsim
