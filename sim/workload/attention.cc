#include <utility>

#include "sim/workload/transformer.h"

/// The attention core: unfused as batched products with softmax and dropout between them (Megatron
/// 2021), or fused (Dao et al. 2022 and 2023, FlashAttention).

namespace parsim {
namespace {

/// Executed FLOPs of one fused backward over its forward: five products for two (recomputed scores,
/// dV, dP, dQ, dK; Dao 2023, arXiv:2307.08691, section 4.1).
constexpr double kFusedBackwardRatio = 2.5;
constexpr double kFloatBytes = 4.0;

double scores(const RankShape& rank) {
  return count(rank.batch, rank.heads, rank.sequence, rank.sequence);
}
double queries(const RankShape& rank) {
  return count(rank.tokens, rank.heads, rank.head_size);
}
double keys(const RankShape& rank) {
  return count(rank.tokens, rank.kv_heads, rank.head_size);
}

/// Two products of the whole square, or its half where the kernel skips what is masked (W2).
double fused_forward_flops(const RankShape& rank, bool causal) {
  return 4.0 * scores(rank) * count(rank.head_size) * (causal ? 0.5 : 1.0);
}

Operator fused_operator(const RankShape& rank, bool causal, bool backward) {
  Operator op;
  op.name = backward ? "attention.backward" : "attention.forward";
  op.op_class = OperatorClass::attention;
  op.pass = backward ? Pass::input_gradient : Pass::forward;
  op.precision = rank.vector_precision;
  op.flops = Flops{fused_forward_flops(rank, causal) * (backward ? kFusedBackwardRatio : 1.0)};
  // Forward: Q, K, V in, output and one float of row statistics out. Backward: Q, K, V, output, its
  // gradient and the statistics in, dQ, dK, dV out, and one float a row written and read between.
  const double rows = count(rank.batch, rank.heads, rank.sequence);
  const double tensors = (backward ? 4.0 : 2.0) * (queries(rank) + keys(rank));
  op.bytes = Bytes{rank.element_bytes * tensors + kFloatBytes * rows * (backward ? 3.0 : 1.0)};
  op.shape = AttentionShape{rank.batch,     rank.heads, rank.kv_heads, rank.sequence,
                            rank.head_size, causal,     backward};
  return op;
}

/// `moved` counts elements.
Operator product(const RankShape& rank, std::string name, Pass pass, GemmShape shape,
                 double moved) {
  Operator op;
  op.name = std::move(name);
  op.op_class = OperatorClass::batched_gemm;
  op.pass = pass;
  op.precision = rank.vector_precision;
  op.flops = Flops{2.0 * count(shape.m, shape.n, shape.k, shape.batch)};
  op.bytes = Bytes{rank.element_bytes * moved};
  op.shape = shape;
  return op;
}

Operator on_scores(const RankShape& rank, std::string name, Pass pass, double elements,
                   double masks) {
  return memory_operator(rank, std::move(name), OperatorClass::softmax, pass,
                         (rank.element_bytes * elements + masks) * scores(rank));
}

/// The products' shapes: scores are s × s over the head size, contexts s × head size over s.
GemmShape square(const RankShape& rank) {
  return {rank.sequence, rank.sequence, rank.head_size, rank.batch * rank.heads};
}
GemmShape narrow(const RankShape& rank) {
  return {rank.sequence, rank.head_size, rank.sequence, rank.batch * rank.heads};
}

std::vector<Step> unfused_forward(const RankShape& rank, bool dropout) {
  const double moved = queries(rank) + keys(rank) + scores(rank);
  std::vector<Step> steps;
  steps.emplace_back(product(rank, "attention.scores", Pass::forward, square(rank), moved));
  steps.emplace_back(on_scores(rank, "attention.softmax", Pass::forward, 2.0, 0.0));
  if (dropout) {
    steps.emplace_back(on_scores(rank, "attention.dropout", Pass::forward, 2.0, 1.0));
  }
  steps.emplace_back(product(rank, "attention.context", Pass::forward, narrow(rank), moved));
  return steps;
}

std::vector<Step> unfused_backward(const RankShape& rank, bool dropout) {
  const Pass pass = Pass::input_gradient;
  const double moved = queries(rank) + keys(rank) + scores(rank);
  std::vector<Step> steps;
  steps.emplace_back(product(rank, "attention.probability_gradient", pass, square(rank), moved));
  steps.emplace_back(product(rank, "attention.value_gradient", pass, narrow(rank), moved));
  if (dropout) {
    steps.emplace_back(on_scores(rank, "attention.dropout_backward", pass, 2.0, 1.0));
  }
  steps.emplace_back(on_scores(rank, "attention.softmax_backward", pass, 3.0, 0.0));
  steps.emplace_back(product(rank, "attention.query_gradient", pass, narrow(rank), moved));
  steps.emplace_back(product(rank, "attention.key_gradient", pass, narrow(rank), moved));
  return steps;
}

}  // namespace

std::vector<Step> attention_forward(const RankShape& rank, const TransformerModel& model,
                                    AttentionKernel kernel) {
  if (kernel == AttentionKernel::unfused) {
    return unfused_forward(rank, model.dropout);
  }
  return {fused_operator(rank, model.causal, false)};
}

std::vector<Step> attention_backward(const RankShape& rank, const TransformerModel& model,
                                     AttentionKernel kernel) {
  if (kernel == AttentionKernel::unfused) {
    return unfused_backward(rank, model.dropout);
  }
  return {fused_operator(rank, model.causal, true)};
}

/// Unfused (Korthikanti et al. 2022, section 4.1): softmax output, and with dropout its mask and
/// its output. Fused: one float of statistics for each row.
Bytes attention_saved(const RankShape& rank, const TransformerModel& model,
                      AttentionKernel kernel) {
  if (kernel == AttentionKernel::fused) {
    return Bytes{kFloatBytes * count(rank.batch, rank.heads, rank.sequence)};
  }
  return Bytes{scores(rank) *
               (model.dropout ? 2.0 * rank.element_bytes + 1.0 : rank.element_bytes)};
}

}  // namespace parsim
