#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/workload.h"

/// The transformer as one rank of a Megatron tensor group runs it.
///
/// Assumptions (numbered; the code cites them):
///  W1  Only matrix products count as FLOPs. All other operators are bound by device memory.
///  W2  Model FLOPs count attention over the full s × s square, causal or not, and three passes
///      (forward, two backward products), as Narayanan et al. 2021 (arXiv:2104.04473, appendix). A
///      fused causal kernel executes half of it, an unfused one all of it.
///  W3  Sizes that the tensor group does not divide are rounded up: the rank with the largest
///  shard.
///      Fewer key/value heads than ranks are replicated.
///  W4  Under fp8, matrix products read 1-byte operands; attention, all other operators, saved
///      activations and communication use 2 bytes. Casts and scaling factors are not counted.
///  W5  The bias of column-parallel layers is added in the product or the activation, that of
///      row-parallel layers in the residual kernel; every bias gradient reads its output gradient.
///  W6  A weight gradient is written by its product and added to the accumulated gradient by a
///      kernel of its own. It is not needed when a step is one micro-batch and both precisions
///      agree. Gradients of norms and biases are too small to count.
///  W7  A fused SwiGLU keeps gate, up and product; ReLU keeps its output only.
///  W8  With sequence parallelism the all-reduce of norm-weight gradients at the end of the step is
///      left out (two vectors a layer).
namespace parsim {

/// What one rank holds and runs: model sizes after the partition, and bytes by kind of tensor.
struct RankShape {
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  bool overlap_tensor_gradient = false;

  std::int64_t batch = 0;     ///< samples of a micro-batch
  std::int64_t sequence = 0;  ///< tokens of a sample
  std::int64_t tokens = 0;    ///< batch · sequence
  std::int64_t own_tokens =
      0;  ///< tokens that norms, dropouts and residuals see: 1/tensor when sequence parallel

  std::int64_t hidden = 0;
  std::int64_t head_size = 0;
  std::int64_t heads = 0;         ///< query heads on this rank
  std::int64_t kv_heads = 0;      ///< key (and as many value) heads on this rank
  std::int64_t ffn = 0;           ///< inputs of the second MLP product on this rank
  std::int64_t up_outputs = 0;    ///< outputs of the first MLP product: 2 · ffn with a gate
  std::int64_t vocabulary = 0;    ///< rows of the embedding on this rank
  std::int64_t norm_vectors = 0;  ///< vectors of `hidden` weights in one norm

  Precision gemm_precision = Precision::bf16;
  Precision vector_precision = Precision::bf16;  ///< of everything but linear layers
  double operand_bytes = 0.0;                    ///< one element read by a linear layer
  double element_bytes = 0.0;                    ///< one element of any other tensor
  double gradient_bytes = 0.0;                   ///< one accumulated gradient
  bool accumulates = false;                      ///< W6

  [[nodiscard]] std::int64_t query_outputs() const { return heads * head_size; }
  [[nodiscard]] std::int64_t qkv_outputs() const { return (heads + 2 * kv_heads) * head_size; }
};

/// Precondition: the scenario's model is a transformer and check_scenario found nothing.
[[nodiscard]] RankShape rank_shape(const Scenario& scenario);

/// a · b · c · d without the overflow of integers.
[[nodiscard]] constexpr double count(std::int64_t a, std::int64_t b = 1, std::int64_t c = 1,
                                     std::int64_t d = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c) *
         static_cast<double>(d);
}

/// A linear layer of one rank: `inputs` × `outputs` weights applied to every token.
struct Linear {
  std::string name;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  bool bias = false;  ///< own bias, read here and with a gradient here (W5)
};

/// Y = X·W: m = tokens, n = outputs, k = inputs.
[[nodiscard]] Operator linear_forward(const RankShape& rank, const Linear& linear);
/// dX = dY·Wᵀ.
[[nodiscard]] Operator linear_input_gradient(const RankShape& rank, const Linear& linear);
/// dW = Xᵀ·dY, its accumulation (W6) and the bias gradient (W5): one to three operators.
[[nodiscard]] std::vector<Step> linear_weight_gradient(const RankShape& rank, const Linear& linear);

/// Backward of a layer whose outputs are split over the tensor group (QKV, MLP up, logits):
/// input gradient, its sum over the group, weight gradient. With sequence parallelism the input is
/// gathered again first (Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.2). With
/// `overlap_tensor_gradient` the gather runs beside the input gradient and the sum beside the
/// weight gradient.
[[nodiscard]] std::vector<Step> column_parallel_backward(const RankShape& rank,
                                                         const Linear& linear);
/// Backward of a layer whose inputs are split (projection, MLP down): with sequence parallelism its
/// output gradient is gathered first.
[[nodiscard]] std::vector<Step> row_parallel_backward(const RankShape& rank, const Linear& linear);

/// A kernel that only moves `moved` bytes.
[[nodiscard]] Operator memory_operator(const RankShape& rank, std::string name,
                                       OperatorClass op_class, Pass pass, double moved);
/// A collective over the whole activation of a micro-batch, tokens × hidden; none when tensor = 1.
[[nodiscard]] std::vector<Step> activation_collective(const RankShape& rank, std::string name,
                                                      CollectiveKind kind, Pass pass,
                                                      int overlapped_operators = 0);
/// Sum of a row-parallel output: all-reduce, or reduce-scatter with sequence parallelism.
[[nodiscard]] std::vector<Step> reduce_output(const RankShape& rank, std::string name);
/// With sequence parallelism, the all-gather in front of a column-parallel layer; else nothing.
[[nodiscard]] std::vector<Step> gather_input(const RankShape& rank, std::string name);

/// Forward, and backward, of a norm.
[[nodiscard]] Operator norm_forward(const RankShape& rank, std::string name);
[[nodiscard]] Operator norm_backward(const RankShape& rank, std::string name);

/// The attention core without QKV and projection.
[[nodiscard]] std::vector<Step> attention_forward(const RankShape& rank,
                                                  const TransformerModel& model,
                                                  AttentionKernel kernel);
[[nodiscard]] std::vector<Step> attention_backward(const RankShape& rank,
                                                   const TransformerModel& model,
                                                   AttentionKernel kernel);
/// Activations that only the core keeps: what selective recomputation drops.
[[nodiscard]] Bytes attention_saved(const RankShape& rank, const TransformerModel& model,
                                    AttentionKernel kernel);

[[nodiscard]] Block embedding_block(const Scenario& scenario, const TransformerModel& model);
[[nodiscard]] Block layer_block(const Scenario& scenario, const TransformerModel& model);
[[nodiscard]] Block head_block(const Scenario& scenario, const TransformerModel& model);

/// Joins step lists.
void append(std::vector<Step>& steps, std::vector<Step> more);

}  // namespace parsim
