#pragma once

#include "sim/scenario/field.h"

/// Field tables of the machine: device, node, fabric, cluster.
namespace parsim {

inline TableTitle title_of(const Efficiency&) {
  return {"efficiency",
          "Share of the datasheet rate that a class of operators reaches, from 0.001 to 1."};
}
template <class Visitor>
void describe(Visitor& visit, Efficiency& efficiency) {
  visit.field({.key = "gemm", .doc = "matrix products, of the peak rate", .required = true},
              efficiency.gemm);
  visit.field({.key = "batched_gemm",
               .doc = "attention's batched matrix products when unfused, of the peak rate",
               .required = true},
              efficiency.batched_gemm);
  visit.field({.key = "attention", .doc = "fused attention, of the peak rate", .required = true},
              efficiency.attention);
  visit.field(
      {.key = "memory", .doc = "memory-bound operators, of the memory bandwidth", .required = true},
      efficiency.memory);
}

inline TableTitle title_of(const Device&) {
  return {"device", "One accelerator or processor, by its datasheet."};
}
template <class Visitor>
void describe(Visitor& visit, Device& device) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              device.name);
  visit.field(
      {.key = "kind", .doc = "what it is", .required = true, .one_of = {"gpu", "tpu", "cpu"}},
      device.kind);
  visit.field({.key = "peak",
               .doc = "peak rate of dense matrix products by precision; at least one",
               .required = true,
               .positive = true},
              device.peak);
  visit.field({.key = "memory", .doc = "capacity", .required = true, .positive = true},
              device.memory);
  visit.field({.key = "memory_bandwidth",
               .doc = "bandwidth of the device memory",
               .required = true,
               .positive = true},
              device.memory_bandwidth);
  visit.field(
      {.key = "launch_overhead", .doc = "time that every kernel takes at least", .required = true},
      device.launch_overhead);
  visit.field({.key = "efficiency", .doc = "reachable shares of the peaks", .required = true},
              device.efficiency);
  visit.field({.key = "sources", .doc = "where each number comes from"}, device.sources);
}

inline TableTitle title_of(const Node&) {
  return {"node",
          "A machine. Bandwidths are per direction; a transfer alone reaches bandwidth x "
          "efficiency."};
}
template <class Visitor>
void describe(Visitor& visit, Node& node) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              node.name);
  visit.field({.key = "devices", .doc = "devices in one node", .required = true, .most = 65'536},
              node.devices);
  visit.field({.key = "interconnect",
               .doc = "nvswitch: every device has a port into a full crossbar; nvlink-pairs: "
                      "devices 2k and 2k+1 are joined, others meet over PCIe; pcie: every device "
                      "has a port into the host",
               .required = true},
              node.interconnect);
  visit.field({.key = "device_bandwidth",
               .doc = "per device port; needed for nvswitch and nvlink-pairs",
               .positive = true,
               .default_text = "none"},
              node.device_bandwidth);
  visit.field({.key = "device_latency",
               .doc = "one way, device to device; needed for nvswitch and nvlink-pairs",
               .default_text = "none"},
              node.device_latency);
  visit.field({.key = "pcie_bandwidth",
               .doc = "per device port; needed for nvlink-pairs and pcie",
               .positive = true,
               .default_text = "none"},
              node.pcie_bandwidth);
  visit.field({.key = "pcie_latency",
               .doc = "one way, device to device; needed for nvlink-pairs and pcie",
               .default_text = "none"},
              node.pcie_latency);
  visit.field({.key = "nics",
               .doc = "network cards; device i uses card i x nics / devices",
               .least = 0,
               .most = 65'536},
              node.nics);
  visit.field({.key = "nic_bandwidth", .doc = "per card; needed with cards"}, node.nic_bandwidth);
  visit.field({.key = "nic_latency", .doc = "one way, card to card, without what the fabric adds"},
              node.nic_latency);
  visit.field({.key = "device_link_efficiency",
               .doc = "reachable share of device_bandwidth and pcie_bandwidth"},
              node.device_link_efficiency);
  visit.field({.key = "nic_efficiency", .doc = "reachable share of nic_bandwidth"},
              node.nic_efficiency);
  visit.field({.key = "sources", .doc = "where each number comes from"}, node.sources);
}

inline TableTitle title_of(const Fabric&) {
  return {"fabric", "What joins the nodes."};
}
template <class Visitor>
void describe(Visitor& visit, Fabric& fabric) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              fabric.name);
  visit.field({.key = "kind",
               .doc = "non-blocking: only the cards limit; oversubscribed: nodes share the uplinks "
                      "of their leaf switch",
               .required = true},
              fabric.kind);
  visit.field({.key = "nodes_per_leaf",
               .doc = "nodes on one leaf switch; oversubscribed only",
               .most = kMostRanks,
               .default_text = "none"},
              fabric.nodes_per_leaf);
  visit.field({.key = "oversubscription",
               .doc = "downlinks : uplinks of a leaf switch; oversubscribed only",
               .low = 1.0,
               .high = 1000.0,
               .default_text = "none"},
              fabric.oversubscription);
  visit.field({.key = "latency", .doc = "added to nic_latency between two nodes"}, fabric.latency);
  visit.field({.key = "sources", .doc = "where each number comes from"}, fabric.sources);
}

inline TableTitle title_of(const Cluster&) {
  return {"cluster", "The machine: equal nodes of equal devices."};
}
template <class Visitor>
void describe(Visitor& visit, Cluster& cluster) {
  visit.field(
      {.key = "device", .doc = "the device, or its name", .required = true, .folder = "devices"},
      cluster.device);
  visit.field({.key = "node", .doc = "the node, or its name", .required = true, .folder = "nodes"},
              cluster.node);
  visit.field({.key = "fabric",
               .doc = "the fabric, or its name; needed with more than one node",
               .default_text = "none",
               .folder = "fabrics"},
              cluster.fabric);
  visit.field({.key = "nodes", .doc = "number of nodes", .most = kMostRanks}, cluster.nodes);
}

}  // namespace parsim
