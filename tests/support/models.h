#pragma once

#include "sim/scenario/scenario.h"

namespace parsim::test {

/// GPT as Narayanan et al. 2021 use it: learned positions, GELU, LayerNorm, tied embeddings.
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

/// Llama: no biases, RMSNorm, SwiGLU, rotary positions, own output matrix, no dropout.
inline TransformerModel llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                              std::int64_t kv_heads, std::int64_t ffn, std::int64_t vocabulary) {
  TransformerModel model;
  model.name = "llama";
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.ffn_hidden = ffn;
  model.vocabulary = vocabulary;
  model.activation = Activation::swiglu;
  model.normalisation = Normalisation::rmsnorm;
  model.positions = Positions::rope;
  model.bias = false;
  model.tied_embeddings = false;
  model.dropout = false;
  return model;
}

}  // namespace parsim::test
