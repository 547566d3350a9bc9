// How collectives load the network.
//
// Rings (A13): every member sends to the next, all hops move at one pace, so the rings of a
// collective (one a NIC, see rings.h) are one fluid flow over every link that any hop crosses. A
// link that k hops cross stands in it k times: it carries k shares of the bytes.
//
// All-to-all: every pair at once. Pairs progress independently, so each link is a flow of its own
// with the bytes of all pairs that cross it; the collective ends with the fullest link. Counting
// the pairs a link carries needs only how many members sit behind it, so it is linear in the group,
// not in the pairs.

#include <algorithm>
#include <map>

#include "sim/base/check.h"
#include "sim/network/layout.h"
#include "sim/network/network.h"
#include "sim/network/rings.h"

namespace parsim {
namespace {

/// Members behind each NIC, node, leaf. Ordered maps: the order of flows reaches the output.
using Counts = std::map<std::int64_t, std::int64_t>;

/// Adds the hops of one ring to `flow`; `closed` also sends from the last rank to the first.
/// Returns the sum of the hops' latencies.
Seconds append_ring(const Cluster& cluster, const LinkLayout& layout,
                    const std::vector<std::int64_t>& ring, bool closed, FlowShape& flow) {
  Seconds latency{0.0};
  for (std::size_t i = 0; i + (closed ? 0 : 1) < ring.size(); ++i) {
    const std::int64_t source = ring[i];
    const std::int64_t destination = ring[i + 1 == ring.size() ? 0 : i + 1];
    const HopKind kind = hop_kind(cluster, source, destination);
    latency += hop_latency(cluster, kind);
    append_hop(layout, kind, source, destination, flow.links);
  }
  return latency;
}

/// All rings as one flow, each with its share of the bytes. A byte's way round passes every hop
/// `laps` times less one share of the ring, so the latency is laps·(n-1)/n times the sum over the
/// ring: 2(n-1)·α when all hops are alike.
CollectivePattern ring_pattern(const Network& network, const std::vector<std::int64_t>& ranks,
                               double laps) {
  const LinkLayout layout(network.cluster);
  const auto rings = build_rings(layout, ranks);
  const auto n = static_cast<double>(ranks.size());
  const double part = laps * (n - 1.0) / n;
  FlowShape flow;
  flow.volume_fraction = part / static_cast<double>(rings.size());
  Seconds longest{0.0};
  for (const auto& ring : rings) {
    longest = max(longest, append_ring(network.cluster, layout, ring, true, flow));
  }
  return {{std::move(flow)}, longest * part};
}

/// A pipelined chain from the first rank on: every hop carries the whole buffer. One chain, not one
/// a NIC: the root has all the data, and its own port limits it.
CollectivePattern chain_pattern(const Network& network, const std::vector<std::int64_t>& ranks) {
  FlowShape flow;
  const Seconds latency =
      append_ring(network.cluster, LinkLayout(network.cluster), ranks, false, flow);
  return {{std::move(flow)}, latency};
}

/// Pairs over each link of an all-to-all.
class PairCounter {
 public:
  PairCounter(const Network& network, const std::vector<std::int64_t>& ranks)
      : cluster_(network.cluster), layout_(network.cluster), ranks_(ranks) {
    for (const std::int64_t rank : ranks) {
      ++node_[layout_.node_of(rank)];
      ++pair_[pair_of(rank)];
      if (layout_.nics > 0) {
        ++nic_[layout_.nic_of(rank)];
      }
      if (layout_.leaves > 0) {
        ++leaf_[layout_.leaf_of(rank)];
      }
    }
  }

  [[nodiscard]] CollectivePattern pattern() {
    for (const std::int64_t rank : ranks_) {
      count_device(rank);
    }
    for (const auto& [nic, members] : nic_) {
      add(layout_.nic_port(nic), HopKind::nic, members * (size() - node_.at(nic / layout_.nics)));
    }
    for (const auto& [leaf, members] : leaf_) {
      add(layout_.leaf_up(leaf), HopKind::nic, members * (size() - members));
    }
    return std::move(pattern_);
  }

 private:
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(ranks_.size()); }
  [[nodiscard]] std::int64_t pair_of(std::int64_t rank) const {
    return layout_.node_of(rank) * layout_.devices + layout_.device_of(rank) / 2;
  }

  void count_device(std::int64_t rank) {
    const std::int64_t in_node = node_.at(layout_.node_of(rank)) - 1;
    const std::int64_t outside = size() - 1 - in_node;
    std::int64_t over_ports = 0;
    if (cluster_.node.interconnect == NodeInterconnect::nvswitch) {
      over_ports = in_node;
    } else if (cluster_.node.interconnect == NodeInterconnect::nvlink_pairs) {
      over_ports = pair_.at(pair_of(rank)) - 1;
    }
    const std::int64_t over_pcie = in_node - over_ports;
    if (over_ports > 0) {
      add(layout_.device_port(rank), HopKind::device_port, over_ports);
    }
    if (layout_.has_pcie_ports) {
      add(layout_.pcie_port(rank), over_pcie > 0 ? HopKind::pcie : HopKind::nic,
          over_pcie + outside);
    }
  }

  /// Both directions of a port: as many pairs come in as go out.
  void add(LinkId out, HopKind kind, std::int64_t pairs) {
    if (pairs == 0) {
      return;
    }
    const double fraction = static_cast<double>(pairs) / static_cast<double>(size());
    pattern_.flows.push_back({{out}, fraction});
    pattern_.flows.push_back({{out + 1}, fraction});
    pattern_.latency = max(pattern_.latency, hop_latency(cluster_, kind));
  }

  const Cluster& cluster_;
  const LinkLayout layout_;
  const std::vector<std::int64_t>& ranks_;
  Counts node_, pair_, nic_, leaf_;
  CollectivePattern pattern_;
};

}  // namespace

CollectivePattern collective_pattern(const Network& network, CollectiveKind kind,
                                     const std::vector<std::int64_t>& ranks) {
  SIM_CHECK(!ranks.empty(), "a collective over at least one rank");
  if (ranks.size() == 1) {
    return {};
  }
  switch (kind) {
    case CollectiveKind::all_reduce:
      return ring_pattern(network, ranks, 2.0);
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return ring_pattern(network, ranks, 1.0);
    case CollectiveKind::broadcast:
      return chain_pattern(network, ranks);
    case CollectiveKind::all_to_all:
      return PairCounter(network, ranks).pattern();
  }
  SIM_CHECK(false, "a known collective");
}

CollectivePattern transfer_pattern(const Network& network, std::int64_t source,
                                   std::int64_t destination) {
  Route route = route_between(network, source, destination);
  return {{{std::move(route.links), 1.0}}, route.latency};
}

}  // namespace parsim
