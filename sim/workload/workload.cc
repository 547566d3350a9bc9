#include "sim/workload/workload.h"

#include "sim/scenario/orders.h"
#include "sim/workload/transformer.h"

namespace parsim {

namespace {

Workload transformer_workload(const TransformerModel& model, const Scenario& scenario) {
  Workload workload;
  workload.slices = static_cast<std::int32_t>(scenario.schedule.slices);
  for (std::int32_t slice = 0; slice < workload.slices; ++slice) {
    const Dimensions d = make_dimensions(model, scenario, slice);
    workload.types.push_back(transformer_embedding(model, scenario, d));
    workload.types.push_back(transformer_layer(model, scenario, d));
    workload.types.push_back(transformer_head(model, scenario, d));
  }
  workload.blocks.assign(static_cast<std::size_t>(model.layers) + 2, 1);
  workload.blocks.front() = 0;
  workload.blocks.back() = 2;
  workload.first_layer = 1;
  workload.layer_count = model.layers;
  workload.tokens_per_sample = scenario.batch.sequence.value_or(0);
  workload.tied_embeddings = model.tied_embeddings;
  return workload;
}

Operator layer_operator(const LayerSpec& spec, const Scenario& scenario, bool backward) {
  const auto samples = static_cast<double>(scenario.batch.micro);
  Operator op;
  op.name = spec.name + (backward ? ".backward" : ".forward");
  op.op_class = OperatorClass::layer;
  op.pass = backward ? Pass::input_gradient : Pass::forward;
  op.precision = scenario.training.precision;
  op.flops = samples * (backward ? spec.backward_flops.value_or(2.0 * spec.forward_flops)
                                 : spec.forward_flops);
  op.bytes = samples * (backward ? spec.backward_bytes.value_or(2.0 * spec.forward_bytes)
                                 : spec.forward_bytes);
  const auto& time = backward ? spec.backward_time : spec.forward_time;
  if (time) {
    op.given_time = samples * *time;
  }
  return op;
}

/// The backward in one piece, or as input and weight gradient where the schedule runs them apart or
/// factors tell them apart.
std::vector<Step> layer_backward(const LayerSpec& spec, const Scenario& scenario) {
  const Operator whole = layer_operator(spec, scenario, true);
  if (!splits_backward(scenario.schedule) && scenario.schedule.stage_factors.empty()) {
    return {whole};
  }
  const auto part = [&whole](double share) {
    Operator op = whole;
    op.flops = share * op.flops;
    op.bytes = share * op.bytes;
    if (op.given_time) {
      op.given_time = share * *op.given_time;
    }
    return op;
  };
  Operator weight = part(spec.weight_gradient_share);
  weight.name = spec.name + ".weight_gradient";
  weight.pass = Pass::weight_gradient;
  Operator input = part(1.0 - spec.weight_gradient_share);
  input.name = spec.name + ".input_gradient";
  return {input, weight};
}

Workload layer_list_workload(const LayerListModel& model, const Scenario& scenario) {
  const auto samples = static_cast<double>(scenario.batch.micro);
  Workload workload;
  for (const LayerSpec& spec : model.layers) {
    const Operator forward = layer_operator(spec, scenario, false);
    Block block;
    block.name = spec.name;
    block.forward.emplace_back(forward);
    block.backward = layer_backward(spec, scenario);
    block.parameters = spec.parameters;
    block.output = samples * spec.output;
    block.saved = samples * spec.saved.value_or(spec.output);
    block.model_flops = forward.flops + layer_operator(spec, scenario, true).flops;
    block.hardware_flops = block.model_flops;
    if (scenario.training.recompute == Recompute::full) {
      block.recompute = block.forward;
      block.hardware_flops += forward.flops;
      block.saved = block.output;  // what passes between layers: the next one's input
    }
    workload.blocks.insert(workload.blocks.end(), static_cast<std::size_t>(spec.repeat),
                           static_cast<int>(workload.types.size()));
    workload.types.push_back(std::move(block));
  }
  workload.layer_count = static_cast<std::int64_t>(workload.blocks.size());
  return workload;
}

}  // namespace

Workload build_workload(const Scenario& scenario) {
  Workload workload =
      std::holds_alternative<TransformerModel>(scenario.model)
          ? transformer_workload(std::get<TransformerModel>(scenario.model), scenario)
          : layer_list_workload(std::get<LayerListModel>(scenario.model), scenario);
  workload.total_parameters = parameter_count(scenario.model);
  return workload;
}

std::int64_t parameter_count(const Model& model) {
  if (const auto* layers = std::get_if<LayerListModel>(&model)) {
    std::int64_t parameters = 0;
    for (const LayerSpec& spec : layers->layers) {
      parameters += spec.repeat * spec.parameters;
    }
    return parameters;
  }
  const auto& transformer = std::get<TransformerModel>(model);
  const std::int64_t table = token_embedding_parameters(transformer, 1);
  return transformer.layers * layer_parameters(transformer, 1) + table +
         position_parameters(transformer) + norm_parameters(transformer) +
         (transformer.tied_embeddings ? 0 : table);
}

Bytes element_size(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return Bytes{4.0};
    case Precision::fp16:
    case Precision::bf16:
      return Bytes{2.0};
    case Precision::fp8:
      return Bytes{1.0};
  }
  return Bytes{4.0};
}

}  // namespace parsim
