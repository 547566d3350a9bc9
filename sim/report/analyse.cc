#include "sim/report/breakdown.h"
#include "sim/report/critical_path.h"
#include "sim/report/order_account.h"
#include "sim/report/quantities.h"
#include "sim/report/rank_lanes.h"
#include "sim/report/report.h"

namespace parsim {

Report analyse(const AnalyseInput& input) {
  const TaskGraph& graph = input.graph;
  const Timeline& timeline = input.timeline;
  const std::vector<RankLanes> ranks = lanes_by_rank(graph);
  const std::vector<RankLanes> representatives = pipeline_representatives(ranks);

  Report report;
  report.scenario = input.scenario.name;
  report.engine = input.engine;
  report.step_time = timeline.makespan;
  report.throughput = throughput(input);

  const RankLanes& last = last_to_finish(graph, timeline, ranks);
  report.breakdown = add_up(account(graph, timeline, last), last.rank);
  report.bound_by = bound_by(graph, last, report.breakdown);
  report.time_by_class = time_by_class(graph, last, report.breakdown);
  for (const RankLanes& rank : representatives) {
    const std::vector<Span> spans = account(graph, timeline, rank);
    report.bubbles.push_back(stage_bubble(graph, timeline, rank, spans));
    report.orders.push_back(rank_order(graph, timeline, rank, spans));
    const RankOrder& order = report.orders.back();
    report.longest_span = max(report.longest_span, order.end - order.start);
    report.bubble_fraction +=
        report.bubbles.back().fraction / static_cast<double>(representatives.size());
  }

  report.memory = stage_memory(input, representatives);
  report.device_memory = input.scenario.cluster.device.memory;
  for (const StageMemory& stage : report.memory) {
    report.peak_memory = max(report.peak_memory, stage.peak);
  }
  report.fits = !(report.device_memory < report.peak_memory);

  for (TaskId task = 0; task < graph.size(); ++task) {
    if (graph.kind[index_of(task)] == TaskKind::transfer) {
      report.messages += graph.lanes[index_of(graph.lanes_of(task).front())].multiplicity;
    }
  }

  report.critical_path = critical_path(graph, timeline);
  report.links = link_uses(graph, timeline);
  report.simulation.tasks = graph.size();
  report.simulation.ranks = input.plan.mesh.ranks();
  report.simulation.ranks_simulated = static_cast<std::int64_t>(ranks.size());
  report.assumptions =
      assumptions(input, report.simulation.ranks, report.simulation.ranks_simulated);
  return report;
}

}  // namespace parsim
