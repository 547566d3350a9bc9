#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace parsim {

/// Where each link stands in Network::links. All numbers follow from the cluster, so a link is
/// found by arithmetic, without a search. Ports come in pairs: the outgoing direction is the even
/// one. Per node: [device ports][PCIe ports][NIC ports]; behind all nodes: [leaf up, leaf down].
struct LinkLayout {
  explicit LinkLayout(const Cluster& cluster);

  std::int64_t devices = 0;  ///< per node
  std::int64_t nics = 0;     ///< per node; 0 when the cluster has one node only
  std::int64_t nodes = 0;
  bool has_device_ports = false;    ///< NVLink ports: nvswitch and nvlink_pairs
  bool has_pcie_ports = false;      ///< also crossed on the way to the NIC
  std::int64_t nodes_per_leaf = 0;  ///< 0: no leaf links
  std::int64_t leaves = 0;          ///< 0: no leaf links
  std::int64_t links_per_node = 0;
  std::int64_t links = 0;

  [[nodiscard]] std::int64_t node_of(std::int64_t rank) const { return rank / devices; }
  [[nodiscard]] std::int64_t device_of(std::int64_t rank) const { return rank % devices; }
  /// NIC of the rank's device, counted over the whole cluster.
  [[nodiscard]] std::int64_t nic_of(std::int64_t rank) const {
    return node_of(rank) * nics + device_of(rank) * nics / devices;
  }
  [[nodiscard]] std::int64_t leaf_of(std::int64_t rank) const {
    return node_of(rank) / nodes_per_leaf;
  }

  /// The outgoing direction; the incoming one is the next link.
  [[nodiscard]] LinkId device_port(std::int64_t rank) const {
    return id(node_of(rank) * links_per_node + 2 * device_of(rank));
  }
  [[nodiscard]] LinkId pcie_port(std::int64_t rank) const {
    return id(node_of(rank) * links_per_node + (has_device_ports ? 2 * devices : 0) +
              2 * device_of(rank));
  }
  [[nodiscard]] LinkId nic_port(std::int64_t nic) const {
    return id((nic / nics) * links_per_node + links_per_node - 2 * nics + 2 * (nic % nics));
  }
  [[nodiscard]] LinkId leaf_up(std::int64_t leaf) const {
    return id(nodes * links_per_node + 2 * leaf);
  }

 private:
  [[nodiscard]] static LinkId id(std::int64_t index) { return static_cast<LinkId>(index); }
};

/// How two ranks reach each other.
enum class HopKind { device_port, pcie, nic };

/// Precondition: the ranks differ.
[[nodiscard]] HopKind hop_kind(const Cluster& cluster, std::int64_t source,
                               std::int64_t destination);

/// One way, when alone: the interconnect's own inside a node, NIC + fabric between nodes.
[[nodiscard]] Seconds hop_latency(const Cluster& cluster, HopKind kind);

/// Appends the links from source to destination in the order they are crossed.
void append_hop(const LinkLayout& layout, HopKind kind, std::int64_t source,
                std::int64_t destination, std::vector<LinkId>& links);

}  // namespace parsim
