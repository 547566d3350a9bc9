#include "sim/plan/plan.h"

#include <fmt/format.h>

#include "sim/base/check.h"

namespace parsim {

namespace {

Mesh make_mesh(const Parallel& parallel) {
  Mesh mesh;
  mesh.order = parallel.order;
  mesh.size[static_cast<std::size_t>(Axis::data)] = parallel.data;
  mesh.size[static_cast<std::size_t>(Axis::tensor)] = parallel.tensor;
  mesh.size[static_cast<std::size_t>(Axis::pipeline)] = parallel.pipeline;
  std::int64_t stride = 1;
  for (const Axis axis : mesh.order) {
    mesh.stride[static_cast<std::size_t>(axis)] = stride;
    stride *= mesh.size[static_cast<std::size_t>(axis)];
  }
  return mesh;
}

/// Layers per stage: as listed, else even. check_scenario has seen to divisibility.
std::vector<std::int64_t> split_layers(const ScheduleSpec& spec, std::int64_t layers,
                                       std::int64_t stages) {
  if (!spec.layers_per_stage.empty()) {
    return spec.layers_per_stage;
  }
  SIM_CHECK(layers % stages == 0,
            fmt::format("{} layers to divide into {} stages", layers, stages));
  return std::vector<std::int64_t>(static_cast<std::size_t>(stages), layers / stages);
}

std::int64_t parameters_of(const Workload& workload, const Stage& stage) {
  std::int64_t parameters = 0;
  for (std::int64_t i = 0; i < stage.block_count; ++i) {
    const int type = workload.blocks[static_cast<std::size_t>(stage.first_block + i)];
    parameters += workload.types[static_cast<std::size_t>(type)].parameters;
  }
  return parameters;
}

/// Blocks before the layers (embedding) go to the first stage, blocks after them (head) to the
/// last.
std::vector<Stage> make_stages(const Workload& workload, const std::vector<std::int64_t>& layers,
                               const Schedule& schedule) {
  std::vector<Stage> stages;
  std::int64_t next = 0;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    Stage stage;
    stage.pipeline_rank = schedule.stage_rank[s];
    stage.first_block = next;
    stage.block_count = layers[s];
    if (s == 0) {
      stage.block_count += workload.first_layer;
    }
    if (s + 1 == layers.size()) {
      stage.block_count = static_cast<std::int64_t>(workload.blocks.size()) - next;
    }
    next += stage.block_count;
    stage.parameters = parameters_of(workload, stage);
    stages.push_back(stage);
  }
  return stages;
}

}  // namespace

std::vector<std::int64_t> Mesh::group_of(std::int64_t rank, Axis axis) const {
  std::vector<std::int64_t> group;
  for (std::int64_t i = 0; i < size[static_cast<std::size_t>(axis)]; ++i) {
    group.push_back(with_coordinate(rank, axis, i));
  }
  return group;
}

Plan make_plan(const Scenario& scenario, const Workload& workload) {
  const Parallel& parallel = scenario.parallel;
  Plan plan;
  plan.mesh = make_mesh(parallel);
  plan.micro_batches = scenario.batch.global / (parallel.data * scenario.batch.micro);
  ScheduleShape shape;
  shape.ranks = static_cast<std::int32_t>(parallel.pipeline);
  shape.chunks = static_cast<std::int32_t>(scenario.schedule.chunks);
  shape.micro_batches = static_cast<std::int32_t>(plan.micro_batches);
  shape.group = static_cast<std::int32_t>(scenario.schedule.group.value_or(0));
  plan.schedule = make_schedule(scenario.schedule, shape);
  const auto layers = split_layers(scenario.schedule, workload.layer_count,
                                   parallel.pipeline * scenario.schedule.chunks);
  plan.stages = make_stages(workload, layers, plan.schedule);
  return plan;
}

}  // namespace parsim
