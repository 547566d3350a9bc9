#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/scenario/check.h"

namespace parsim {
namespace {

constexpr double kMostTasks = 200e6;

/// Roughly, after alike ranks are folded: a computation and a transfer per stage, micro-batch and
/// direction, and with tensor parallelism four collectives and what lies between them per layer.
double estimated_tasks(const Scenario& scenario, std::int64_t micro_batches) {
  const double stages = static_cast<double>(scenario.parallel.pipeline) *
                        static_cast<double>(scenario.schedule.chunks);
  const double per_layer = scenario.parallel.tensor > 1 ? 8.0 : 0.0;
  return static_cast<double>(micro_batches) *
         (4.0 * stages + per_layer * static_cast<double>(layer_count(scenario.model)));
}

}  // namespace

void check_batch(const Scenario& scenario, Findings& findings) {
  const Batch& batch = scenario.batch;
  const std::int64_t data = scenario.parallel.data;
  if (batch.global <= 0 || batch.micro <= 0 || data <= 0) {
    return;
  }
  const auto count = micro_batch_count(scenario);
  if (!count) {
    const auto part = product({data, batch.micro});
    std::string hint = "the global batch is micro-batches x data x micro";
    if (part && batch.global > *part) {
      const std::int64_t below = batch.global / *part * *part;
      hint = fmt::format("the nearest are {} and {}", below, below + *part);
    } else if (part) {
      hint = fmt::format("the smallest is {}", *part);
    }
    findings.push_back(
        {"/batch/global",
         fmt::format("{} is not a multiple of data {} x micro {}", batch.global, data, batch.micro),
         hint,
         {"/batch/global", "/batch/micro", "/parallel/data"}});
    return;
  }
  const double tasks = estimated_tasks(scenario, *count);
  if (tasks > kMostTasks) {
    findings.push_back(
        {"/batch/global",
         fmt::format("{} micro-batches make about {:.1e} tasks", grouped(*count), tasks),
         "the most is 2e8; use a larger micro or a smaller global batch",
         {"/batch", "/parallel", "/schedule/chunks", "/model/layers"}});
  }
}

}  // namespace parsim
