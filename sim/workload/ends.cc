#include <utility>

#include "sim/workload/transformer.h"

/// The two ends of a transformer: embedding, and final norm + logits + loss.

namespace parsim {
namespace {

constexpr double kFloatBytes = 4.0;
constexpr double kIndexBytes = 8.0;

/// Loss traffic in bytes a logit, in fp32 as Megatron's vocabulary-parallel cross-entropy runs it:
/// maximum 4; subtraction 8, exponential 8, sum 4; backward: softmax minus target 8. Public A100
/// timings (github.com/DebarghaG/estimate-train-time @1ac4d5e441) give 25 forward and 8 backward at
/// 0.70 of the bandwidth. Casts from and to the training precision are added.
constexpr double kLossMaximumBytes = 4.0;
constexpr double kLossExponentialBytes = 20.0;
constexpr double kLossBackwardBytes = 8.0;

double own_activation_bytes(const RankShape& rank) {
  return rank.element_bytes * count(rank.own_tokens, rank.hidden);
}

std::vector<Step> embedding_forward(const RankShape& rank, const TransformerModel& model) {
  const double elements = count(rank.own_tokens, rank.hidden);
  std::vector<Step> steps;
  steps.emplace_back(
      memory_operator(rank, "embedding.lookup", OperatorClass::embedding, Pass::forward,
                      kIndexBytes * count(rank.tokens) +
                          2.0 * rank.element_bytes * count(rank.tokens, rank.hidden)));
  append(steps, reduce_output(rank, "embedding"));
  if (model.positions == Positions::learned) {
    steps.emplace_back(memory_operator(rank, "embedding.positions", OperatorClass::elementwise,
                                       Pass::forward, 3.0 * own_activation_bytes(rank)));
  }
  if (model.dropout) {
    steps.emplace_back(memory_operator(rank, "embedding.dropout", OperatorClass::elementwise,
                                       Pass::forward, (2.0 * rank.element_bytes + 1.0) * elements));
  }
  return steps;
}

/// The gradient table is dense: it is cleared, receives every token's gradient, and is accumulated.
std::vector<Step> embedding_backward(const RankShape& rank, const TransformerModel& model) {
  const double elements = count(rank.own_tokens, rank.hidden);
  const double table = count(rank.vocabulary, rank.hidden);
  const Pass pass = Pass::weight_gradient;
  std::vector<Step> steps;
  if (model.dropout) {
    steps.emplace_back(memory_operator(rank, "embedding.dropout_backward",
                                       OperatorClass::elementwise, pass,
                                       (2.0 * rank.element_bytes + 1.0) * elements));
  }
  if (model.positions == Positions::learned) {
    steps.emplace_back(memory_operator(rank, "embedding.position_gradient",
                                       OperatorClass::embedding, pass, own_activation_bytes(rank)));
  }
  if (rank.sequence_parallel) {
    append(steps, activation_collective(rank, "embedding.gradient_all_gather",
                                        CollectiveKind::all_gather, pass));
  }
  steps.emplace_back(
      memory_operator(rank, "embedding.weight_gradient", OperatorClass::embedding, pass,
                      rank.element_bytes * (table + 3.0 * count(rank.tokens, rank.hidden))));
  if (rank.accumulates) {
    steps.emplace_back(memory_operator(rank, "embedding.accumulate", OperatorClass::elementwise,
                                       pass,
                                       (rank.element_bytes + 2.0 * rank.gradient_bytes) * table));
  }
  return steps;
}

double cast_bytes(const RankShape& rank) {
  return rank.element_bytes == kFloatBytes ? 0.0 : rank.element_bytes + kFloatBytes;
}

Operator loss_operator(const RankShape& rank, std::string name, Pass pass, double bytes_per_logit) {
  return memory_operator(rank, std::move(name), OperatorClass::loss, pass,
                         bytes_per_logit * count(rank.tokens, rank.vocabulary));
}

/// A sum or maximum of one float a token over the vocabulary's parts.
std::vector<Step> loss_all_reduce(const RankShape& rank, const std::string& what) {
  if (rank.tensor == 1) {
    return {};
  }
  return {TensorCollective{"loss." + what + "_all_reduce", CollectiveKind::all_reduce,
                           Pass::forward, Bytes{kFloatBytes * count(rank.tokens)}, 0}};
}

Linear logits(const RankShape& rank) {
  return {"logits", rank.hidden, rank.vocabulary, false};
}

std::vector<Step> head_forward(const RankShape& rank) {
  std::vector<Step> steps;
  steps.emplace_back(norm_forward(rank, "final_norm"));
  append(steps, gather_input(rank, "logits"));
  steps.emplace_back(linear_forward(rank, logits(rank)));
  steps.emplace_back(
      loss_operator(rank, "loss.maximum", Pass::forward, kLossMaximumBytes + cast_bytes(rank)));
  append(steps, loss_all_reduce(rank, "maximum"));
  steps.emplace_back(loss_operator(rank, "loss.exponential", Pass::forward, kLossExponentialBytes));
  append(steps, loss_all_reduce(rank, "target"));
  append(steps, loss_all_reduce(rank, "sum"));
  return steps;
}

std::vector<Step> head_backward(const RankShape& rank) {
  std::vector<Step> steps;
  steps.emplace_back(loss_operator(rank, "loss.backward", Pass::input_gradient,
                                   kLossBackwardBytes + cast_bytes(rank)));
  append(steps, column_parallel_backward(rank, logits(rank)));
  steps.emplace_back(norm_backward(rank, "final_norm"));
  return steps;
}

}  // namespace

Block embedding_block(const Scenario& scenario, const TransformerModel& model) {
  const RankShape rank = rank_shape(scenario);
  Block block;
  block.name = "embedding";
  block.forward = embedding_forward(rank, model);
  block.backward = embedding_backward(rank, model);
  block.parameters = rank.vocabulary * rank.hidden;
  if (model.positions == Positions::learned) {
    block.parameters += model.max_positions * rank.hidden;
  }
  block.output = Bytes{rank.element_bytes * count(rank.tokens, rank.hidden)};
  // Token indexes, and the dropout mask (Korthikanti et al. 2022, section 4.3).
  block.saved = Bytes{kIndexBytes * count(rank.tokens) +
                      (model.dropout ? count(rank.own_tokens, rank.hidden) : 0.0)};
  return block;
}

/// The head keeps the inputs of norm and logits and the fp32 softmax (Korthikanti et al. 2022,
/// section 4.3). With tied embeddings and more than one pipeline stage its weight is a copy of the
/// token embedding; on one stage it is the embedding itself and not counted again.
Block head_block(const Scenario& scenario, const TransformerModel& model) {
  const RankShape rank = rank_shape(scenario);
  const std::int64_t table = rank.vocabulary * rank.hidden;
  const bool copy = model.tied_embeddings && scenario.parallel.pipeline > 1;
  Block block;
  block.name = "head";
  block.forward = head_forward(rank);
  block.backward = head_backward(rank);
  block.parameters = rank.norm_vectors * rank.hidden;
  if (copy || !model.tied_embeddings) {
    block.parameters += table;
  }
  block.shared_parameters = copy ? table : 0;
  block.saved =
      Bytes{2.0 * own_activation_bytes(rank) + kFloatBytes * count(rank.tokens, rank.vocabulary)};
  block.model_flops = Flops{6.0 * count(rank.tokens, model.hidden, model.vocabulary)};
  block.hardware_flops = block.model_flops;
  return block;
}

}  // namespace parsim
