#include <fmt/format.h>

#include <chrono>

#include "sim/base/file.h"
#include "sim/base/unit_text.h"
#include "sim/cli/commands.h"
#include "sim/cli/dump.h"
#include "sim/cli/load.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"
#include "sim/cli/version.h"
#include "sim/cost/cost.h"
#include "sim/graph/lower.h"
#include "sim/graph/verify.h"
#include "sim/network/network.h"
#include "sim/report/report.h"

namespace parsim {

namespace {

constexpr std::size_t kMostRowsDrawn = 16;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void check_trace_ranks(const RunOptions& options, const Folding& folding) {
  for (const std::int64_t rank : options.trace_ranks) {
    if (rank >= static_cast<std::int64_t>(folding.rank_class.size())) {
      throw UsageError(fmt::format("--trace-ranks: rank {} does not exist, there are {} ranks",
                                   rank, folding.rank_class.size()));
    }
  }
}

/// The simulated ranks that stand for the ranks the user named.
std::vector<std::int64_t> traced_representatives(const RunOptions& options,
                                                 const Folding& folding) {
  std::vector<std::int64_t> ranks;
  for (const std::int64_t rank : options.trace_ranks) {
    const auto rank_class = folding.rank_class[static_cast<std::size_t>(rank)];
    ranks.push_back(folding.representative[static_cast<std::size_t>(rank_class)]);
  }
  return ranks;
}

std::string report_for_people(const RunOptions& options, const Report& report,
                              const TaskGraph& graph, const Timeline& timeline) {
  if (options.quiet) {
    return fmt::format("{}\n", rounded_text(report.step_time));
  }
  const int width = options.width > 0 ? options.width : terminal_width();
  std::string text = text_report(report, width, use_colour(options.colour));
  const bool small = report.bubbles.size() <= kMostRowsDrawn;
  if (options.timeline || (small && !options.no_timeline)) {
    text += "\n" + text_timeline(graph, timeline, width);
  }
  return text;
}

void write_trace(const RunOptions& options, const TaskGraph& graph, const Timeline& timeline,
                 const Folding& folding) {
  TraceOptions trace;
  trace.ranks = traced_representatives(options, folding);
  trace.size_budget = options.trace_budget;
  const TraceResult result = write_chrome_trace(options.trace_file, graph, timeline, trace);
  if (result.tasks_left_out > 0) {
    fmt::print(stderr, "parsim: {} holds the first {} bytes; {} later tasks were left out\n",
               options.trace_file, result.bytes, result.tasks_left_out);
  }
}

}  // namespace

/// The program as its data flow: each line makes the next box out of the boxes before.
int run_command(const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
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
  const Communicators communicators = make_communicators(plan, workload);
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
  // What it means.
  const std::string engine = options.engine == EngineName::graph ? "graph" : "simgrid";
  Report report = analyse({scenario, workload, plan, graph, timeline, engine});
  report.scenario = scenario.name;
  report.engine = engine;
  report.scenario_hash = loaded.hash;
  report.versions = versions();
  report.simulation.tasks = graph.size();
  report.simulation.ranks = plan.mesh.ranks();
  report.simulation.ranks_simulated = static_cast<std::int64_t>(folding.representative.size());

  if (!options.trace_file.empty()) {
    write_trace(options, graph, timeline, folding);
  }
  if (options.stats) {
    report.simulation.wall_s = seconds_since(start);
    report.simulation.tasks_per_s = graph.size() / report.simulation.wall_s;
  }
  if (options.json) {
    const std::string json = json_report(report, loaded.resolved_json);
    if (options.json_file.empty()) {
      print(json);
      return 0;
    }
    write_file_atomically(options.json_file, json);
  }
  print(report_for_people(options, report, graph, timeline));
  return 0;
}

}  // namespace parsim
