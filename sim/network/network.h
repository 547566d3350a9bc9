#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/workload.h"

namespace parsim {

using LinkId = std::int32_t;

enum class LinkClass { device_port, pcie, nic, leaf_uplink };

/// One direction of one cable or port. Rank r sits on device r mod devices of node r div devices.
struct Link {
  std::string name;  ///< "node3.nic1.out", "node0.gpu5.nvlink.in", "leaf2.up"
  LinkClass link_class = LinkClass::device_port;
  BytesPerSecond bandwidth{0.0};  ///< reachable: line rate × efficiency
};

/// What a message crosses, in order, and its latency when alone.
struct Route {
  std::vector<LinkId> links;
  Seconds latency{0.0};
};

/// The machine's network: the only description, used by both engines, the folding and the report.
struct Network {
  std::vector<Link> links;
  Cluster cluster;
};

[[nodiscard]] Network build_network(const Cluster& cluster);

/// The route from rank to rank (source != destination).
[[nodiscard]] Route route_between(const Network& network, std::int64_t source,
                                  std::int64_t destination);

/// One fluid flow: `volume` bytes cross every link of `links` at one common rate. A link may stand
/// more than once; it then carries the volume that many times.
struct FlowShape {
  std::vector<LinkId> links;
  double volume_fraction = 1.0;  ///< bytes per link = volume_fraction · S
};

/// How a collective over given ranks uses the network: all flows run together after `latency`.
/// Alone it takes latency + max over flows of volume_fraction · S · multiplicity / bandwidth.
struct CollectivePattern {
  std::vector<FlowShape> flows;
  Seconds latency{0.0};
};

/// Ring algorithms over `ranks`, node by node, one ring a NIC (rings.h); α = the mean latency of a
/// ring's hops:
///   all-reduce 2(n-1)/n·S and 2(n-1)·α; all-gather, reduce-scatter (n-1)/n·S and (n-1)·α, S split
///   evenly over the rings; broadcast (one pipelined chain from the first rank) S and (n-1)·α;
///   all-to-all (direct, all pairs at once) S/n per pair and the longest hop's latency.
/// One rank: no flows, no latency.
[[nodiscard]] CollectivePattern collective_pattern(const Network& network, CollectiveKind kind,
                                                   const std::vector<std::int64_t>& ranks);

/// A point-to-point message as a pattern: its route, whole volume, the route's latency.
[[nodiscard]] CollectivePattern transfer_pattern(const Network& network, std::int64_t source,
                                                 std::int64_t destination);

}  // namespace parsim
