#include "sim/cli/dump.h"

#include <fmt/format.h>

#include <iterator>

#include "sim/base/text.h"

namespace parsim {

namespace {

const char* axis_name(Axis axis) {
  switch (axis) {
    case Axis::data:
      return "data";
    case Axis::tensor:
      return "tensor";
    case Axis::pipeline:
      return "pipeline";
  }
  return "";
}

std::int64_t layers_of(const Workload& workload, const Stage& stage) {
  const std::int64_t begin = std::max(stage.first_block, workload.first_layer);
  const std::int64_t end =
      std::min(stage.first_block + stage.block_count, workload.first_layer + workload.layer_count);
  return std::max<std::int64_t>(0, end - begin);
}

}  // namespace

std::string plan_summary(const Scenario& scenario, const Workload& workload, const Plan& plan) {
  std::string text =
      fmt::format("{}: {} parameters\n", scenario.name, grouped(workload.total_parameters));
  text += fmt::format("ranks        {} =", grouped(plan.mesh.ranks()));
  const char* separator = "";
  for (const Axis axis : plan.mesh.order) {
    text += fmt::format("{} {} {}", separator, axis_name(axis),
                        plan.mesh.size[static_cast<std::size_t>(axis)]);
    separator = " x";
  }
  text += " (fastest axis first)\n";
  text += fmt::format("batch        {} samples = {} replicas x {} micro-batches x {}\n",
                      grouped(scenario.batch.global), scenario.parallel.data, plan.micro_batches,
                      scenario.batch.micro);
  Table table{
      {{"stage", true}, {"pipeline rank", true}, {"layers", true}, {"parameters on a rank", true}},
      {}};
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    table.rows.push_back({fmt::format("{}", s), fmt::format("{}", stage.pipeline_rank),
                          fmt::format("{}", layers_of(workload, stage)),
                          grouped(stage.parameters)});
  }
  return text + to_text(table);
}

std::string dump_plan(const Scenario& scenario, const Workload& workload, const Plan& plan) {
  std::string text = plan_summary(scenario, workload, plan);
  for (std::size_t rank = 0; rank < plan.schedule.ranks.size(); ++rank) {
    text += fmt::format("pipeline rank {}:", rank);
    for (const Action& action : plan.schedule.ranks[rank]) {
      text += " " + to_text(action);
    }
    text += "\n";
  }
  return text;
}

std::string dump_graph(const TaskGraph& graph) {
  std::string text;
  for (TaskId task = 0; task < graph.size(); ++task) {
    fmt::format_to(std::back_inserter(text), "{} {:.9g} s {}", task, graph.time_alone(task).value(),
                   describe_task(graph, task));
    const char* separator = " after ";
    for (const TaskId on : graph.dependencies_of(task)) {
      fmt::format_to(std::back_inserter(text), "{}{}", separator, on);
      separator = ",";
    }
    text += "\n";
  }
  return text;
}

std::string dump_timeline(const TaskGraph& graph, const Timeline& timeline) {
  std::string text;
  for (TaskId task = 0; task < graph.size(); ++task) {
    const auto t = static_cast<std::size_t>(task);
    fmt::format_to(std::back_inserter(text), "{:.12g} {:.12g} {}\n", timeline.start[t].value(),
                   timeline.end[t].value(), describe_task(graph, task));
  }
  return text;
}

}  // namespace parsim
