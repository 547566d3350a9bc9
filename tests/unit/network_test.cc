#include "sim/network/network.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/unit/network_cases.h"

namespace parsim {
namespace {

using namespace network_cases;
using Names = std::vector<std::string>;

Names route_names(const Network& network, std::int64_t source, std::int64_t destination) {
  return names(network, route_between(network, source, destination).links);
}

double route_microseconds(const Network& network, std::int64_t source, std::int64_t destination) {
  return route_between(network, source, destination).latency.value_in(microseconds);
}

double bandwidth_of(const Network& network, const std::string& name) {
  for (const Link& link : network.links) {
    if (link.name == name) {
      return link.bandwidth.value();
    }
  }
  FAIL("no link " + name);
  return 0.0;
}

TEST_CASE("nvswitch: a port pair inside the node, NICs between nodes") {
  const Network network = build_network(nvswitch_cluster(2));
  CHECK(network.links.size() == 2 * (16 + 16));
  CHECK(route_names(network, 1, 5) == Names{"node0.gpu1.nvlink.out", "node0.gpu5.nvlink.in"});
  CHECK(route_microseconds(network, 1, 5) == Approx(2.0));
  CHECK(route_names(network, 1, 14) == Names{"node0.nic1.out", "node1.nic6.in"});
  CHECK(route_microseconds(network, 1, 14) == Approx(5.0));
}

TEST_CASE("nvswitch: PCIe ports stand on the way to the NIC when the node gives their bandwidth") {
  Cluster cluster = nvswitch_cluster(2);
  cluster.node.pcie_bandwidth = 20.0 * gigabytes_per_second;
  cluster.node.nics = 4;
  const Network network = build_network(cluster);
  CHECK(route_names(network, 1, 5) == Names{"node0.gpu1.nvlink.out", "node0.gpu5.nvlink.in"});
  CHECK(route_names(network, 3, 12) ==
        Names{"node0.gpu3.pcie.out", "node0.nic1.out", "node1.nic2.in", "node1.gpu4.pcie.in"});
  CHECK(route_microseconds(network, 3, 12) == Approx(5.0));
}

TEST_CASE("a single node has no NIC ports") {
  const Network network = build_network(nvswitch_cluster(1));
  CHECK(network.links.size() == 16);
}

TEST_CASE("NVLink pairs: 2k and 2k+1 by NVLink, others over PCIe") {
  const Network network = build_network(pairs_cluster(2));
  CHECK(route_names(network, 2, 3) == Names{"node0.gpu2.nvlink.out", "node0.gpu3.nvlink.in"});
  CHECK(route_microseconds(network, 2, 3) == Approx(3.0));
  CHECK(route_names(network, 1, 2) == Names{"node0.gpu1.pcie.out", "node0.gpu2.pcie.in"});
  CHECK(route_microseconds(network, 1, 2) == Approx(5.0));
  CHECK(route_names(network, 1, 4) ==
        Names{"node0.gpu1.pcie.out", "node0.nic0.out", "node1.nic0.in", "node1.gpu0.pcie.in"});
}

TEST_CASE("PCIe: every pair of a node over PCIe, device i on NIC i*nics/devices") {
  const Network network = build_network(pcie_cluster(2));
  CHECK(route_names(network, 2, 3) == Names{"node0.gpu2.pcie.out", "node0.gpu3.pcie.in"});
  CHECK(route_names(network, 2, 5) ==
        Names{"node0.gpu2.pcie.out", "node0.nic1.out", "node1.nic0.in", "node1.gpu1.pcie.in"});
}

TEST_CASE("a link's bandwidth is its rate times the efficiency of its kind") {
  Cluster cluster = pairs_cluster(2);
  cluster.node.device_link_efficiency = 0.75;
  cluster.node.nic_efficiency = 0.9;
  const Network network = build_network(cluster);
  CHECK(bandwidth_of(network, "node1.gpu2.nvlink.in") == Approx(75e9).epsilon(1e-12));
  CHECK(bandwidth_of(network, "node1.gpu2.pcie.out") == Approx(12e9).epsilon(1e-12));
  CHECK(bandwidth_of(network, "node0.nic0.in") == Approx(22.5e9).epsilon(1e-12));
}

TEST_CASE("an oversubscribed fabric: leaf links carry their nodes' NICs over the ratio") {
  Cluster cluster = oversubscribed(nvswitch_cluster(5), 2, 4.0);
  cluster.node.nic_efficiency = 0.8;
  const Network network = build_network(cluster);
  // Two nodes of 8 NICs at 20 GB/s over 4; the last leaf has one node.
  CHECK(bandwidth_of(network, "leaf0.up") == Approx(80e9).epsilon(1e-12));
  CHECK(bandwidth_of(network, "leaf1.down") == Approx(80e9).epsilon(1e-12));
  CHECK(bandwidth_of(network, "leaf2.up") == Approx(40e9).epsilon(1e-12));
  CHECK(route_names(network, 0, 8) == Names{"node0.nic0.out", "node1.nic0.in"});
  CHECK(route_names(network, 8, 39) ==
        Names{"node1.nic0.out", "leaf0.up", "leaf2.down", "node4.nic7.in"});
}

TEST_CASE("an oversubscribed fabric with one leaf has no leaf links") {
  const Network network = build_network(oversubscribed(nvswitch_cluster(2), 4, 4.0));
  CHECK(network.links.size() == 2 * (16 + 16));
  CHECK(route_names(network, 0, 8) == Names{"node0.nic0.out", "node1.nic0.in"});
}

TEST_CASE("a network of 10,000 devices has every link once") {
  const Network network = build_network(oversubscribed(nvswitch_cluster(1250), 32, 2.0));
  CHECK(network.links.size() == 1250 * 32 + 2 * 40);
  Names all;
  for (const Link& link : network.links) {
    CHECK(link.bandwidth.value() > 0.0);
    all.push_back(link.name);
  }
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(route_names(network, 9999, 0) ==
        Names{"node1249.nic7.out", "leaf39.up", "leaf0.down", "node0.nic0.in"});
}

TEST_CASE("broken preconditions are our bug") {
  const Network network = build_network(nvswitch_cluster(1));
  CHECK_THROWS_AS(route_between(network, 3, 3), BugError);
  CHECK_THROWS_AS(collective_pattern(network, CollectiveKind::all_reduce, {}), BugError);
  Cluster no_nic = nvswitch_cluster(2);
  no_nic.node.nics = 0;
  CHECK_THROWS_AS(build_network(no_nic), BugError);
}

}  // namespace
}  // namespace parsim
