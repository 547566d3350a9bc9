#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/scenario/check.h"
#include "sim/scenario/field.h"

namespace parsim {
namespace {

void need_member(bool present, const char* key, const Node& node, Findings& findings) {
  if (!present) {
    findings.push_back(
        {"/cluster/node",
         fmt::format("interconnect \"{}\" needs \"{}\"", spelling_of(node.interconnect), key),
         "per device port and direction, e.g. \"300 GB/s\" and \"1 us\"",
         {"/cluster/node/interconnect", std::string("/cluster/node/") + key}});
  }
}

void check_node(const Cluster& cluster, Findings& findings) {
  const Node& node = cluster.node;
  if (node.interconnect != NodeInterconnect::pcie) {
    need_member(node.device_bandwidth.has_value(), "device_bandwidth", node, findings);
    need_member(node.device_latency.has_value(), "device_latency", node, findings);
  }
  if (node.interconnect != NodeInterconnect::nvswitch) {
    need_member(node.pcie_bandwidth.has_value(), "pcie_bandwidth", node, findings);
    need_member(node.pcie_latency.has_value(), "pcie_latency", node, findings);
  }
  if (cluster.nodes > 1 && node.nics < 1) {
    findings.push_back(
        {"/cluster/node",
         fmt::format("{} nodes need network cards, but \"nics\" is 0", grouped(cluster.nodes)),
         "set nics, nic_bandwidth and nic_latency",
         {"/cluster/nodes", "/cluster/node/nics"}});
  }
  if (node.nics > node.devices) {
    findings.push_back({"/cluster/node/nics",
                        fmt::format("{} network cards for {} devices", node.nics, node.devices),
                        "device i uses card i x nics / devices: surplus cards would idle",
                        {"/cluster/node/nics", "/cluster/node/devices"}});
  }
  if (node.nics > 0 && node.nic_bandwidth <= BytesPerSecond{0.0}) {
    findings.push_back({"/cluster/node",
                        "network cards need a \"nic_bandwidth\" above zero",
                        "per card and direction, e.g. \"200 Gb/s\"",
                        {"/cluster/node/nics", "/cluster/node/nic_bandwidth"}});
  }
}

void check_fabric(const Cluster& cluster, Findings& findings) {
  if (!cluster.fabric) {
    if (cluster.nodes > 1) {
      findings.push_back({"/cluster",
                          fmt::format("{} nodes need a \"fabric\"", grouped(cluster.nodes)),
                          "for example \"fabric\": {\"kind\": \"non-blocking\"}",
                          {"/cluster/nodes", "/cluster/fabric"}});
    }
    return;
  }
  const Fabric& fabric = *cluster.fabric;
  const bool oversubscribed = fabric.kind == FabricKind::oversubscribed;
  const auto check_member = [&](bool present, const std::string& key) {
    const std::string pointer = "/cluster/fabric/" + key;
    if (oversubscribed && !present) {
      findings.push_back({"/cluster/fabric",
                          fmt::format("an oversubscribed fabric needs \"{}\"", key),
                          "give both nodes_per_leaf and oversubscription, e.g. 16 and 2",
                          {"/cluster/fabric/kind", pointer}});
    } else if (!oversubscribed && present) {
      findings.push_back({pointer,
                          fmt::format("\"{}\" is for oversubscribed fabrics only", key),
                          "remove it, or set kind to \"oversubscribed\"",
                          {"/cluster/fabric/kind", pointer}});
    }
  };
  check_member(fabric.nodes_per_leaf.has_value(), "nodes_per_leaf");
  check_member(fabric.oversubscription.has_value(), "oversubscription");
}

void check_precision(const Scenario& scenario, Findings& findings) {
  const Device& device = scenario.cluster.device;
  if (device.peak.count(scenario.training.precision) > 0) {
    return;
  }
  std::vector<std::string> known;
  for (const auto& [precision, rate] : device.peak) {
    known.emplace_back(spelling_of(precision));
  }
  const std::string name = device.name.empty() ? "" : " " + quoted_short(device.name);
  findings.push_back({"/training/precision",
                      fmt::format("the device{} has no peak rate for {}", name,
                                  spelling_of(scenario.training.precision)),
                      fmt::format("it has: {}", join(known)),
                      {"/training/precision", "/cluster/device/peak"}});
}

}  // namespace

void check_cluster(const Scenario& scenario, Findings& findings) {
  check_node(scenario.cluster, findings);
  check_fabric(scenario.cluster, findings);
  check_precision(scenario, findings);
}

}  // namespace parsim
