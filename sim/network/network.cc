#include "sim/network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "sim/base/check.h"
#include "sim/network/layout.h"

namespace parsim {
namespace {

/// A pair of links, outgoing first. The name is built in place: large machines have 10^5 links.
void add_port(Network& network, const std::string& name, const char* out, const char* in,
              LinkClass link_class, BytesPerSecond bandwidth) {
  network.links.push_back({name + out, link_class, bandwidth});
  network.links.push_back({name + in, link_class, bandwidth});
}

void add_node(Network& network, const LinkLayout& layout, std::int64_t node_index) {
  const Node& node = network.cluster.node;
  const std::string prefix = fmt::format("node{}.", node_index);
  if (layout.has_device_ports) {
    const BytesPerSecond rate = node.device_bandwidth.value() * node.device_link_efficiency;
    for (std::int64_t device = 0; device < node.devices; ++device) {
      add_port(network, fmt::format("{}gpu{}", prefix, device), ".nvlink.out", ".nvlink.in",
               LinkClass::device_port, rate);
    }
  }
  if (layout.has_pcie_ports) {
    const BytesPerSecond rate = node.pcie_bandwidth.value() * node.device_link_efficiency;
    for (std::int64_t device = 0; device < node.devices; ++device) {
      add_port(network, fmt::format("{}gpu{}", prefix, device), ".pcie.out", ".pcie.in",
               LinkClass::pcie, rate);
    }
  }
  for (std::int64_t nic = 0; nic < layout.nics; ++nic) {
    add_port(network, fmt::format("{}nic{}", prefix, nic), ".out", ".in", LinkClass::nic,
             node.nic_bandwidth * node.nic_efficiency);
  }
}

/// Up- and downlinks of one leaf switch, each taken as one link of their summed bandwidth:
/// nodes · NICs · NIC bandwidth / oversubscription.
void add_leaf(Network& network, const LinkLayout& layout, std::int64_t leaf) {
  const Node& node = network.cluster.node;
  const std::int64_t first = leaf * layout.nodes_per_leaf;
  const std::int64_t nodes = std::min(layout.nodes_per_leaf, layout.nodes - first);
  const double ports = static_cast<double>(nodes * layout.nics);
  const BytesPerSecond rate = node.nic_bandwidth * node.nic_efficiency * ports /
                              network.cluster.fabric.value().oversubscription.value();
  add_port(network, fmt::format("leaf{}", leaf), ".up", ".down", LinkClass::leaf_uplink, rate);
}

}  // namespace

LinkLayout::LinkLayout(const Cluster& cluster)
    : devices(cluster.node.devices),
      nics(cluster.nodes > 1 ? cluster.node.nics : 0),
      nodes(cluster.nodes),
      has_device_ports(cluster.node.interconnect != NodeInterconnect::pcie),
      has_pcie_ports(cluster.node.interconnect != NodeInterconnect::nvswitch ||
                     (nics > 0 && cluster.node.pcie_bandwidth.has_value())) {
  if (nodes > 1 && cluster.fabric.value().kind == FabricKind::oversubscribed) {
    nodes_per_leaf = cluster.fabric.value().nodes_per_leaf.value();
    leaves = (nodes + nodes_per_leaf - 1) / nodes_per_leaf;
  }
  if (leaves <= 1) {  // nothing ever leaves the leaf
    nodes_per_leaf = 0;
    leaves = 0;
  }
  links_per_node = 2 * ((has_device_ports ? devices : 0) + (has_pcie_ports ? devices : 0) + nics);
  links = nodes * links_per_node + 2 * leaves;
}

Network build_network(const Cluster& cluster) {
  const LinkLayout layout(cluster);
  SIM_CHECK(layout.devices > 0 && layout.nodes > 0,
            fmt::format("devices, got {} nodes of {}", layout.nodes, layout.devices));
  SIM_CHECK(layout.nodes == 1 || layout.nics > 0, "a NIC in a cluster of several nodes");
  SIM_CHECK(layout.links <= std::numeric_limits<LinkId>::max(),
            fmt::format("a network of less than 2^31 links, got {}", layout.links));
  Network network;
  network.cluster = cluster;
  network.links.reserve(static_cast<std::size_t>(layout.links));
  for (std::int64_t node = 0; node < layout.nodes; ++node) {
    add_node(network, layout, node);
  }
  for (std::int64_t leaf = 0; leaf < layout.leaves; ++leaf) {
    add_leaf(network, layout, leaf);
  }
  SIM_CHECK(static_cast<std::int64_t>(network.links.size()) == layout.links,
            fmt::format("{} links, got {}", layout.links, network.links.size()));
  return network;
}

HopKind hop_kind(const Cluster& cluster, std::int64_t source, std::int64_t destination) {
  const std::int64_t devices = cluster.node.devices;
  if (source / devices != destination / devices) {
    return HopKind::nic;
  }
  switch (cluster.node.interconnect) {
    case NodeInterconnect::nvswitch:
      return HopKind::device_port;
    case NodeInterconnect::nvlink_pairs:
      return source % devices / 2 == destination % devices / 2 ? HopKind::device_port
                                                               : HopKind::pcie;
    case NodeInterconnect::pcie:
      return HopKind::pcie;
  }
  SIM_CHECK(false, "a known interconnect");
}

Seconds hop_latency(const Cluster& cluster, HopKind kind) {
  switch (kind) {
    case HopKind::device_port:
      return cluster.node.device_latency.value();
    case HopKind::pcie:
      return cluster.node.pcie_latency.value();
    case HopKind::nic:
      return cluster.node.nic_latency + cluster.fabric.value().latency;
  }
  SIM_CHECK(false, "a known kind of hop");
}

void append_hop(const LinkLayout& layout, HopKind kind, std::int64_t source,
                std::int64_t destination, std::vector<LinkId>& links) {
  if (kind == HopKind::device_port) {
    links.push_back(layout.device_port(source));
    links.push_back(layout.device_port(destination) + 1);
    return;
  }
  if (layout.has_pcie_ports) {
    links.push_back(layout.pcie_port(source));
  }
  if (kind == HopKind::nic) {
    const bool leaves_leaf =
        layout.leaves > 0 && layout.leaf_of(source) != layout.leaf_of(destination);
    links.push_back(layout.nic_port(layout.nic_of(source)));
    if (leaves_leaf) {
      links.push_back(layout.leaf_up(layout.leaf_of(source)));
      links.push_back(layout.leaf_up(layout.leaf_of(destination)) + 1);
    }
    links.push_back(layout.nic_port(layout.nic_of(destination)) + 1);
  }
  if (layout.has_pcie_ports) {
    links.push_back(layout.pcie_port(destination) + 1);
  }
}

Route route_between(const Network& network, std::int64_t source, std::int64_t destination) {
  SIM_CHECK(source != destination, fmt::format("two ranks, got {} twice", source));
  const HopKind kind = hop_kind(network.cluster, source, destination);
  Route route;
  route.latency = hop_latency(network.cluster, kind);
  append_hop(LinkLayout(network.cluster), kind, source, destination, route.links);
  return route;
}

}  // namespace parsim
