#pragma once

#include "sim/workload/workload.h"

namespace parsim {

/// Blocks of a model given as a list of layers: one type a LayerSpec, repeated as it says. FLOPs,
/// bytes, activations and stated times are per sample and multiplied by the micro-batch; traffic of
/// weights and gradients is what the list says, nothing is added. Full recomputation keeps a
/// layer's output, which is the next one's input; selective recomputation has no meaning here and
/// changes nothing.
[[nodiscard]] Workload layer_list_workload(const Scenario& scenario, const LayerListModel& model);

}  // namespace parsim
