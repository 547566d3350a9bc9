#include "sim/workload/workload.h"

namespace parsim {
namespace {

std::int64_t count_parameters(const TransformerModel& model) {
  const std::int64_t h = model.hidden;
  const std::int64_t kv_heads = model.kv_heads == 0 ? model.heads : model.kv_heads;
  const std::int64_t kv = kv_heads * (h / model.heads);
  const std::int64_t ffn = model.ffn_hidden == 0 ? 4 * h : model.ffn_hidden;
  const std::int64_t up = model.activation == Activation::swiglu ? 2 * ffn : ffn;
  const std::int64_t norm = model.normalisation == Normalisation::layernorm ? 2 * h : h;
  const std::int64_t weights = h * (h + 2 * kv) + h * h + h * up + ffn * h;
  const std::int64_t biases = model.bias ? (h + 2 * kv) + h + up + h : 0;
  const std::int64_t tables = (model.tied_embeddings ? 1 : 2) * model.vocabulary * h;
  const std::int64_t positions =
      model.positions == Positions::learned ? model.max_positions * h : 0;
  return tables + positions + model.layers * (weights + biases + 2 * norm) + norm;
}

std::int64_t count_parameters(const LayerListModel& model) {
  std::int64_t sum = 0;
  for (const LayerSpec& layer : model.layers) {
    sum += layer.repeat * layer.parameters;
  }
  return sum;
}

}  // namespace

std::int64_t parameter_count(const Model& model) {
  return std::visit([](const auto& kind) { return count_parameters(kind); }, model);
}

}  // namespace parsim
