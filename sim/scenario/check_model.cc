#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text.h"
#include "sim/scenario/check.h"
#include "sim/scenario/field.h"

namespace parsim {
namespace {

std::string nearest_multiples(std::int64_t number, std::int64_t part) {
  const std::int64_t below = number / part * part;
  return below > 0 ? fmt::format("the nearest multiples are {} and {}", below, below + part)
                   : fmt::format("the smallest multiple is {}", part);
}

std::int64_t ffn_width(const TransformerModel& model) {
  return model.ffn_hidden > 0 ? model.ffn_hidden : 4 * model.hidden;
}

void check_heads(const TransformerModel& model, Findings& findings) {
  if (!divides(model.heads, model.hidden)) {
    findings.push_back(
        {"/model/hidden",
         fmt::format("hidden {} is not a multiple of {} heads", model.hidden, model.heads),
         nearest_multiples(model.hidden, model.heads),
         {"/model/hidden", "/model/heads"}});
  }
  if (model.kv_heads > 0 && !divides(model.kv_heads, model.heads)) {
    findings.push_back(
        {"/model/kv_heads",
         fmt::format("{} key and value heads do not divide {} heads", model.kv_heads, model.heads),
         "each of them serves equally many heads: use " +
             common_divisors({model.heads}, model.heads),
         {"/model/kv_heads", "/model/heads"}});
  }
}

void check_positions(const TransformerModel& model, const Batch& batch, Findings& findings) {
  const bool learned = model.positions == Positions::learned;
  if (!learned && model.max_positions > 0) {
    findings.push_back({"/model/max_positions",
                        fmt::format("max_positions is for learned positions, but positions are "
                                    "\"{}\"",
                                    spelling_of(model.positions)),
                        "remove it",
                        {"/model/max_positions", "/model/positions"}});
  }
  if (learned && model.max_positions <= 0) {
    findings.push_back({"/model",
                        "learned positions need \"max_positions\"",
                        "give the rows of the position table, or \"positions\": \"rope\"",
                        {"/model/max_positions", "/model/positions"}});
  }
  if (learned && model.max_positions > 0 && batch.sequence.value_or(0) > model.max_positions) {
    findings.push_back({"/batch/sequence",
                        fmt::format("a sequence of {} is longer than the model's {} positions",
                                    *batch.sequence, model.max_positions),
                        fmt::format("use at most {}", model.max_positions),
                        {"/batch/sequence", "/model/max_positions", "/model/positions"}});
  }
}

/// At least as many as there are, whatever the kind of layer.
double transformer_parameters(const TransformerModel& model) {
  const auto hidden = static_cast<double>(model.hidden);
  return static_cast<double>(model.layers) * hidden *
             (4.0 * hidden + 3.0 * static_cast<double>(ffn_width(model))) +
         2.0 * static_cast<double>(model.vocabulary) * hidden;
}

double layer_list_parameters(const LayerListModel& model) {
  double parameters = 0.0;
  for (const LayerSpec& layer : model.layers) {
    parameters += static_cast<double>(layer.parameters) * static_cast<double>(layer.repeat);
  }
  return parameters;
}

/// Products of sizes are 64-bit integers later on; refuse here what would leave them.
void check_transformer_size(const TransformerModel& model, const Batch& batch, Findings& findings) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto ffn = static_cast<double>(ffn_width(model));
  const auto vocabulary = static_cast<double>(model.vocabulary);
  const double parameters = transformer_parameters(model);
  if (parameters > static_cast<double>(kMostParameters)) {
    findings.push_back({"/model",
                        fmt::format("these sizes make about {:.1e} parameters", parameters),
                        fmt::format("the most is {:.0e}", static_cast<double>(kMostParameters)),
                        {"/model"}});
    return;
  }
  constexpr double kMostWork = 4e18;  // FLOP of one kernel; below 2^62
  const auto sequence = static_cast<double>(batch.sequence.value_or(0));
  const double tokens = static_cast<double>(batch.micro) * sequence;
  const double largest =
      std::max({2.0 * tokens * hidden * std::max({3.0 * hidden, 2.0 * ffn, vocabulary}),
                4.0 * tokens * sequence * hidden});
  if (largest > kMostWork) {
    findings.push_back(
        {"/batch",
         fmt::format("one micro-batch of {:.1e} tokens makes kernels of {:.1e} FLOP", tokens,
                     largest),
         fmt::format("use a smaller micro or sequence; the most is {:.0e} FLOP", kMostWork),
         {"/model", "/batch/micro", "/batch/sequence"}});
  }
}

void check_transformer(const Scenario& scenario, const TransformerModel& model,
                       Findings& findings) {
  check_heads(model, findings);
  check_positions(model, scenario.batch, findings);
  check_transformer_size(model, scenario.batch, findings);
  if (!scenario.batch.sequence) {
    findings.push_back({"/batch",
                        "a transformer needs \"sequence\"",
                        "\"sequence\": tokens per sample, e.g. 2048",
                        {"/model", "/batch/sequence"}});
  }
}

void check_layer(const LayerSpec& layer, std::size_t index, bool forward_only, Findings& findings) {
  const bool forward_known = layer.forward_flops > Flops{0.0} || layer.forward_bytes > Bytes{0.0};
  const bool backward_known = layer.backward_time || layer.backward_flops || layer.backward_bytes;
  if (!forward_only && layer.forward_time && !forward_known && !backward_known) {
    const std::string pointer = fmt::format("/model/layers/{}", index);
    findings.push_back({pointer,
                        "has a forward_time, but nothing says what its backward costs",
                        "add \"backward_time\" (often twice the forward), or set "
                        "schedule.forward_only",
                        {pointer, "/schedule/forward_only"}});
  }
}

void check_layer_list(const Scenario& scenario, const LayerListModel& model, Findings& findings) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    check_layer(model.layers[i], i, scenario.schedule.forward_only, findings);
  }
  const double parameters = layer_list_parameters(model);
  const std::int64_t count = layer_count(scenario.model);
  if (model.layers.empty()) {
    findings.push_back(
        {"/model/layers", "is empty", "a model has at least one layer", {"/model/layers"}});
  }
  if (count > kMostLayers) {
    findings.push_back({"/model/layers",
                        fmt::format("the repeats add up to {} layers", grouped(count)),
                        fmt::format("the most is {}", grouped(kMostLayers)),
                        {"/model/layers"}});
  } else if (parameters > static_cast<double>(kMostParameters)) {
    findings.push_back({"/model/layers",
                        fmt::format("these layers have about {:.1e} parameters", parameters),
                        fmt::format("the most is {:.0e}", static_cast<double>(kMostParameters)),
                        {"/model/layers"}});
  }
  if (scenario.parallel.tensor > 1) {
    findings.push_back({"/parallel/tensor",
                        fmt::format("{} ranks cannot share a layer that is known only by its costs",
                                    scenario.parallel.tensor),
                        "set tensor to 1; tensor parallelism needs a transformer",
                        {"/parallel/tensor", "/model/kind"}});
  }
  if (scenario.parallel.sequence_parallel) {
    findings.push_back({"/parallel/sequence_parallel",
                        "is for transformers only",
                        "remove it: a list of layers is not split within a layer",
                        {"/parallel/sequence_parallel", "/model/kind"}});
  }
  if (scenario.batch.sequence) {
    findings.push_back({"/batch/sequence",
                        "is for transformers only",
                        "remove it: a list of layers has costs per sample",
                        {"/batch/sequence", "/model/kind"}});
  }
  if (scenario.training.recompute == Recompute::selective) {
    findings.push_back({"/training/recompute",
                        "\"selective\" computes attention again, and a list of layers has none",
                        "use \"none\" or \"full\"",
                        {"/training/recompute", "/model/kind"}});
  }
}

}  // namespace

double estimated_parameters(const Model& model) {
  const auto* transformer = std::get_if<TransformerModel>(&model);
  return transformer != nullptr ? transformer_parameters(*transformer)
                                : layer_list_parameters(std::get<LayerListModel>(model));
}

void check_model(const Scenario& scenario, Findings& findings) {
  if (const auto* transformer = std::get_if<TransformerModel>(&scenario.model)) {
    check_transformer(scenario, *transformer, findings);
  } else {
    check_layer_list(scenario, std::get<LayerListModel>(scenario.model), findings);
  }
}

}  // namespace parsim
