#include <algorithm>

#include "sim/workload/transformer.h"

namespace parsim {
namespace {

std::int64_t share(std::int64_t whole, std::int64_t parts) {
  return (whole + parts - 1) / parts;
}

/// W4: bf16 beside fp8 where the device has it.
Precision beside_fp8(const Scenario& scenario) {
  const auto& peak = scenario.cluster.device.peak;
  for (const Precision precision : {Precision::bf16, Precision::fp16}) {
    if (peak.contains(precision)) {
      return precision;
    }
  }
  return Precision::fp8;
}

void set_precisions(RankShape& rank, const Scenario& scenario) {
  const Training& training = scenario.training;
  const bool fp8 = training.precision == Precision::fp8;
  rank.gemm_precision = training.precision;
  rank.vector_precision = fp8 ? beside_fp8(scenario) : training.precision;
  rank.operand_bytes = element_size(training.precision).value();
  rank.element_bytes = fp8 ? element_size(Precision::bf16).value() : rank.operand_bytes;
  rank.gradient_bytes = element_size(training.gradient_precision).value();
  const Batch& batch = scenario.batch;
  const bool one_micro_batch = batch.global <= batch.micro * scenario.parallel.data;
  rank.accumulates = !one_micro_batch || rank.gradient_bytes != rank.element_bytes;
}

}  // namespace

RankShape rank_shape(const Scenario& scenario) {
  const auto& model = std::get<TransformerModel>(scenario.model);
  const Parallel& parallel = scenario.parallel;
  const std::int64_t t = parallel.tensor;
  const bool gated = model.activation == Activation::swiglu;
  RankShape rank;
  rank.tensor = t;
  rank.sequence_parallel = parallel.sequence_parallel && t > 1;
  rank.overlap_tensor_gradient = parallel.overlap_tensor_gradient;
  rank.batch = scenario.batch.micro;
  rank.sequence = scenario.batch.sequence.value_or(0);
  rank.tokens = rank.batch * rank.sequence;
  rank.own_tokens = rank.sequence_parallel ? rank.batch * share(rank.sequence, t) : rank.tokens;
  rank.hidden = model.hidden;
  rank.head_size = model.hidden / model.heads;
  rank.heads = share(model.heads, t);
  rank.kv_heads = share(model.kv_heads == 0 ? model.heads : model.kv_heads, t);
  rank.ffn = share(model.ffn_hidden == 0 ? 4 * model.hidden : model.ffn_hidden, t);
  rank.up_outputs = gated ? 2 * rank.ffn : rank.ffn;
  rank.vocabulary = share(model.vocabulary, t);
  rank.norm_vectors = model.normalisation == Normalisation::layernorm ? 2 : 1;
  set_precisions(rank, scenario);
  return rank;
}

}  // namespace parsim
