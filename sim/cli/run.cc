#include <chrono>

#include "sim/cli/commands.h"
#include "sim/cli/dump.h"
#include "sim/cli/load.h"
#include "sim/cli/outputs.h"
#include "sim/cli/simulate.h"
#include "sim/cli/terminal.h"
#include "sim/cli/version.h"
#include "sim/cost/cost.h"
#include "sim/graph/lower.h"
#include "sim/graph/verify.h"
#include "sim/network/network.h"
#include "sim/report/report.h"

namespace parsim {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

/// The program as its data flow: each line makes the next box out of the boxes before.
int run_command(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  // Nobody should wait for a result that has no place to go.
  check_outputs(options);
  // Reads the file, the models it names and the overrides; every mistake in one go.
  const LoadedScenario loaded = load(options.scenario);
  const Scenario& scenario = loaded.scenario;
  if (options.dump == Dump::scenario) {
    print(loaded.resolved_json + "\n");
    return 0;
  }
  // The model as the operators one rank runs.
  const Workload workload = build_workload(scenario);
  // Who does what: mesh, stages, schedule.
  const Plan plan = make_plan(scenario, workload);
  if (options.dump == Dump::plan) {
    print(dump_plan(scenario, workload, plan));
    return 0;
  }
  // What an operator costs alone.
  const CostModel costs = make_cost_model(scenario);
  // Links and routes; the only description of the network.
  const Network network = build_network(scenario.cluster);
  // Which ranks communicate together.
  const Communicators communicators = make_communicators(plan, workload, scenario.training);
  // Which ranks are alike; one of each is simulated.
  const Folding folding = fold(plan, communicators, network, options.unfold);
  check_trace_ranks(options, folding);
  // Tasks on lanes; from here on nothing knows what parallelism they came from.
  const TaskGraph graph = lower({scenario, workload, plan, costs, network, communicators, folding});
  // A schedule that cannot finish is named before it runs.
  verify(graph);
  if (options.dump == Dump::graph) {
    print(dump_graph(graph));
    return 0;
  }
  // When every task runs.
  const Timeline timeline =
      options.engine == EngineName::graph ? run_graph_engine(graph) : run_simgrid_engine(graph);
  if (options.dump == Dump::timeline) {
    print(dump_timeline(graph, timeline));
    return 0;
  }
  // What it means: step time, breakdown, bubble, memory, critical path.
  Report report = analyse({scenario, workload, plan, graph, timeline, name_of(options.engine)});
  report.scenario = scenario.name;
  report.engine = name_of(options.engine);
  report.scenario_hash = loaded.hash;
  report.versions = versions();
  report.simulation.tasks = graph.size();
  report.simulation.ranks = plan.mesh.ranks();
  report.simulation.ranks_simulated = static_cast<std::int64_t>(folding.representative.size());
  if (options.stats) {
    report.simulation.wall_s = seconds_since(start);
    report.simulation.tasks_per_s = graph.size() / report.simulation.wall_s;
  }
  // Files first, standard output last: what is said there is then true.
  write_outputs(options, {loaded, folding, graph, timeline, report});
  return 0;
}

}  // namespace parsim
