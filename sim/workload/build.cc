#include "sim/base/check.h"
#include "sim/workload/layer_list.h"
#include "sim/workload/transformer.h"

namespace parsim {
namespace {

Workload transformer_workload(const Scenario& scenario, const TransformerModel& model) {
  SIM_CHECK(scenario.batch.sequence.has_value(), "a transformer has a sequence length");
  Workload workload;
  workload.types = {embedding_block(scenario, model), layer_block(scenario, model),
                    head_block(scenario, model)};
  workload.blocks.assign(static_cast<std::size_t>(model.layers) + 2, 1);
  workload.blocks.front() = 0;
  workload.blocks.back() = 2;
  workload.first_layer = 1;
  workload.layer_count = model.layers;
  workload.tokens_per_sample = *scenario.batch.sequence;
  workload.tied_embeddings = model.tied_embeddings;
  return workload;
}

}  // namespace

Workload build_workload(const Scenario& scenario) {
  Workload workload;
  if (const auto* transformer = std::get_if<TransformerModel>(&scenario.model)) {
    workload = transformer_workload(scenario, *transformer);
  } else {
    workload = layer_list_workload(scenario, std::get<LayerListModel>(scenario.model));
  }
  workload.total_parameters = parameter_count(scenario.model);
  return workload;
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
  SIM_CHECK(false, "a known precision");
  return Bytes{0.0};
}

}  // namespace parsim
