#pragma once

#include "sim/scenario/scenario.h"

/// Scenarios built by hand, for tests of single stages. Not read from files on purpose.
namespace parsim::testing {

/// A round device: 100 TFLOP/s in every precision, 1 TB/s, no overhead, full efficiency.
inline Device round_device() {
  Device device;
  device.name = "round";
  device.kind = "gpu";
  for (const Precision precision :
       {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8}) {
    device.peak[precision] = FlopsPerSecond{100e12};
  }
  device.memory = 80.0 * gibibytes;
  device.memory_bandwidth = BytesPerSecond{1e12};
  device.efficiency = {1.0, 1.0, 1.0, 1.0};
  return device;
}

/// A GPT: GELU, layer norm, learned positions, bias, dropout, tied embeddings.
inline TransformerModel gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                            std::int64_t vocabulary, std::int64_t positions) {
  TransformerModel model;
  model.name = "gpt";
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.vocabulary = vocabulary;
  model.max_positions = positions;
  return model;
}

/// A Llama: SwiGLU, RMS norm, rotary positions, grouped queries, no bias, no dropout, untied.
inline TransformerModel llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                              std::int64_t kv_heads, std::int64_t ffn_hidden,
                              std::int64_t vocabulary) {
  TransformerModel model;
  model.name = "llama";
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.ffn_hidden = ffn_hidden;
  model.vocabulary = vocabulary;
  model.activation = Activation::swiglu;
  model.normalisation = Normalisation::rmsnorm;
  model.positions = Positions::rope;
  model.bias = false;
  model.tied_embeddings = false;
  model.dropout = false;
  return model;
}

/// `model` on one rank of the round device, unfused attention, many micro-batches of one sample.
inline Scenario scenario_of(Model model, std::int64_t sequence = 128) {
  Scenario scenario;
  scenario.name = "test";
  scenario.model = std::move(model);
  scenario.cluster.device = round_device();
  scenario.cluster.node.name = "test";
  scenario.cluster.node.devices = 1;
  scenario.batch.global = 64;
  scenario.batch.micro = 1;
  scenario.batch.sequence = sequence;
  scenario.training.attention = AttentionKernel::unfused;
  return scenario;
}

}  // namespace parsim::testing
