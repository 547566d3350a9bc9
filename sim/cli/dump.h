#pragma once

#include <string>

#include "sim/engine/engine.h"
#include "sim/plan/plan.h"

namespace parsim {

/// The plan in words: ranks, axes, stages with their blocks and parameters, and each rank's
/// actions.
[[nodiscard]] std::string dump_plan(const Scenario& scenario, const Workload& workload,
                                    const Plan& plan);
/// A head of the plan without the actions.
[[nodiscard]] std::string plan_summary(const Scenario& scenario, const Workload& workload,
                                       const Plan& plan);
/// One task a line: id, what it is, its time alone, what it waits for.
[[nodiscard]] std::string dump_graph(const TaskGraph& graph);
/// One task a line: start, end, what it is.
[[nodiscard]] std::string dump_timeline(const TaskGraph& graph, const Timeline& timeline);

}  // namespace parsim
