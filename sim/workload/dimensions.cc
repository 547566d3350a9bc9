#include "sim/workload/dimensions.h"

#include "sim/workload/workload.h"

namespace parsim {

std::int64_t kv_heads(const TransformerModel& model) {
  return model.kv_heads > 0 ? model.kv_heads : model.heads;
}

std::int64_t ffn_hidden(const TransformerModel& model) {
  return model.ffn_hidden > 0 ? model.ffn_hidden : 4 * model.hidden;
}

Bytes activation_size(Precision precision) {
  return precision == Precision::fp8 ? element_size(Precision::bf16) : element_size(precision);
}

Precision core_precision(const Scenario& scenario) {
  const auto& peak = scenario.cluster.device.peak;
  if (scenario.training.precision == Precision::fp8) {
    for (const Precision precision : {Precision::bf16, Precision::fp16}) {
      if (peak.contains(precision)) {
        return precision;
      }
    }
  }
  return scenario.training.precision;
}

Dimensions make_dimensions(const TransformerModel& model, const Scenario& scenario,
                           std::int32_t slice) {
  Dimensions d;
  d.tensor = static_cast<double>(scenario.parallel.tensor);
  d.micro = static_cast<double>(scenario.batch.micro);
  d.whole = static_cast<double>(scenario.batch.sequence.value_or(0));
  d.sequence = d.whole / static_cast<double>(scenario.schedule.slices);
  d.keys = d.sequence * (slice + 1);
  d.tokens = d.micro * d.sequence;
  d.spread_tokens = scenario.parallel.sequence_parallel ? d.tokens / d.tensor : d.tokens;
  d.hidden = static_cast<double>(model.hidden);
  d.head_size = d.hidden / static_cast<double>(model.heads);
  d.heads = static_cast<double>(model.heads) / d.tensor;
  d.kv_heads = static_cast<double>(kv_heads(model)) / d.tensor;
  d.qkv = (d.heads + 2 * d.kv_heads) * d.head_size;
  d.attention = d.heads * d.head_size;
  d.ffn = static_cast<double>(ffn_hidden(model)) / d.tensor;
  d.ffn_up = model.activation == Activation::swiglu ? 2 * d.ffn : d.ffn;
  d.vocabulary = static_cast<double>(model.vocabulary) / d.tensor;
  return d;
}

std::int64_t norm_parameters(const TransformerModel& model) {
  return model.normalisation == Normalisation::layernorm ? 2 * model.hidden : model.hidden;
}

/// Column-parallel weights and biases and row-parallel weights are split; row-parallel biases and
/// norms are copies.
std::int64_t layer_parameters(const TransformerModel& model, std::int64_t tensor) {
  const std::int64_t head_size = model.hidden / model.heads;
  const std::int64_t qkv = (model.heads + 2 * kv_heads(model)) * head_size / tensor;
  const std::int64_t ffn = ffn_hidden(model) / tensor;
  const std::int64_t up = model.activation == Activation::swiglu ? 2 * ffn : ffn;
  std::int64_t parameters = model.hidden * (qkv + model.hidden / tensor + up + ffn);
  if (model.bias) {
    parameters += qkv + model.hidden + up + model.hidden;
  }
  return parameters + 2 * norm_parameters(model);
}

std::int64_t token_embedding_parameters(const TransformerModel& model, std::int64_t tensor) {
  return model.vocabulary / tensor * model.hidden;
}

std::int64_t position_parameters(const TransformerModel& model) {
  return model.positions == Positions::learned ? model.max_positions * model.hidden : 0;
}

}  // namespace parsim
