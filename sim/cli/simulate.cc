#include "sim/cli/simulate.h"

#include "sim/cost/cost.h"
#include "sim/graph/lower.h"
#include "sim/graph/verify.h"
#include "sim/network/network.h"

namespace parsim {

const char* name_of(EngineName engine) {
  return engine == EngineName::graph ? "graph" : "simgrid";
}

Simulation simulate(const Scenario& scenario, EngineName engine) {
  Simulation s;
  s.workload = build_workload(scenario);
  s.plan = make_plan(scenario, s.workload);
  const CostModel costs = make_cost_model(scenario);
  const Network network = build_network(scenario.cluster);
  const Communicators communicators = make_communicators(s.plan, s.workload, scenario.training);
  s.folding = fold(s.plan, communicators, network, /*unfold=*/false);
  s.graph = lower({scenario, s.workload, s.plan, costs, network, communicators, s.folding});
  verify(s.graph);
  s.timeline =
      engine == EngineName::graph ? run_graph_engine(s.graph) : run_simgrid_engine(s.graph);
  s.report = analyse({scenario, s.workload, s.plan, s.graph, s.timeline, name_of(engine)});
  return s;
}

}  // namespace parsim
