// One transformer layer as one rank of a tensor group runs it (Shoeybi et al. 2019; with sequence
// parallel Korthikanti et al. 2022). Bytes are what an unfused implementation of each named kernel
// reads and writes, in tensors of the size named, e = bytes of an activation, a mask 1 byte:
//
// | kernel                  | tensor          | forward               | backward | |
// ----------------------- | --------------- | --------------------- | --------------------------- |
// | norm                    | tokens × hidden | read 1, write 1       | read 6, write 1 | |
// bias+dropout+residual   | tokens × hidden | read 2, write 1, mask | read 1, mask, write 1       |
// | sum of the branches     | tokens × hidden |                       | read 2, write 1 | | bias
// gradient           | its output      |                       | read 1                      | |
// gelu, relu              | tokens × ffn    | read 1, write 1       | read 2, write 1             |
// | swiglu                  | tokens × ffn    | read 2, write 1       | read 3, write 2 | | rotary
// | queries, keys   | read 1, write 1       | the same                    | | softmax (scale, mask)
// | s × s           | read 1, write 1       | read 2, write 1             | | attention dropout | s
// × s           | read 1, write 1, mask | the same                    | | gradient accumulation   |
// weights         |                       | read 1; sum read, written   |
//
// Norm backward is two kernels: the input gradient reads gradient and input twice (sums of a row,
// then the result), the weight gradient reads both once more. Public A100 timings of it are about
// twice what three tensors would take (github.com/DebarghaG/estimate-train-time @1ac4d5e441).
// Column-parallel biases are added in the product or the activation, row-parallel ones with the
// residual. Accumulated gradients of norms and biases are too small to count.
//
// Fused attention: two products forward, five backward (one recomputed); a causal kernel skips half
// of them.

#include "sim/workload/transformer.h"

namespace parsim {

namespace {

struct LayerWriter {
  const TransformerModel& model;
  const Scenario& scenario;
  const Dimensions& d;
  StepWriter out;
  Bytes e = activation_size(scenario.training.precision);
  bool sequence_parallel = scenario.parallel.sequence_parallel;

  Bytes spread(double elements_per_token) const {
    return e * (d.spread_tokens * elements_per_token);
  }
  Bytes mask() const { return model.dropout ? Bytes{d.spread_tokens * d.hidden} : Bytes{0.0}; }
  Bytes activations() const { return e * (d.tokens * d.hidden); }

  /// Leaves the region where every rank holds all tokens: sums the partial results of a
  /// row-parallel product.
  void leave_parallel_region(const std::string& name, Pass pass, int overlapped = 0) {
    out.collective(name,
                   sequence_parallel ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                   pass, activations(), overlapped);
  }
  /// Enters it: without sequence parallel all ranks have all tokens already.
  void enter_parallel_region(const std::string& name, Pass pass, int overlapped = 0) {
    if (sequence_parallel) {
      out.collective(name, CollectiveKind::all_gather, pass, activations(), overlapped);
    }
  }

  void norm_forward(const std::string& name) {
    out.memory(name + ".forward", OperatorClass::norm, Pass::forward, spread(2 * d.hidden));
  }
  void norm_backward(const std::string& name) {
    out.memory(name + ".backward", OperatorClass::norm, Pass::input_gradient, spread(7 * d.hidden));
    out.memory(name + ".residual.backward", OperatorClass::elementwise, Pass::input_gradient,
               spread(3 * d.hidden));
  }
  void residual_forward(const std::string& name) {
    out.memory(name + ".residual.forward", OperatorClass::elementwise, Pass::forward,
               spread(3 * d.hidden) + mask());
  }
  /// Between the gradient of the residual and the row-parallel product whose bias came after it.
  void residual_backward(const std::string& name) {
    if (model.dropout) {
      out.memory(name + ".dropout.backward", OperatorClass::elementwise, Pass::input_gradient,
                 spread(2 * d.hidden) + mask());
    }
    if (model.bias) {
      out.bias_gradient(name, d.spread_tokens, d.hidden);
    }
  }
  void rotary(const std::string& name, Pass pass) {
    if (model.positions == Positions::rope) {
      out.memory(name, OperatorClass::elementwise, pass,
                 e * (2 * d.tokens * (d.heads + d.kv_heads) * d.head_size));
    }
  }

