#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/network/network.h"
#include "tests/catch.h"
#include "tests/unit/network_cases.h"

namespace parsim {
namespace {

using namespace network_cases;
using Ranks = std::vector<std::int64_t>;

constexpr double kBytes = 3e9;

Ranks first_ranks(std::int64_t count) {
  Ranks ranks;
  for (std::int64_t i = 0; i < count; ++i) {
    ranks.push_back(i);
  }
  return ranks;
}

/// A seeded subset in a seeded order.
Ranks random_group(Random& random, std::int64_t ranks) {
  Ranks group = first_ranks(ranks);
  for (std::int64_t i = ranks - 1; i > 0; --i) {
    std::swap(group[static_cast<std::size_t>(i)],
              group[static_cast<std::size_t>(random.between(0, i))]);
  }
  group.resize(static_cast<std::size_t>(random.between(2, ranks)));
  return group;
}

std::vector<Cluster> all_machines() {
  Cluster switched = nvswitch_cluster(3);
  Cluster with_pcie = nvswitch_cluster(3);
  with_pcie.node.pcie_bandwidth = 20.0 * gigabytes_per_second;
  with_pcie.node.nics = 2;
  return {switched, with_pcie, pairs_cluster(5), pcie_cluster(5),
          oversubscribed(pairs_cluster(5), 2, 3.0)};
}

TEST_CASE("one rank: no flows, no latency") {
  const Network network = build_network(nvswitch_cluster(1));
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
    const CollectivePattern pattern = collective_pattern(network, kind, {3});
    CHECK(pattern.flows.empty());
    CHECK(pattern.latency.value() == 0.0);
  }
}

TEST_CASE("collectives inside a crossbar take their closed forms, n 2..16") {
  const double bandwidth = 300e9;
  const double alpha = 2e-6;
  for (std::int64_t devices = 2; devices <= 16; ++devices) {
    const Network network = build_network(nvswitch_cluster(1, devices));
    const Ranks ranks = first_ranks(devices);
    const auto n = static_cast<double>(devices);
    const auto alone = [&](CollectiveKind kind) {
      return time_alone(network, collective_pattern(network, kind, ranks), kBytes);
    };
    const double part = (n - 1) / n * kBytes / bandwidth;
    CHECK(alone(CollectiveKind::all_reduce) ==
          Approx(2 * part + 2 * (n - 1) * alpha).epsilon(1e-9));
    CHECK(alone(CollectiveKind::all_gather) == Approx(part + (n - 1) * alpha).epsilon(1e-9));
    CHECK(alone(CollectiveKind::reduce_scatter) == Approx(part + (n - 1) * alpha).epsilon(1e-9));
    CHECK(alone(CollectiveKind::broadcast) ==
          Approx(kBytes / bandwidth + (n - 1) * alpha).epsilon(1e-9));
    CHECK(alone(CollectiveKind::all_to_all) == Approx(part + alpha).epsilon(1e-9));
  }
}

TEST_CASE("rings over two nodes leave through every NIC, each with its share") {
  const Network network = build_network(nvswitch_cluster(2));
  const CollectivePattern pattern =
      collective_pattern(network, CollectiveKind::all_gather, first_ranks(16));
  REQUIRE(pattern.flows.size() == 1);
  // 8 rings of 16 hops of 2 links; each ring leaves each node once.
  CHECK(pattern.flows[0].links.size() == 8 * 32);
  CHECK(pattern.flows[0].volume_fraction == Approx(15.0 / 16 / 8).epsilon(1e-12));
  // 14 hops of 2 us and 2 of 5 us: 38 us round, of which 15/16.
  CHECK(pattern.latency.value_in(microseconds) == Approx(15.0 / 16 * 38));
  const std::vector<std::string> crossed = names(network, pattern.flows[0].links);
  for (int i = 0; i < 8; ++i) {
    for (const char* node : {"node0", "node1"}) {
      const std::string nic = std::string(node) + ".nic" + std::to_string(i);
      CHECK(std::count(crossed.begin(), crossed.end(), nic + ".out") == 1);
      CHECK(std::count(crossed.begin(), crossed.end(), nic + ".in") == 1);
      const std::string port = std::string(node) + ".gpu" + std::to_string(i) + ".nvlink";
      CHECK(std::count(crossed.begin(), crossed.end(), port + ".out") == 7);
      CHECK(std::count(crossed.begin(), crossed.end(), port + ".in") == 7);
    }
  }
  // A NIC carries 15/16/8 of 3 GB at 25 GB/s, longer than a port: 7/8 of 15/16 at 300 GB/s.
  CHECK(time_alone(network, pattern, kBytes) ==
        Approx(15.0 / 16 * 38e-6 + 15.0 / 16 / 8 * kBytes / 25e9).epsilon(1e-9));
}

TEST_CASE("a group with one member a node is one ring through that member's NIC") {
  const Network network = build_network(nvswitch_cluster(3));
  const CollectivePattern pattern =
      collective_pattern(network, CollectiveKind::all_reduce, {2, 10, 18});
  REQUIRE(pattern.flows.size() == 1);
  CHECK(pattern.flows[0].volume_fraction == Approx(4.0 / 3));
  CHECK(names(network, pattern.flows[0].links) ==
        std::vector<std::string>{"node0.nic2.out", "node1.nic2.in", "node1.nic2.out",
                                 "node2.nic2.in", "node2.nic2.out", "node0.nic2.in"});
}

TEST_CASE("the fewest NICs of a node decide how many rings there are") {
  // Two members on node 0, three on node 1: two rings.
  const Network network = build_network(nvswitch_cluster(2));
  const CollectivePattern pattern =
      collective_pattern(network, CollectiveKind::all_reduce, {0, 1, 8, 9, 10});
  CHECK(pattern.flows.at(0).volume_fraction == Approx(2 * 4.0 / 5 / 2));
  CHECK(pattern.flows.at(0).links.size() == 2 * 5 * 2);
}

TEST_CASE("rings visit a node's members one after another, whatever the order of the ranks") {
  // Alternating between two nodes of four devices with one NIC: still one crossing each way.
  const Network network = build_network(pairs_cluster(2));
  const CollectivePattern pattern =
      collective_pattern(network, CollectiveKind::all_reduce, {0, 4, 1, 5, 2, 6, 3, 7});
  REQUIRE(pattern.flows.size() == 1);
  const std::vector<std::string> crossed = names(network, pattern.flows[0].links);
  CHECK(std::count(crossed.begin(), crossed.end(), "node0.nic0.out") == 1);
  CHECK(std::count(crossed.begin(), crossed.end(), "node0.nic0.in") == 1);
}

TEST_CASE("a broadcast is a chain: nobody sends to the root") {
  const Network network = build_network(nvswitch_cluster(1));
  const CollectivePattern pattern =
      collective_pattern(network, CollectiveKind::broadcast, {4, 2, 6});
  REQUIRE(pattern.flows.size() == 1);
  CHECK(names(network, pattern.flows[0].links) ==
        std::vector<std::string>{"node0.gpu4.nvlink.out", "node0.gpu2.nvlink.in",
                                 "node0.gpu2.nvlink.out", "node0.gpu6.nvlink.in"});
}

TEST_CASE("a chain's latency is the sum of its hops") {
  const Network network = build_network(pairs_cluster(1));
  const auto broadcast = [&](const Ranks& ranks) {
    return collective_pattern(network, CollectiveKind::broadcast, ranks)
        .latency.value_in(microseconds);
  };
  CHECK(broadcast({0, 1}) == Approx(3.0));           // NVLink
  CHECK(broadcast({0, 1, 2}) == Approx(3.0 + 5.0));  // NVLink, then PCIe
}

TEST_CASE("an all-to-all loads every link with the pairs whose route crosses it") {
  Random random(11);
  for (const Cluster& cluster : all_machines()) {
    const Network network = build_network(cluster);
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Ranks ranks = random_group(random, cluster.nodes * cluster.node.devices);
      std::vector<double> pairs(network.links.size(), 0.0);
      Seconds longest{0.0};
      for (const std::int64_t source : ranks) {
        for (const std::int64_t destination : ranks) {
          if (source == destination) {
            continue;
          }
          const Route route = route_between(network, source, destination);
          longest = max(longest, route.latency);
          for (const LinkId link : route.links) {
            pairs[static_cast<std::size_t>(link)] += 1.0;
          }
        }
      }
      const CollectivePattern pattern =
          collective_pattern(network, CollectiveKind::all_to_all, ranks);
      CHECK(pattern.latency == longest);
      const std::vector<double> volume = volume_per_link(network, pattern);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        CHECK(volume[i] * static_cast<double>(ranks.size()) == Approx(pairs[i]).epsilon(1e-12));
      }
      for (const FlowShape& flow : pattern.flows) {
        CHECK(flow.links.size() == 1);
      }
    }
  }
}

