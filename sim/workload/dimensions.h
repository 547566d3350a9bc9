#pragma once

#include <cstdint>

#include "sim/scenario/scenario.h"

namespace parsim {

/// The sizes of one rank's share of a transformer, named as in the papers.
struct Dimensions {
  double micro = 0;     ///< b: samples per micro-batch
  double sequence = 0;  ///< s: of a sample, or of the slice worked on
  double whole = 0;     ///< of a sample
  double keys = 0;      ///< attended to by the last query: the slice's own and those before it
  double tokens = 0;    ///< b·s
  double spread_tokens =
      0;              ///< tokens outside the tensor-parallel regions: b·s/t with sequence parallel
  double hidden = 0;  ///< h
  double heads = 0;   ///< a/t
  double kv_heads = 0;    ///< on this rank
  double head_size = 0;   ///< d = h/a
  double qkv = 0;         ///< columns of this rank's QKV product: (a + 2·kv)·d/t
  double attention = 0;   ///< a·d/t
  double ffn = 0;         ///< f/t
  double ffn_up = 0;      ///< columns of the up product: f/t, twice that when gated
  double vocabulary = 0;  ///< V/t
  double tensor = 1;      ///< t
};

/// Of slice `slice` of schedule.slices.
[[nodiscard]] Dimensions make_dimensions(const TransformerModel& model, const Scenario& scenario,
                                         std::int32_t slice = 0);

/// Bytes of a stored activation. Matrix products of fp8 training read fp8 copies; tensors stay 16
/// bit.
[[nodiscard]] Bytes activation_size(Precision precision);
/// Precision of everything but linear layers: the training's, beside fp8 a 16-bit one that the
/// device has a peak for.
[[nodiscard]] Precision core_precision(const Scenario& scenario);

[[nodiscard]] std::int64_t kv_heads(const TransformerModel& model);
[[nodiscard]] std::int64_t ffn_hidden(const TransformerModel& model);

/// Parameters on one rank of a tensor group of `tensor` (1: the whole model's).
[[nodiscard]] std::int64_t layer_parameters(const TransformerModel& model, std::int64_t tensor);
[[nodiscard]] std::int64_t token_embedding_parameters(const TransformerModel& model,
                                                      std::int64_t tensor);
[[nodiscard]] std::int64_t position_parameters(const TransformerModel& model);
[[nodiscard]] std::int64_t norm_parameters(const TransformerModel& model);

}  // namespace parsim