  double scores() const { return d.micro * d.heads * d.sequence * d.keys; }
  /// Query-key pairs that a causal kernel does not skip: half of the square that is the slice's
  /// own.
  double attended() const {
    return d.micro * d.heads * d.sequence * (d.keys - (model.causal ? d.sequence / 2 : 0.0));
  }
  AttentionShape shape(bool backward) const {
    const auto whole = [](double size) { return static_cast<std::int64_t>(size + 0.5); };
    return {whole(d.micro),     whole(d.heads), whole(d.kv_heads), whole(d.sequence),
            whole(d.head_size), model.causal,   backward,          whole(d.keys)};
  }
  void probabilities_dropout(const std::string& name, Pass pass) {
    if (model.dropout) {
      out.memory(name, OperatorClass::softmax, pass, e * (2 * scores()) + Bytes{scores()});
    }
  }

  void core_forward() {
    const double batch = d.micro * d.heads;
    if (scenario.training.attention == AttentionKernel::fused) {
      out.attention("attention.forward", shape(false), Flops{2.0 * 2.0 * attended() * d.head_size},
                    e * (2 * d.micro * (d.sequence * d.heads + d.keys * d.kv_heads) * d.head_size));
      return;
    }
    out.batched_gemm("attention.scores.forward", Pass::forward, batch, d.sequence, d.keys,
                     d.head_size);
    out.memory("attention.softmax.forward", OperatorClass::softmax, Pass::forward,
               e * (2 * scores()));
    probabilities_dropout("attention.dropout.forward", Pass::forward);
    out.batched_gemm("attention.context.forward", Pass::forward, batch, d.sequence, d.head_size,
                     d.keys);
  }

  void core_backward() {
    const double batch = d.micro * d.heads;
    if (scenario.training.attention == AttentionKernel::fused) {
      out.attention("attention.backward", shape(true), Flops{5.0 * 2.0 * attended() * d.head_size},
                    e * (4 * d.micro * (d.sequence * d.heads + d.keys * d.kv_heads) * d.head_size));
      return;
    }
    const Pass pass = Pass::input_gradient;
    out.batched_gemm("attention.values.backward", pass, batch, d.keys, d.head_size, d.sequence);
    out.batched_gemm("attention.probabilities.backward", pass, batch, d.sequence, d.keys,
                     d.head_size);
    probabilities_dropout("attention.dropout.backward", pass);
    out.memory("attention.softmax.backward", OperatorClass::softmax, pass, e * (3 * scores()));
    out.batched_gemm("attention.queries.backward", pass, batch, d.sequence, d.head_size, d.keys);
    out.batched_gemm("attention.keys.backward", pass, batch, d.keys, d.head_size, d.sequence);
  }

  void forward() {
    norm_forward("norm1");
    enter_parallel_region("norm1 all-gather", Pass::forward);
    out.gemm("qkv.forward", Pass::forward, d.tokens, d.qkv, d.hidden);
    rotary("rotary.forward", Pass::forward);
    core_forward();
    out.gemm("projection.forward", Pass::forward, d.tokens, d.hidden, d.attention);
    leave_parallel_region("attention output", Pass::forward);
    residual_forward("attention");
    norm_forward("norm2");
    enter_parallel_region("norm2 all-gather", Pass::forward);
    out.gemm("mlp.up.forward", Pass::forward, d.tokens, d.ffn_up, d.hidden);
    out.memory("mlp.activation.forward", OperatorClass::activation, Pass::forward,
               e * (d.tokens * (d.ffn_up + d.ffn)));
    out.gemm("mlp.down.forward", Pass::forward, d.tokens, d.hidden, d.ffn);
    leave_parallel_region("mlp output", Pass::forward);
    residual_forward("mlp");
  }

