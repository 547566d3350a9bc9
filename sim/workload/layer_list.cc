#include "sim/workload/layer_list.h"

namespace parsim {
namespace {

/// Gradients towards inputs and weights take one forward's work each.
constexpr double kBackwardRatio = 2.0;

Operator whole_layer(const Scenario& scenario, const LayerSpec& layer, bool backward) {
  const double samples = static_cast<double>(scenario.batch.micro);
  const auto& time = backward ? layer.backward_time : layer.forward_time;
  Operator op;
  op.name = layer.name + (backward ? ".backward" : ".forward");
  op.op_class = OperatorClass::layer;
  op.pass = backward ? Pass::input_gradient : Pass::forward;
  op.precision = scenario.training.precision;
  op.flops = layer.forward_flops;
  op.bytes = layer.forward_bytes;
  if (backward) {
    op.flops = layer.backward_flops.value_or(kBackwardRatio * layer.forward_flops);
    op.bytes = layer.backward_bytes.value_or(kBackwardRatio * layer.forward_bytes);
  }
  op.flops = samples * op.flops;
  op.bytes = samples * op.bytes;
  if (time) {
    op.given_time = samples * *time;
  }
  return op;
}

Block layer_spec_block(const Scenario& scenario, const LayerSpec& layer) {
  const double samples = static_cast<double>(scenario.batch.micro);
  const Operator forward = whole_layer(scenario, layer, false);
  const Operator backward = whole_layer(scenario, layer, true);
  Block block;
  block.name = layer.name;
  block.forward = {forward};
  block.backward = {backward};
  block.parameters = layer.parameters;
  block.output = samples * layer.output;
  block.saved = samples * layer.saved.value_or(layer.output);
  block.model_flops = forward.flops + backward.flops;
  block.hardware_flops = block.model_flops;
  if (scenario.training.recompute == Recompute::full) {
    block.recompute = block.forward;
    block.saved = block.output;
    block.hardware_flops += forward.flops;
  }
  return block;
}

}  // namespace

Workload layer_list_workload(const Scenario& scenario, const LayerListModel& model) {
  Workload workload;
  for (const LayerSpec& layer : model.layers) {
    const int type = static_cast<int>(workload.types.size());
    workload.types.push_back(layer_spec_block(scenario, layer));
    workload.blocks.insert(workload.blocks.end(), static_cast<std::size_t>(layer.repeat), type);
  }
  workload.layer_count = static_cast<std::int64_t>(workload.blocks.size());
  return workload;
}

}  // namespace parsim
