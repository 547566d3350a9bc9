#pragma once

#include <string>
#include <vector>

#include "sim/network/network.h"

/// Small machines with round numbers, for hand calculation.
namespace parsim::network_cases {

/// Eight devices a node on a crossbar of 300 GB/s ports (2 us), one 25 GB/s NIC a device
/// (4 us + fabric 1 us).
inline Cluster nvswitch_cluster(std::int64_t nodes, std::int64_t devices = 8) {
  Cluster cluster;
  cluster.nodes = nodes;
  cluster.node.devices = devices;
  cluster.node.interconnect = NodeInterconnect::nvswitch;
  cluster.node.device_bandwidth = 300.0 * gigabytes_per_second;
  cluster.node.device_latency = 2.0 * microseconds;
  cluster.node.nics = devices;
  cluster.node.nic_bandwidth = 25.0 * gigabytes_per_second;
  cluster.node.nic_latency = 4.0 * microseconds;
  cluster.fabric = Fabric{};
  cluster.fabric->latency = 1.0 * microseconds;
  return cluster;
}

/// Four devices a node, pairs joined by 100 GB/s (3 us), the rest over 16 GB/s PCIe (5 us), one NIC
/// for all of them.
inline Cluster pairs_cluster(std::int64_t nodes) {
  Cluster cluster = nvswitch_cluster(nodes, 4);
  cluster.node.interconnect = NodeInterconnect::nvlink_pairs;
  cluster.node.device_bandwidth = 100.0 * gigabytes_per_second;
  cluster.node.device_latency = 3.0 * microseconds;
  cluster.node.pcie_bandwidth = 16.0 * gigabytes_per_second;
  cluster.node.pcie_latency = 5.0 * microseconds;
  cluster.node.nics = 1;
  return cluster;
}

inline Cluster pcie_cluster(std::int64_t nodes) {
  Cluster cluster = pairs_cluster(nodes);
  cluster.node.interconnect = NodeInterconnect::pcie;
  cluster.node.device_bandwidth.reset();
  cluster.node.device_latency.reset();
  cluster.node.nics = 2;
  return cluster;
}

inline Cluster oversubscribed(Cluster cluster, std::int64_t nodes_per_leaf, double ratio) {
  cluster.fabric->kind = FabricKind::oversubscribed;
  cluster.fabric->nodes_per_leaf = nodes_per_leaf;
  cluster.fabric->oversubscription = ratio;
  return cluster;
}

inline std::vector<std::string> names(const Network& network, const std::vector<LinkId>& links) {
  std::vector<std::string> result;
  for (const LinkId link : links) {
    result.push_back(network.links.at(static_cast<std::size_t>(link)).name);
  }
  return result;
}

/// Bytes over every link for a buffer of one byte.
inline std::vector<double> volume_per_link(const Network& network,
                                           const CollectivePattern& pattern) {
  std::vector<double> volume(network.links.size(), 0.0);
  for (const FlowShape& flow : pattern.flows) {
    for (const LinkId link : flow.links) {
      volume.at(static_cast<std::size_t>(link)) += flow.volume_fraction;
    }
  }
  return volume;
}

/// Time of the pattern when nothing else runs: latency + the fullest link of every flow.
inline double time_alone(const Network& network, const CollectivePattern& pattern, double bytes) {
  double slowest = 0.0;
  for (const FlowShape& flow : pattern.flows) {
    const std::vector<double> volume = volume_per_link(network, {{flow}, Seconds{0.0}});
    for (std::size_t i = 0; i < volume.size(); ++i) {
      slowest = std::max(slowest, volume[i] * bytes / network.links[i].bandwidth.value());
    }
  }
  return pattern.latency.value() + slowest;
}

}  // namespace parsim::network_cases
