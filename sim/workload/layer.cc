#include <utility>

#include "sim/workload/transformer.h"

/// One transformer layer (pre-norm), partitioned as in Megatron (Shoeybi et al. 2019,
/// arXiv:1909.08053; sequence parallelism: Korthikanti et al. 2022, arXiv:2205.05198).

namespace parsim {
namespace {

struct LayerLinears {
  Linear qkv, projection, up, down;
};

LayerLinears layer_linears(const RankShape& rank, const TransformerModel& model) {
  return {{"qkv", rank.hidden, rank.qkv_outputs(), model.bias},
          {"projection", rank.query_outputs(), rank.hidden, false},
          {"mlp.up", rank.hidden, rank.up_outputs, false},
          {"mlp.down", rank.ffn, rank.hidden, false}};
}

double vector_bytes(const RankShape& rank, std::int64_t tokens, std::int64_t width) {
  return rank.element_bytes * count(tokens, width);
}

Operator rotary(const RankShape& rank, Pass pass) {
  const std::int64_t width = (rank.heads + rank.kv_heads) * rank.head_size;
  return memory_operator(rank, pass == Pass::forward ? "rotary.forward" : "rotary.backward",
                         OperatorClass::elementwise, pass,
                         2.0 * vector_bytes(rank, rank.tokens, width));
}

Operator activation(const RankShape& rank, Pass pass) {
  const bool forward = pass == Pass::forward;
  const double tensors_in_and_out =
      count(rank.up_outputs) * (forward ? 1.0 : 2.0) + count(rank.ffn);
  return memory_operator(rank, forward ? "activation.forward" : "activation.backward",
                         OperatorClass::activation, pass,
                         rank.element_bytes * count(rank.tokens) * tensors_in_and_out);
}

/// Bias, dropout and addition to the residual in one kernel.
Operator residual_forward(const RankShape& rank, const TransformerModel& model, std::string name) {
  const double elements = count(rank.own_tokens, rank.hidden);
  return memory_operator(rank, name + ".residual", OperatorClass::elementwise, Pass::forward,
                         (3.0 * rank.element_bytes + (model.dropout ? 1.0 : 0.0)) * elements);
}

/// What stands between the gradient of the residual stream and a row-parallel layer.
std::vector<Step> residual_backward(const RankShape& rank, const TransformerModel& model,
                                    const std::string& name) {
  const double elements = count(rank.own_tokens, rank.hidden);
  std::vector<Step> steps;
  if (model.dropout) {
    steps.emplace_back(memory_operator(rank, name + ".dropout_backward", OperatorClass::elementwise,
                                       Pass::input_gradient,
                                       (2.0 * rank.element_bytes + 1.0) * elements));
  }
  if (model.bias) {
    steps.emplace_back(memory_operator(rank, name + ".bias_gradient", OperatorClass::elementwise,
                                       Pass::weight_gradient, rank.element_bytes * elements));
  }
  return steps;
}

/// Norm backward and the sum with the gradient that went round the sublayer.
std::vector<Step> norm_and_residual_backward(const RankShape& rank, const std::string& name) {
  return {norm_backward(rank, name),
          memory_operator(rank, name + ".residual_gradient", OperatorClass::elementwise,
                          Pass::input_gradient,
                          3.0 * vector_bytes(rank, rank.own_tokens, rank.hidden))};
}

std::vector<Step> layer_forward(const RankShape& rank, const TransformerModel& model,
                                AttentionKernel kernel) {
  const LayerLinears linears = layer_linears(rank, model);
  std::vector<Step> steps;
  steps.emplace_back(norm_forward(rank, "norm1"));
  append(steps, gather_input(rank, "qkv"));
  steps.emplace_back(linear_forward(rank, linears.qkv));
  if (model.positions == Positions::rope) {
    steps.emplace_back(rotary(rank, Pass::forward));
  }
  append(steps, attention_forward(rank, model, kernel));
  steps.emplace_back(linear_forward(rank, linears.projection));
  append(steps, reduce_output(rank, "projection"));
  steps.emplace_back(residual_forward(rank, model, "attention"));
  steps.emplace_back(norm_forward(rank, "norm2"));
  append(steps, gather_input(rank, "mlp.up"));
  steps.emplace_back(linear_forward(rank, linears.up));
  steps.emplace_back(activation(rank, Pass::forward));
  steps.emplace_back(linear_forward(rank, linears.down));
  append(steps, reduce_output(rank, "mlp.down"));
  steps.emplace_back(residual_forward(rank, model, "mlp"));
  return steps;
}

std::vector<Step> layer_backward(const RankShape& rank, const TransformerModel& model,
                                 AttentionKernel kernel) {
  const LayerLinears linears = layer_linears(rank, model);
  std::vector<Step> steps;
  append(steps, residual_backward(rank, model, "mlp"));
  append(steps, row_parallel_backward(rank, linears.down));
  steps.emplace_back(activation(rank, Pass::input_gradient));
  if (model.bias) {
    steps.emplace_back(memory_operator(rank, "mlp.up.bias_gradient", OperatorClass::elementwise,
                                       Pass::weight_gradient,
                                       vector_bytes(rank, rank.tokens, rank.up_outputs)));
  }
  append(steps, column_parallel_backward(rank, linears.up));
  append(steps, norm_and_residual_backward(rank, "norm2"));
  append(steps, residual_backward(rank, model, "attention"));
  append(steps, row_parallel_backward(rank, linears.projection));
  append(steps, attention_backward(rank, model, kernel));
  if (model.positions == Positions::rope) {
    steps.emplace_back(rotary(rank, Pass::input_gradient));
  }
  append(steps, column_parallel_backward(rank, linears.qkv));
  append(steps, norm_and_residual_backward(rank, "norm1"));
  return steps;
}

/// Activations one layer keeps without full recomputation. With bf16, GELU, dropout, unfused
/// attention: s·b·h·(10 + 24/t + 5·a·s/(h·t)), and all of it divided by t with sequence parallelism
/// (Korthikanti et al. 2022, equations 1, 2 and 4), summed tensor by tensor so that it also holds
/// for other layers (W7).
Bytes layer_saved(const RankShape& rank, const TransformerModel& model, const Training& training) {
  const double norms_and_linear_inputs = 4.0 * count(rank.own_tokens, rank.hidden);
  const double qkv = count(rank.tokens, rank.qkv_outputs());
  const double projection_input = count(rank.tokens, rank.query_outputs());
  const double activation_input =
      model.activation == Activation::relu ? 0.0 : count(rank.tokens, rank.up_outputs);
  const double down_input = count(rank.tokens, rank.ffn);
  Bytes saved{rank.element_bytes *
              (norms_and_linear_inputs + qkv + projection_input + activation_input + down_input)};
  if (model.dropout) {
    saved += Bytes{2.0 * count(rank.own_tokens, rank.hidden)};  // two masks
  }
  if (training.recompute == Recompute::none) {
    saved += attention_saved(rank, model, training.attention);
  }
  return saved;
}

std::int64_t layer_parameters_on_rank(const RankShape& rank, const TransformerModel& model) {
  const std::int64_t h = rank.hidden;
  const std::int64_t weights =
      h * (rank.qkv_outputs() + rank.query_outputs() + rank.up_outputs + rank.ffn);
  const std::int64_t biases = model.bias ? rank.qkv_outputs() + rank.up_outputs + 2 * h : 0;
  return weights + biases + 2 * rank.norm_vectors * h;
}

/// Forward products of the whole tensor group (W2), attention core apart.
struct ForwardFlops {
  Flops linear{0.0};
  Flops attention{0.0};
};

ForwardFlops forward_flops(const RankShape& rank, const TransformerModel& model) {
  const std::int64_t kv = model.kv_heads == 0 ? model.heads : model.kv_heads;
  const std::int64_t ffn = model.ffn_hidden == 0 ? 4 * model.hidden : model.ffn_hidden;
  const double mlp_products = model.activation == Activation::swiglu ? 3.0 : 2.0;
  const double weights = count(model.hidden, (2 * model.heads + 2 * kv) * rank.head_size) +
                         mlp_products * count(model.hidden, ffn);
  return {Flops{2.0 * count(rank.tokens) * weights},
          Flops{4.0 * count(rank.tokens, rank.sequence, model.heads, rank.head_size)}};
}

}  // namespace

Block layer_block(const Scenario& scenario, const TransformerModel& model) {
  const RankShape rank = rank_shape(scenario);
  const Training& training = scenario.training;
  Block block;
  block.name = "layer";
  block.forward = layer_forward(rank, model, training.attention);
  block.backward = layer_backward(rank, model, training.attention);
  block.parameters = layer_parameters_on_rank(rank, model);
  block.output = Bytes{vector_bytes(rank, rank.tokens, rank.hidden)};
  block.saved = layer_saved(rank, model, training);
  const ForwardFlops flops = forward_flops(rank, model);
  block.model_flops = 3.0 * (flops.linear + flops.attention);
  block.hardware_flops = block.model_flops;
  if (training.recompute == Recompute::full) {
    block.recompute = block.forward;
    block.saved = Bytes{vector_bytes(rank, rank.own_tokens, rank.hidden)};  // the layer's input
    block.hardware_flops += flops.linear + flops.attention;
  } else if (training.recompute == Recompute::selective) {
    block.recompute = attention_forward(rank, model, training.attention);
    block.hardware_flops += flops.attention;
  }
  return block;
}

}  // namespace parsim
