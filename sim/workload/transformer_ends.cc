// Embedding and head, split over the vocabulary (Shoeybi et al. 2019, section 3).

#include "sim/schedule/rules.h"
#include "sim/workload/transformer.h"

namespace parsim {

namespace {

// Cross-entropy in fp32, bytes a logit, as Megatron runs it kernel by kernel: maximum 4,
// subtraction 8, exponential 8, sum 4; backward probabilities minus target 8. Public A100 timings
// give 25 and 8 at 0.70 of the bandwidth (github.com/DebarghaG/estimate-train-time @1ac4d5e441).
constexpr double kLossForwardBytesPerLogit = 24.0;
constexpr double kLossBackwardBytesPerLogit = 8.0;

/// The cast of a logit to fp32, or of its gradient from it.
Bytes cast_bytes(Precision precision) {
  const Bytes activation = activation_size(precision);
  return activation < Bytes{4.0} ? activation + Bytes{4.0} : Bytes{0.0};
}

/// A pipeline that comes back to its first rank, or two that run against each other, have the first
/// and the last stage on one rank.
bool ends_share_a_rank(const Scenario& scenario) {
  const Placement placement = rule_of(scenario.schedule.name).placement;
  return scenario.parallel.pipeline == 1 || placement == Placement::bidirectional ||
         (placement == Placement::wave && scenario.schedule.chunks % 2 == 0);
}

}  // namespace

Block transformer_embedding(const TransformerModel& model, const Scenario& scenario,
                            const Dimensions& d) {
  Block block;
  block.name = "embedding";
  const Bytes e = activation_size(scenario.training.precision);
  const Bytes x = e * (d.spread_tokens * d.hidden);
  const Bytes mask{d.spread_tokens * d.hidden};
  const Bytes activations = e * (d.tokens * d.hidden);
  const bool spread = scenario.parallel.sequence_parallel;

  StepWriter forward(scenario, d.tensor, block.forward);
  forward.memory("embedding.lookup.forward", OperatorClass::embedding, Pass::forward,
                 2.0 * activations);
  forward.collective("embedding output",
                     spread ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                     Pass::forward, activations);
  if (model.positions == Positions::learned) {
    forward.memory("embedding.position.forward", OperatorClass::embedding, Pass::forward, 3.0 * x);
  }
  if (model.dropout) {
    forward.memory("embedding.dropout.forward", OperatorClass::elementwise, Pass::forward,
                   2.0 * x + mask);
  }

  StepWriter backward(scenario, d.tensor, block.backward);
  if (model.dropout) {
    backward.memory("embedding.dropout.backward", OperatorClass::elementwise, Pass::input_gradient,
                    2.0 * x + mask);
  }
  if (model.positions == Positions::learned) {
    backward.memory("embedding.position.backward", OperatorClass::embedding, Pass::weight_gradient,
                    x);
  }
  if (spread) {
    backward.collective("embedding gradient all-gather", CollectiveKind::all_gather,
                        Pass::input_gradient, activations);
  }
  // The gradient table is dense: cleared, then every token's gradient is read and added to its row.
  const double table_weights = d.vocabulary * d.hidden;
  backward.memory("embedding.lookup.backward", OperatorClass::embedding, Pass::weight_gradient,
                  e * table_weights + 3.0 * activations);
  backward.accumulate("embedding", table_weights);

  block.parameters =
      token_embedding_parameters(model, scenario.parallel.tensor) + position_parameters(model);
  block.output = activations;
  block.saved = Bytes{8.0 * d.tokens} + (model.dropout ? mask : Bytes{0.0});  // token ids, mask
  return block;
}

Block transformer_head(const TransformerModel& model, const Scenario& scenario,
                       const Dimensions& d) {
  Block block;
  block.name = "head";
  const Bytes e = activation_size(scenario.training.precision);
  const Bytes x = e * (d.spread_tokens * d.hidden);
  const Bytes activations = e * (d.tokens * d.hidden);
  const double logits = d.tokens * d.vocabulary;
  const Bytes cast = cast_bytes(scenario.training.precision);
  const bool spread = scenario.parallel.sequence_parallel;

  StepWriter forward(scenario, d.tensor, block.forward);
  forward.memory("final_norm.forward", OperatorClass::norm, Pass::forward, 2.0 * x);
  if (spread) {
    forward.collective("final norm all-gather", CollectiveKind::all_gather, Pass::forward,
                       activations);
  }
  forward.gemm("logits.forward", Pass::forward, d.tokens, d.vocabulary, d.hidden);
  for (const char* name : {"loss maximum", "loss target logit", "loss sum"}) {
    forward.collective(name, CollectiveKind::all_reduce, Pass::forward, Bytes{4.0 * d.tokens});
  }
  forward.memory("loss.forward", OperatorClass::loss, Pass::forward,
                 (Bytes{kLossForwardBytesPerLogit} + cast) * logits);

  StepWriter backward(scenario, d.tensor, block.backward);
  backward.memory("loss.backward", OperatorClass::loss, Pass::input_gradient,
                  (Bytes{kLossBackwardBytesPerLogit} + cast) * logits);
  if (spread) {
    backward.collective("logits input all-gather", CollectiveKind::all_gather, Pass::input_gradient,
                        activations, 1);
  }
  backward.gemm("logits.input_gradient", Pass::input_gradient, d.tokens, d.hidden, d.vocabulary);
  backward.collective("logits input gradient",
                      spread ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                      Pass::input_gradient, activations, backward.weight_gradient_operators());
  backward.weight_gradient("logits", d.hidden, d.vocabulary, d.tokens);
  backward.memory("final_norm.backward", OperatorClass::norm, Pass::input_gradient, 7.0 * x);

  const std::int64_t table = token_embedding_parameters(model, scenario.parallel.tensor);
  block.parameters = norm_parameters(model);
  if (!model.tied_embeddings) {
    block.parameters += table;
  } else if (!ends_share_a_rank(scenario)) {  // a copy of the first stage's table
    block.parameters += table;
    block.shared_parameters = table;
  }
  block.model_flops = Flops{3.0 * 2.0 * d.tensor * logits * d.hidden};
  block.hardware_flops = block.model_flops;
  block.saved = 2.0 * x + Bytes{4.0 * logits};  // inputs of norm and logits; logits in fp32
  return block;
}

}  // namespace parsim
