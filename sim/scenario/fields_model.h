#pragma once

#include "sim/scenario/field.h"

/// Field tables of the model: transformer, list of layers.
namespace parsim {

inline TableTitle title_of(const TransformerModel&) {
  return {"transformer",
          "A decoder- or encoder-only transformer. Sizes are of the whole model, before any "
          "partition."};
}
template <class Visitor>
void describe(Visitor& visit, TransformerModel& model) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              model.name);
  visit.field({.key = "layers", .doc = "transformer layers", .required = true, .most = kMostLayers},
              model.layers);
  visit.field({.key = "hidden",
               .doc = "width of the residual stream; a multiple of heads",
               .required = true,
               .most = kLargestWidth},
              model.hidden);
  visit.field({.key = "heads", .doc = "attention (query) heads", .required = true, .most = 65'536},
              model.heads);
  visit.field({.key = "kv_heads",
               .doc = "key and value heads; fewer than heads is grouped-query attention",
               .most = 65'536,
               .default_text = "as many as heads"},
              model.kv_heads);
  visit.field({.key = "ffn_hidden",
               .doc = "width inside the MLP (of one of the two halves with swiglu)",
               .most = 4 * kLargestWidth,
               .default_text = "4 x hidden"},
              model.ffn_hidden);
  visit.field({.key = "vocabulary",
               .doc = "rows of the token embedding, as trained, padding included",
               .required = true,
               .most = kLargestWidth},
              model.vocabulary);
  visit.field({.key = "max_positions",
               .doc = "rows of the position table; needed with learned positions, else left out",
               .most = kLargestWidth,
               .default_text = "none"},
              model.max_positions);
  visit.field({.key = "activation", .doc = "activation function of the MLP"}, model.activation);
  visit.field({.key = "normalisation", .doc = "normalisation before attention and MLP"},
              model.normalisation);
  visit.field({.key = "positions", .doc = "how positions enter the model"}, model.positions);
  visit.field({.key = "bias", .doc = "linear layers have bias vectors"}, model.bias);
  visit.field({.key = "tied_embeddings", .doc = "the logits use the transposed token embedding"},
              model.tied_embeddings);
  visit.field(
      {.key = "causal", .doc = "causal attention: half the work where the kernel can skip it"},
      model.causal);
  visit.field({.key = "dropout", .doc = "training applies dropout (a mask is written and read)"},
              model.dropout);
  visit.field({.key = "sources", .doc = "where each number comes from"}, model.sources);
}

inline TableTitle title_of(const LayerSpec&) {
  return {"layer",
          "One layer of a list, or several equal ones in a row, described by its costs per "
          "sample."};
}
template <class Visitor>
void describe(Visitor& visit, LayerSpec& layer) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "\"layer\" and its number"},
              layer.name);
  visit.field({.key = "repeat", .doc = "this many equal layers in a row", .most = kMostLayers},
              layer.repeat);
  visit.field({.key = "forward_flops", .doc = "work of the forward pass, per sample"},
              layer.forward_flops);
  visit.field({.key = "backward_flops",
               .doc = "work of the backward pass, per sample",
               .default_text = "2 x forward_flops"},
              layer.backward_flops);
  visit.field(
      {.key = "forward_bytes", .doc = "device-memory traffic of the forward pass, per sample"},
      layer.forward_bytes);
  visit.field({.key = "backward_bytes",
               .doc = "device-memory traffic of the backward pass, per sample",
               .default_text = "2 x forward_bytes"},
              layer.backward_bytes);
  visit.field({.key = "parameters",
               .doc = "trained parameters of one such layer",
               .least = 0,
               .most = kMostParameters},
              layer.parameters);
  visit.field({.key = "output", .doc = "activation handed to the next layer, per sample"},
              layer.output);
  visit.field({.key = "saved",
               .doc = "activation kept for the backward pass, per sample",
               .default_text = "the output"},
              layer.saved);
  visit.field({.key = "forward_time",
               .doc = "measured forward time, per sample; replaces the cost model",
               .default_text = "none: the cost model decides"},
              layer.forward_time);
  visit.field({.key = "backward_time",
               .doc = "measured backward time, per sample; replaces the cost model",
               .default_text = "none: the cost model decides"},
              layer.backward_time);
  visit.field(
      {.key = "weight_gradient_share",
       .doc = "part of the backward that computes weight gradients, where a schedule splits "
              "it",
       .low = 0.0},
      layer.weight_gradient_share);
}

inline TableTitle title_of(const LayerListModel&) {
  return {"layers", "A model given as a list of layers with their costs."};
}
template <class Visitor>
void describe(Visitor& visit, LayerListModel& model) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              model.name);
  visit.field({.key = "layers", .doc = "the layers in forward order", .required = true},
              model.layers);
  visit.field({.key = "sources", .doc = "where each number comes from"}, model.sources);
}

}  // namespace parsim
