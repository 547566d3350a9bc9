#pragma once

#include "sim/workload/step_writer.h"
#include "sim/workload/workload.h"

namespace parsim {

[[nodiscard]] Block transformer_layer(const TransformerModel& model, const Scenario& scenario,
                                      const Dimensions& d);
/// Token and position embedding, before the first layer.
[[nodiscard]] Block transformer_embedding(const TransformerModel& model, const Scenario& scenario,
                                          const Dimensions& d);
/// Final norm, logits and loss, after the last layer.
[[nodiscard]] Block transformer_head(const TransformerModel& model, const Scenario& scenario,
                                     const Dimensions& d);

}  // namespace parsim
