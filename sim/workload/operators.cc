#include <iterator>
#include <utility>

#include "sim/workload/transformer.h"

/// Bytes moved per operator, in elements of `element_bytes` unless said otherwise. T = tokens of
/// the operator (own_tokens for norms, dropouts, residuals), h = hidden, n and k = outputs and
/// inputs of a linear layer, f = ffn, N = batch · heads · s² attention scores, V = vocabulary.
///
/// | operator                   | reads                                | writes      |
/// | -------------------------- | ------------------------------------ | ----------- |
/// | linear forward             | T·k + k·n (operands)                 | T·n         |
/// | linear input gradient      | T·n + k·n (operands)                 | T·k         |
/// | linear weight gradient     | T·n + T·k (operands)                 | k·n         |
/// | gradient accumulation      | k·n + k·n gradients                  | k·n grad.   |
/// | bias gradient              | T·n                                  |             |
/// | norm forward               | T·h                                  | T·h         |
/// | norm backward              | 2·(2·T·h) and again 2·T·h            | T·h         |
/// | activation, no gate        | T·f; backward 2·T·f                  | T·f         |
/// | activation, gated          | 2·T·f; backward 3·T·f                | T·f; 2·T·f  |
/// | residual + dropout         | 2·T·h                                | T·h + mask  |
/// | dropout backward           | T·h + mask                           | T·h         |
/// | residual gradient          | 2·T·h                                | T·h         |
/// | rotary, both passes        | queries and keys                     | the same    |
/// | softmax                    | N; backward 2·N                      | N           |
/// | dropout of probabilities   | N; backward N + mask                 | N + mask; N |
/// | embedding                  | T·h                                  | T·h         |
/// | loss                       | see head.cc                          |             |
/// A mask is 1 byte an element. Norm backward is two kernels: the input gradient reads gradient and
/// input twice (row sums, then the result), the weight gradient reads both once more; public A100
/// timings of it are indeed about twice what three tensors would take.

namespace parsim {
namespace {

Operator linear_operator(const RankShape& rank, std::string name, Pass pass, GemmShape shape,
                         double operands, double results) {
  Operator op;
  op.name = std::move(name);
  op.op_class = OperatorClass::gemm;
  op.pass = pass;
  op.precision = rank.gemm_precision;
  op.flops = Flops{2.0 * count(shape.m, shape.n, shape.k, shape.batch)};
  op.bytes = Bytes{rank.operand_bytes * operands + rank.element_bytes * results};
  op.shape = shape;
  return op;
}

}  // namespace

void append(std::vector<Step>& steps, std::vector<Step> more) {
  steps.insert(steps.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

Operator memory_operator(const RankShape& rank, std::string name, OperatorClass op_class, Pass pass,
                         double moved) {
  Operator op;
  op.name = std::move(name);
  op.op_class = op_class;
  op.pass = pass;
  op.precision = rank.vector_precision;
  op.bytes = Bytes{moved};
  return op;
}

Operator linear_forward(const RankShape& rank, const Linear& linear) {
  const auto [name, k, n, bias] = linear;
  const double operands = count(rank.tokens, k) + count(k, n) + (bias ? count(n) : 0.0);
  return linear_operator(rank, name + ".forward", Pass::forward, {rank.tokens, n, k, 1}, operands,
                         count(rank.tokens, n));
}

Operator linear_input_gradient(const RankShape& rank, const Linear& linear) {
  const auto [name, k, n, bias] = linear;
  return linear_operator(rank, name + ".input_gradient", Pass::input_gradient,
                         {rank.tokens, k, n, 1}, count(rank.tokens, n) + count(k, n),
                         count(rank.tokens, k));
}

std::vector<Step> linear_weight_gradient(const RankShape& rank, const Linear& linear) {
  const auto [name, k, n, bias] = linear;
  std::vector<Step> steps;
  steps.emplace_back(linear_operator(rank, name + ".weight_gradient", Pass::weight_gradient,
                                     {k, n, rank.tokens, 1},
                                     count(rank.tokens, n) + count(rank.tokens, k), count(k, n)));
  if (rank.accumulates) {
    steps.emplace_back(memory_operator(
        rank, name + ".accumulate", OperatorClass::elementwise, Pass::weight_gradient,
        (rank.element_bytes + 2.0 * rank.gradient_bytes) * count(k, n)));
  }
  if (bias) {
    steps.emplace_back(memory_operator(rank, name + ".bias_gradient", OperatorClass::elementwise,
                                       Pass::weight_gradient,
                                       rank.element_bytes * count(rank.tokens, n)));
  }
  return steps;
}

std::vector<Step> activation_collective(const RankShape& rank, std::string name,
                                        CollectiveKind kind, Pass pass, int overlapped_operators) {
  if (rank.tensor == 1) {
    return {};
  }
  return {TensorCollective{std::move(name), kind, pass,
                           Bytes{rank.element_bytes * count(rank.tokens, rank.hidden)},
                           overlapped_operators}};
}

std::vector<Step> reduce_output(const RankShape& rank, std::string name) {
  return rank.sequence_parallel
             ? activation_collective(rank, name + ".reduce_scatter", CollectiveKind::reduce_scatter,
                                     Pass::forward)
             : activation_collective(rank, name + ".all_reduce", CollectiveKind::all_reduce,
                                     Pass::forward);
}

std::vector<Step> gather_input(const RankShape& rank, std::string name) {
  if (!rank.sequence_parallel) {
    return {};
  }
  return activation_collective(rank, name + ".all_gather", CollectiveKind::all_gather,
                               Pass::forward);
}

std::vector<Step> column_parallel_backward(const RankShape& rank, const Linear& linear) {
  std::vector<Step> steps;
  if (rank.sequence_parallel) {
    append(steps, activation_collective(rank, linear.name + ".input_all_gather",
                                        CollectiveKind::all_gather, Pass::weight_gradient,
                                        rank.overlap_tensor_gradient ? 1 : 0));
  }
  steps.emplace_back(linear_input_gradient(rank, linear));
  std::vector<Step> weight = linear_weight_gradient(rank, linear);
  const int overlapped = rank.overlap_tensor_gradient ? static_cast<int>(weight.size()) : 0;
  const bool scatter = rank.sequence_parallel;
  append(steps,
         activation_collective(
             rank, linear.name + (scatter ? ".gradient_reduce_scatter" : ".gradient_all_reduce"),
             scatter ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
             Pass::input_gradient, overlapped));
  append(steps, std::move(weight));
  return steps;
}

std::vector<Step> row_parallel_backward(const RankShape& rank, const Linear& linear) {
  std::vector<Step> steps;
  if (rank.sequence_parallel) {
    append(steps, activation_collective(rank, linear.name + ".gradient_all_gather",
                                        CollectiveKind::all_gather, Pass::input_gradient));
  }
  steps.emplace_back(linear_input_gradient(rank, linear));
  append(steps, linear_weight_gradient(rank, linear));
  return steps;
}

Operator norm_forward(const RankShape& rank, std::string name) {
  return memory_operator(rank, name + ".forward", OperatorClass::norm, Pass::forward,
                         2.0 * rank.element_bytes * count(rank.own_tokens, rank.hidden));
}

Operator norm_backward(const RankShape& rank, std::string name) {
  return memory_operator(rank, name + ".backward", OperatorClass::norm, Pass::input_gradient,
                         7.0 * rank.element_bytes * count(rank.own_tokens, rank.hidden));
}

}  // namespace parsim
