#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/graph/task_graph.h"

namespace parsim {

/// When every task ran. Indexed by task id.
struct Timeline {
  std::vector<Seconds> start;
  std::vector<Seconds> end;
  Seconds makespan{0.0};
};

/// Longest path: every task takes its time alone. Exact when nothing is shared; linear in tasks and
/// edges. Throws RunError when tasks cannot finish (names the cycle).
[[nodiscard]] Timeline run_graph_engine(const TaskGraph& graph);

/// Discrete-event run on SimGrid: links are shared max-min fairly, whatever the latency (A14). At
/// most once a process (SimGrid's clock is global). Throws RunError when tasks cannot finish.
/// Assumptions: docs/model.md.
[[nodiscard]] Timeline run_simgrid_engine(const TaskGraph& graph);

/// "3.32" and the like, for --version and the report.
[[nodiscard]] const char* simgrid_version();

}  // namespace parsim
