#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text.h"
#include "sim/scenario/check.h"
#include "sim/scenario/field.h"

namespace parsim {
namespace {

std::vector<std::string> rank_needs() {
  return {"/parallel/data", "/parallel/tensor", "/parallel/pipeline", "/cluster/nodes",
          "/cluster/node/devices"};
}

/// What would make ranks and devices equal with one change.
std::string rank_hint(const Scenario& scenario, std::int64_t ranks, std::int64_t devices) {
  std::vector<std::string> ways;
  const std::int64_t per_replica = ranks / scenario.parallel.data;
  if (devices % per_replica == 0) {
    ways.push_back(fmt::format("parallel.data to {}", devices / per_replica));
  }
  if (ranks % scenario.cluster.node.devices == 0) {
    ways.push_back(fmt::format("cluster.nodes to {}", ranks / scenario.cluster.node.devices));
  }
  return ways.empty() ? "pipeline x tensor x data must be nodes x devices"
                      : "set " + join(ways, ", ", " or ");
}

void check_ranks(const Scenario& scenario, Findings& findings) {
  const Parallel& parallel = scenario.parallel;
  const Cluster& cluster = scenario.cluster;
  if (std::min({parallel.pipeline, parallel.tensor, parallel.data, cluster.nodes,
                cluster.node.devices}) <= 0) {
    return;
  }
  const auto ranks = product({parallel.pipeline, parallel.tensor, parallel.data});
  const auto devices = product({cluster.nodes, cluster.node.devices});
  const std::string split = fmt::format("pipeline {} x tensor {} x data {}", parallel.pipeline,
                                        parallel.tensor, parallel.data);
  if (!ranks || *ranks > kMostRanks) {
    findings.push_back(
        {"/parallel",
         fmt::format("{} is {} ranks", split, ranks ? grouped(*ranks) : std::string("too many")),
         fmt::format("the most is {}", grouped(kMostRanks)), rank_needs()});
  } else if (!devices || *devices > kMostRanks) {
    findings.push_back({"/cluster",
                        fmt::format("{} nodes x {} devices are too many devices", cluster.nodes,
                                    cluster.node.devices),
                        fmt::format("the most is {}", grouped(kMostRanks)), rank_needs()});
  } else if (*ranks != *devices) {
    findings.push_back({"/parallel",
                        fmt::format("{} = {} ranks, but {} nodes x {} devices = {} devices", split,
                                    *ranks, cluster.nodes, cluster.node.devices, *devices),
                        rank_hint(scenario, *ranks, *devices), rank_needs()});
  }
}

void check_order(const Parallel& parallel, Findings& findings) {
  std::vector<Axis> sorted = parallel.order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != std::vector<Axis>{Axis::data, Axis::tensor, Axis::pipeline}) {
    std::vector<std::string> names;
    for (const Axis axis : parallel.order) {
      names.emplace_back(spelling_of(axis));
    }
    findings.push_back({"/parallel/order",
                        fmt::format("[{}] is not an order of the three axes", join(names)),
                        "name tensor, data and pipeline once each, the fastest-varying first",
                        {"/parallel/order"}});
  }
}

/// Megatron-LM's rules: each of these sizes is cut into `tensor` equal parts. Its kv_heads rule is
/// "num_query_groups must be a multiple of tensor_model_parallel_size": no replicated kv heads.
void check_tensor_sizes(const TransformerModel& model, std::int64_t tensor, Findings& findings) {
  const std::int64_t kv_heads = model.kv_heads > 0 ? model.kv_heads : model.heads;
  const std::int64_t ffn = model.ffn_hidden > 0 ? model.ffn_hidden : 4 * model.hidden;
  std::vector<std::string> parts;
  if (!divides(tensor, model.heads)) {
    parts.push_back(fmt::format("{} heads", model.heads));
  }
  if (kv_heads != model.heads && !divides(tensor, kv_heads)) {
    parts.push_back(fmt::format("{} kv_heads", kv_heads));
  }
  if (!divides(tensor, ffn)) {
    parts.push_back(fmt::format("an ffn_hidden of {}", ffn));
  }
  if (!parts.empty()) {
    findings.push_back(
        {"/parallel/tensor",
         fmt::format("{} does not divide {}", tensor, join(parts, ", ", " or ")),
         "sizes that fit: " + common_divisors({model.heads, kv_heads, ffn}, kv_heads),
         {"/parallel/tensor", "/model/heads", "/model/kv_heads", "/model/ffn_hidden",
          "/model/hidden"}});
  }
  if (!divides(tensor, model.vocabulary)) {
    findings.push_back(
        {"/parallel/tensor",
         fmt::format("{} does not divide the vocabulary of {}", tensor, model.vocabulary),
         fmt::format("pad the model's vocabulary as training does, e.g. to {}",
                     model.vocabulary < tensor
                         ? tensor
                         : model.vocabulary - model.vocabulary % tensor + tensor),
         {"/parallel/tensor", "/model/vocabulary"}});
  }
}

}  // namespace

void check_parallel(const Scenario& scenario, Findings& findings) {
  const Parallel& parallel = scenario.parallel;
  check_ranks(scenario, findings);
  check_order(parallel, findings);
  if (const auto* model = std::get_if<TransformerModel>(&scenario.model)) {
    check_tensor_sizes(*model, parallel.tensor, findings);
  }
  const std::int64_t sequence = scenario.batch.sequence.value_or(0);
  if (parallel.sequence_parallel && !divides(parallel.tensor, sequence)) {
    findings.push_back({"/batch/sequence",
                        fmt::format("sequence parallelism cuts a sequence of {} into {} parts",
                                    sequence, parallel.tensor),
                        fmt::format("use a multiple of {}", parallel.tensor),
                        {"/parallel/tensor", "/parallel/sequence_parallel", "/batch/sequence"}});
  }
  if (parallel.sequence_parallel && parallel.scatter_gather_p2p) {
    findings.push_back({"/parallel/scatter_gather_p2p",
                        "with sequence_parallel the stage boundary is split over the ranks already",
                        "remove one of the two",
                        {"/parallel/scatter_gather_p2p", "/parallel/sequence_parallel"}});
  }
}

}  // namespace parsim
