#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/report/format.h"
#include "sim/report/quantities.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

// The sentences a report can carry, in this order; {} is filled in. Listed in docs/report.md.
constexpr std::string_view kRoofline =
    "roofline costs: no calibration profile; compute times from the datasheet rates and "
    "efficiencies of {} (A6)";
constexpr std::string_view kStated = "compute times of some operators are stated by the scenario";
constexpr std::string_view kOverridden = "costs overridden by the scenario: {}";
constexpr std::string_view kFreeCommunication =
    "free communication: transfers and collectives take no time";
constexpr std::string_view kGraphEngine =
    "engine graph: every task takes its time alone; contention on shared links is left out (A14)";
constexpr std::string_view kNoSlowdown =
    "computation and communication running side by side do not slow each other down (A15)";
constexpr std::string_view kFolded =
    "folded: {} ranks are represented by {}; alike ranks are simulated once (A23)";
constexpr std::string_view kExplicit =
    "explicit schedule: actions run in the order the scenario gives";
constexpr std::string_view kUnshard =
    "UNSHARD and RESHARD of the order take no time: parameters are not sharded";
constexpr std::string_view kHanayo =
    "hanayo's order is our own: the paper's is not published as a rule (docs/schedules.md)";
constexpr std::string_view kBlocks =
    "{}: the paper's building blocks as they repeat, warm-up and cool-down not squeezed "
    "(docs/schedules.md)";
constexpr std::string_view kMemory =
    "memory is an estimate: parameters, gradients, optimizer state and kept activations; left out "
    "are communication buffers, workspaces, the framework's context and fragmentation (A22)";

bool any_operator(const std::vector<Step>& steps, bool stated) {
  return std::any_of(steps.begin(), steps.end(), [stated](const Step& step) {
    const auto* op = std::get_if<Operator>(&step);
    return op != nullptr && op->given_time.has_value() == stated;
  });
}

/// Whether some operator that the step runs has a stated time, or has none.
bool runs_operators(const AnalyseInput& input, bool stated) {
  const bool trains = !input.scenario.schedule.forward_only;
  return std::any_of(input.workload.types.begin(), input.workload.types.end(),
                     [trains, stated](const Block& block) {
                       return any_operator(block.forward, stated) ||
                              (trains && (any_operator(block.recompute, stated) ||
                                          any_operator(block.backward, stated)));
                     });
}

bool costs_by_roofline(const AnalyseInput& input) {
  const bool optimizes = !input.scenario.schedule.forward_only &&
                         input.scenario.training.optimizer != OptimizerKind::none &&
                         input.workload.total_parameters > 0;
  return optimizes || runs_operators(input, false);
}

bool gathers_weights(const Schedule& schedule) {
  return std::any_of(schedule.ranks.begin(), schedule.ranks.end(), [](const auto& actions) {
    return std::any_of(actions.begin(), actions.end(), [](const Action& action) {
      return action.kind == ActionKind::unshard || action.kind == ActionKind::reshard;
    });
  });
}

std::string overrides(const Costs& costs) {
  const std::array<std::pair<std::string_view, std::optional<double>>, 4> efficiencies = {
      {{"gemm efficiency", costs.gemm_efficiency},
       {"batched gemm efficiency", costs.batched_gemm_efficiency},
       {"attention efficiency", costs.attention_efficiency},
       {"memory efficiency", costs.memory_efficiency}}};
  std::string text;
  for (const auto& [name, value] : efficiencies) {
    if (value) {
      text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", name, *value);
    }
  }
  if (costs.launch_overhead) {
    text += fmt::format("{}launch overhead {}", text.empty() ? "" : ", ",
                        time_text(*costs.launch_overhead));
  }
  return text;
}

}  // namespace

std::vector<std::string> assumptions(const AnalyseInput& input, std::int64_t ranks,
                                     std::int64_t ranks_simulated) {
  const Scenario& scenario = input.scenario;
  std::vector<std::string> result;
  const auto add = [&result](bool holds, std::string_view sentence) {
    if (holds) {
      result.emplace_back(sentence);
    }
  };
  if (costs_by_roofline(input)) {
    result.push_back(fmt::format(kRoofline, scenario.cluster.device.name));
  }
  add(runs_operators(input, true), kStated);
  if (const std::string changed = overrides(scenario.costs); !changed.empty()) {
    result.push_back(fmt::format(kOverridden, changed));
  }
  add(scenario.costs.free_communication, kFreeCommunication);
  add(input.engine == "graph" && !scenario.costs.free_communication, kGraphEngine);
  const bool communicates = std::any_of(input.graph.kind.begin(), input.graph.kind.end(),
                                        [](TaskKind kind) { return kind != TaskKind::compute; });
  add(communicates && !scenario.costs.free_communication, kNoSlowdown);
  if (ranks_simulated < ranks) {
    result.push_back(fmt::format(kFolded, count_text(ranks), count_text(ranks_simulated)));
  }
  add(scenario.schedule.name == ScheduleName::explicit_order, kExplicit);
  add(gathers_weights(input.plan.schedule), kUnshard);
  add(scenario.schedule.name == ScheduleName::hanayo, kHanayo);
  if (scenario.schedule.name == ScheduleName::v_half ||
      scenario.schedule.name == ScheduleName::v_min) {
    result.push_back(fmt::format(kBlocks, rule_of(scenario.schedule.name).spelling));
  }
  add(true, kMemory);
  return result;
}

}  // namespace parsim
