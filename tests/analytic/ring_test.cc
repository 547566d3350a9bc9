#include <map>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/engine/fluid.h"
#include "sim/network/network.h"
#include "tests/catch.h"
#include "tests/unit/engine_cases.h"
#include "tests/unit/network_cases.h"

namespace parsim {
namespace {

using namespace engine_cases;

constexpr double kBytes = 1.5e9;
constexpr double kBandwidth = 300e9;
constexpr double kLatency = 2e-6;

/// The machine's links and the collective over all its ranks, unfolded: own = load = crossings.
PatternId draw_collective(Drawing& draw, std::int64_t devices, CollectiveKind kind) {
  const Network network = build_network(network_cases::nvswitch_cluster(1, devices));
  std::vector<std::int32_t> links;
  for (const Link& link : network.links) {
    links.push_back(draw.link(link.bandwidth.value()));
  }
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = 0; rank < devices; ++rank) {
    ranks.push_back(rank);
  }
  const CollectivePattern pattern = collective_pattern(network, kind, ranks);
  std::vector<GraphFlow> flows;
  for (const FlowShape& shape : pattern.flows) {
    GraphFlow flow;
    flow.volume_fraction = shape.volume_fraction;
    std::map<LinkId, std::int32_t> crossings;
    for (const LinkId link : shape.links) {
      ++crossings[link];
    }
    for (const auto& [link, count] : crossings) {
      flow.links.push_back({links[static_cast<std::size_t>(link)], count, count});
    }
    flows.push_back(flow);
  }
  return draw.pattern(pattern.latency.value(), flows);
}

double expected(CollectiveKind kind, double n) {
  const double part = (n - 1) / n * kBytes / kBandwidth;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * part + 2 * (n - 1) * kLatency;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return part + (n - 1) * kLatency;
    case CollectiveKind::broadcast:
      return kBytes / kBandwidth + (n - 1) * kLatency;
    case CollectiveKind::all_to_all:
      return part + kLatency;
  }
  return 0.0;
}

/// Every kind and n of 2..16, each on a machine of its own, run twice in a row: by one lane, or (so
/// that SimGrid has to look after the links) the second time by another.
void check_closed_forms(bool by_two_lanes) {
  struct Case {
    CollectiveKind kind;
    std::int64_t n;
    TaskId first;
    TaskId second;
  };
  Drawing draw;
  std::vector<Case> cases;
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
        CollectiveKind::broadcast, CollectiveKind::all_to_all}) {
    for (std::int64_t n = 2; n <= 16; ++n) {
      const PatternId pattern = draw_collective(draw, n, kind);
      const LaneId lane = draw.lane();
      const TaskId first = draw.send(lane, pattern, kBytes);
      const TaskId second = draw.send(by_two_lanes ? draw.lane() : lane, pattern, kBytes, {first});
      cases.push_back({kind, n, first, second});
    }
  }
  const TaskGraph graph = draw.build();
  CHECK(reduce_to_fluid(graph).flows.empty() == !by_two_lanes);
  const Timeline by_graph = run_graph_engine(graph);
  const Timeline by_simgrid = run_simgrid_engine(graph);
  for (const Case& each : cases) {
    const double alone = expected(each.kind, static_cast<double>(each.n));
    CHECK(end_of(by_graph.end, each.first) == Approx(alone).epsilon(1e-9));
    CHECK(end_of(by_simgrid.end, each.first) == Approx(alone).epsilon(1e-9));
    CHECK(end_of(by_graph.end, each.second) == Approx(2 * alone).epsilon(1e-9));
    CHECK(end_of(by_simgrid.end, each.second) == Approx(2 * alone).epsilon(1e-9));
  }
}

TEST_CASE("collectives alone take their closed forms in both engines: links of one lane") {
  check_closed_forms(false);
}
TEST_CASE("collectives alone take their closed forms in both engines: links of two lanes") {
  check_closed_forms(true);
}

TEST_CASE("two rings over the same links take turns at half rate each") {
  Drawing draw;
  const PatternId pattern = draw_collective(draw, 8, CollectiveKind::all_reduce);
  const TaskId one = draw.send(draw.lane(), pattern, kBytes);
  const TaskId two = draw.send(draw.lane(), pattern, kBytes);
  const Timeline timeline = run_simgrid_engine(draw.build());
  const double both = 2 * 2 * 7.0 / 8 * kBytes / kBandwidth + 14 * kLatency;
  CHECK(end_of(timeline.end, one) == Approx(both).epsilon(1e-9));
  CHECK(end_of(timeline.end, two) == Approx(both).epsilon(1e-9));
}

}  // namespace
}  // namespace parsim
