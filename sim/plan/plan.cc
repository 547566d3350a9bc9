#include "sim/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "sim/base/unit_text.h"
#include "sim/plan/automatic_problem.h"
#include "sim/scenario/field.h"
#include "sim/scenario/orders.h"
#include "sim/schedule/automatic.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

constexpr std::size_t kMostShown = 24;  // steps of a deadlock's cycle

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
    parameters += workload.block(stage.first_block + i).parameters;
  }
  return parameters;
}

/// Blocks before the layers (embedding) go to the first stage, blocks after them (head) to the
/// last.
std::vector<Stage> make_stages(const Workload& workload, const std::vector<std::int64_t>& layers) {
  std::vector<Stage> stages;
  std::int64_t next = 0;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    Stage stage;
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

/// One set of stages for each copy of the model, on the ranks that the schedule says.
std::vector<Stage> place_stages(const std::vector<Stage>& stages, const Schedule& schedule) {
  std::vector<Stage> placed;
  for (std::int32_t stage = 0; stage < schedule.stages(); ++stage) {
    placed.push_back(stages[static_cast<std::size_t>(stage % schedule.depth())]);
    placed.back().pipeline_rank = schedule.rank_of(stage);
  }
  return placed;
}

/// The automatic schedule; in the scenario's own terms where nothing fits.
Schedule find_schedule(const Scenario& scenario, const Workload& workload,
                       const std::vector<Stage>& stages, const ScheduleShape& shape) {
  try {
    return automatic_schedule(automatic_problem(scenario, workload, stages, shape)).schedule;
  } catch (const InputError&) {
    const auto& limit = scenario.schedule.in_flight_limit;
    throw InputError(Diagnostic{
        "", 0, 0, limit ? "/schedule/in_flight_limit" : "/schedule/name",
        limit ? fmt::format("one micro-batch has {} stages in flight on a rank, more than {}",
                            shape.chunks, *limit)
              : fmt::format("\"auto\" finds no order that fits: one micro-batch's activations do "
                            "not go beside weights, gradients and optimizer state into {}",
                            rounded_text(scenario.cluster.device.memory)),
        limit ? "the limit is at least chunks"
              : "set schedule.in_flight_limit to plan without regard to the memory"});
  }
}

Schedule make_schedule(const Scenario& scenario, const Workload& workload,
                       const std::vector<Stage>& stages, const ScheduleShape& shape) {
  const ScheduleSpec& spec = scenario.schedule;
  Schedule schedule;
  if (spec.name == ScheduleName::explicit_order) {
    schedule = schedule_of_orders(spec, shape.ranks * shape.chunks, shape.micro_batches);
  } else if (spec.name == ScheduleName::automatic) {
    schedule = find_schedule(scenario, workload, stages, shape);
  } else {
    schedule = generate(spec.name, shape);
  }
  if (spec.forward_only) {
    for (auto& actions : schedule.ranks) {
      std::erase_if(actions, [](const Action& action) {
        return is_backward(action.kind) || action.kind == ActionKind::send_backward ||
               action.kind == ActionKind::receive_backward ||
               action.kind == ActionKind::reduce_gradient;
      });
      for (Action& action : actions) {
        action.overlaps_next = false;  // there is nothing left to overlap with
      }
    }
  }
  return schedule;
}

/// Generated schedules finish when nobody waits for a transfer; all others are asked first.
void require_finish(const ScheduleSpec& spec, const Schedule& schedule) {
  if (spec.name != ScheduleName::explicit_order && spec.transfers == TransferMode::eager) {
    return;
  }
  const std::vector<std::string> cycle = find_deadlock(schedule, spec.transfers);
  if (cycle.empty()) {
    return;
  }
  std::string message = fmt::format(
      "the schedule cannot finish with {} transfers: each of these waits for the next, the last "
      "one for the first",
      spelling_of(spec.transfers));
  const std::size_t shown = std::min<std::size_t>(cycle.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    message += "\n  " + cycle[i];
  }
  if (shown < cycle.size()) {
    message += fmt::format("\n  ... and {} more", cycle.size() - shown);
  }
  throw RunError(message);
}

}  // namespace

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
  const ScheduleSpec& spec = scenario.schedule;
  ScheduleShape shape;
  shape.ranks = static_cast<std::int32_t>(parallel.pipeline);
  shape.chunks = static_cast<std::int32_t>(spec.chunks);
  shape.micro_batches = static_cast<std::int32_t>(plan.micro_batches);
  shape.group = static_cast<std::int32_t>(spec.group.value_or(0));
  shape.slices = static_cast<std::int32_t>(spec.slices);
  const std::vector<Stage> stages = make_stages(
      workload, split_layers(spec, workload.layer_count, parallel.pipeline * spec.chunks));
  plan.schedule = make_schedule(scenario, workload, stages, shape);
  SIM_CHECK(plan.schedule.depth() == static_cast<std::int32_t>(stages.size()),
            fmt::format("a schedule of {} stages, not {}", stages.size(), plan.schedule.depth()));
  require_finish(spec, plan.schedule);
  plan.stages = place_stages(stages, plan.schedule);
  return plan;
}

}  // namespace parsim