  /// A column-parallel product's backward: its input's gradient is a partial sum, and with sequence
  /// parallel its input has to be gathered again for the weight gradient. Both transfers can hide
  /// behind the products.
  void column_parallel_backward(const std::string& name, double columns) {
    enter_parallel_region(name + " input all-gather", Pass::input_gradient, 1);
    out.gemm(name + ".input_gradient", Pass::input_gradient, d.tokens, d.hidden, columns);
    leave_parallel_region(name + " input gradient", Pass::input_gradient,
                          out.weight_gradient_operators() + (model.bias ? 1 : 0));
    out.weight_gradient(name, d.hidden, columns, d.tokens);
    if (model.bias) {
      out.bias_gradient(name, d.tokens, columns);
    }
  }
  void row_parallel_backward(const std::string& name, double rows) {
    enter_parallel_region(name + " output gradient all-gather", Pass::input_gradient);
    out.gemm(name + ".input_gradient", Pass::input_gradient, d.tokens, rows, d.hidden);
    out.weight_gradient(name, rows, d.hidden, d.tokens);
  }

  void backward() {
    residual_backward("mlp");
    row_parallel_backward("mlp.down", d.ffn);
    out.memory("mlp.activation.backward", OperatorClass::activation, Pass::input_gradient,
               e * (d.tokens * (2 * d.ffn_up + d.ffn)));
    column_parallel_backward("mlp.up", d.ffn_up);
    norm_backward("norm2");
    residual_backward("attention");
    row_parallel_backward("projection", d.attention);
    core_backward();
    rotary("rotary.backward", Pass::input_gradient);
    column_parallel_backward("qkv", d.qkv);
    norm_backward("norm1");
  }
};

/// Bytes kept for the backward, tensor by tensor; adds up to Korthikanti et al. 2022, equations 1
/// to 4, for their layer: sbh·(10 + 24/t + 5as/(ht)), with sequence parallel sbh/t·(34 + 5as/h).
Bytes saved_bytes(const TransformerModel& model, const Scenario& scenario, const Dimensions& d) {
  const Training& training = scenario.training;
  const Bytes e = activation_size(training.precision);
  const Bytes x = e * (d.spread_tokens * d.hidden);
  if (training.recompute == Recompute::full) {
    return x;
  }
  Bytes saved = 4.0 * x;                  // inputs of two norms and of the products after them
  saved += e * (d.tokens * d.qkv);        // Q, K, V
  saved += e * (d.tokens * d.attention);  // input of the projection
  saved += e * (d.tokens * (d.ffn_up + d.ffn));  // inputs of the activation and of the down product
  if (model.dropout) {
    saved += Bytes{2 * d.spread_tokens * d.hidden};  // masks of the two residual dropouts
  }
  if (training.recompute == Recompute::selective) {
    return saved;
  }
  const double scores = d.micro * d.heads * d.sequence * d.keys;
  if (training.attention == AttentionKernel::fused) {
    saved += Bytes{4 * d.micro * d.heads * d.sequence};  // log-sum-exp of every row, fp32
  } else {
    saved += e * scores;  // softmax output
    if (model.dropout) {
      saved += e * scores + Bytes{scores};  // dropout's output and mask
    }
  }
  return saved;
}

}  // namespace

Block transformer_layer(const TransformerModel& model, const Scenario& scenario,
                        const Dimensions& d) {
  Block block;
  block.name = "layer";
  LayerWriter{model, scenario, d, StepWriter(scenario, d.tensor, block.forward)}.forward();
  LayerWriter{model, scenario, d, StepWriter(scenario, d.tensor, block.backward)}.backward();
  const double products = 2.0 * d.tokens * d.hidden * (d.qkv + d.attention + d.ffn_up + d.ffn);
  const double core = 4.0 * d.micro * d.heads * d.sequence * d.whole * d.head_size;
  block.model_flops = Flops{3.0 * d.tensor * (products + core)};
  block.hardware_flops = block.model_flops;
  if (scenario.training.recompute == Recompute::full) {
    block.recompute = block.forward;
    block.hardware_flops += Flops{d.tensor * (products + core)};
  } else if (scenario.training.recompute == Recompute::selective) {
    LayerWriter{model, scenario, d, StepWriter(scenario, d.tensor, block.recompute)}.core_forward();
    block.hardware_flops += Flops{d.tensor * core};
  }
  block.parameters = layer_parameters(model, scenario.parallel.tensor);
  block.output = activation_size(scenario.training.precision) * (d.tokens * d.hidden);
  block.saved = saved_bytes(model, scenario, d);
  return block;
}

}  // namespace parsim
