#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/base/unit_text.h"
#include "sim/scenario/check.h"

namespace parsim {
namespace {

constexpr double kMostTasks = 50e6;
constexpr double kMostBuckets = 100e3;
constexpr double kMostParametersChecked = 1e15;

/// Roughly, after alike ranks are folded: a computation and a transfer per stage, micro-batch and
/// direction, and with tensor parallelism four collectives and what lies between them per layer.
double estimated_tasks(const Scenario& scenario, std::int64_t micro_batches) {
  const double stages = static_cast<double>(scenario.parallel.pipeline) *
                        static_cast<double>(scenario.schedule.chunks);
  const double per_layer = scenario.parallel.tensor > 1 ? 8.0 : 0.0;
  return static_cast<double>(micro_batches) * static_cast<double>(scenario.schedule.slices) *
         (4.0 * stages + per_layer * static_cast<double>(layer_count(scenario.model)));
}

/// Gradients of one rank, taken as an even share of the model, over the size of a bucket.
void check_bucket(const Scenario& scenario, Findings& findings) {
  const Training& training = scenario.training;
  const Parallel& parallel = scenario.parallel;
  if (!training.overlap_gradient_reduction || parallel.data <= 1 || training.bucket <= Bytes{0.0} ||
      parallel.tensor <= 0 || parallel.pipeline <= 0) {
    return;
  }
  const double parameters = estimated_parameters(scenario.model);
  if (parameters > kMostParametersChecked) {
    return;  // reported with the model
  }
  const double bytes_each = training.gradient_precision == Precision::fp16 ||
                                    training.gradient_precision == Precision::bf16
                                ? 2.0
                                : 4.0;
  const Bytes gradients{parameters * bytes_each / static_cast<double>(parallel.tensor) /
                        static_cast<double>(parallel.pipeline)};
  if (gradients / training.bucket > kMostBuckets) {
    findings.push_back({"/training/bucket",
                        fmt::format("{} cuts about {} of gradients into {:.1e} buckets",
                                    exact_text(training.bucket), rounded_text(gradients),
                                    gradients / training.bucket),
                        "the most is 1e5 buckets a rank; 25 MiB is usual",
                        {"/training", "/parallel", "/model"}});
  }
}

}  // namespace

void check_batch(const Scenario& scenario, Findings& findings) {
  check_bucket(scenario, findings);
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
         "the most is 5e7; use a larger micro or a smaller global batch",
         {"/batch", "/parallel", "/schedule/chunks", "/model/layers"}});
  }
}

}  // namespace parsim