TEST_CASE("what goes out comes in: bytes are conserved on every machine and in every collective") {
  Random random(12);
  const auto ends_with = [](const std::string& text, const std::string& tail) {
    return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
  };
  for (const Cluster& cluster : all_machines()) {
    const Network network = build_network(cluster);
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
          CollectiveKind::broadcast, CollectiveKind::all_to_all}) {
      const Ranks ranks = random_group(random, cluster.nodes * cluster.node.devices);
      const CollectivePattern pattern = collective_pattern(network, kind, ranks);
      const std::vector<double> volume = volume_per_link(network, pattern);
      double balance[4] = {0.0, 0.0, 0.0, 0.0};
      for (std::size_t i = 0; i < volume.size(); ++i) {
        const Link& link = network.links[i];
        const bool out = ends_with(link.name, "out") || ends_with(link.name, ".up");
        balance[static_cast<int>(link.link_class)] += out ? volume[i] : -volume[i];
      }
      for (const double difference : balance) {
        CHECK(difference == Approx(0.0).margin(1e-9));
      }
    }
  }
}

TEST_CASE("a transfer is its route with the whole volume") {
  const Network network = build_network(nvswitch_cluster(2));
  const CollectivePattern pattern = transfer_pattern(network, 1, 14);
  REQUIRE(pattern.flows.size() == 1);
  CHECK(pattern.flows[0].volume_fraction == 1.0);
  CHECK(names(network, pattern.flows[0].links) ==
        std::vector<std::string>{"node0.nic1.out", "node1.nic6.in"});
  CHECK(pattern.latency.value_in(microseconds) == Approx(5.0));
  CHECK(time_alone(network, pattern, kBytes) == Approx(5e-6 + kBytes / 25e9).epsilon(1e-12));
}

}  // namespace
}  // namespace parsim
