#include "sim/engine/fluid.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "sim/engine/lane_sets.h"

namespace parsim {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

/// (link, load) in ascending order: two flows with equal lists are one flow.
using Crossings = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Per link: could two flows ever cross it at once?
std::vector<bool> find_contended(const TaskGraph& graph) {
  LaneSets sets;
  const std::vector<std::int32_t> lanes_of_pattern = common_lanes(graph, sets);
  std::vector<std::int32_t> lanes_of_link(graph.links.size(), kNone);
  std::vector<std::pair<PatternId, std::int32_t>> last_flow(graph.links.size(), {kNone, 0});
  std::vector<bool> contended(graph.links.size(), false);
  for (PatternId pattern = 0; pattern < static_cast<PatternId>(graph.patterns.size()); ++pattern) {
    if (lanes_of_pattern[at(pattern)] == kNone) {
      continue;  // no task uses it
    }
    std::int32_t flow_index = 0;
    for (const GraphFlow& flow : graph.patterns[at(pattern)].flows) {
      for (const FlowLink& use : flow.links) {
        std::int32_t& lanes = lanes_of_link[at(use.link)];
        lanes = lanes == kNone ? lanes_of_pattern[at(pattern)]
                               : sets.intersection(lanes, lanes_of_pattern[at(pattern)]);
        auto& last = last_flow[at(use.link)];
        const bool second_flow = last.first == pattern && last.second != flow_index;
        last = {pattern, flow_index};
        if (second_flow || sets.empty(lanes)) {
          contended[at(use.link)] = true;
        }
      }
      ++flow_index;
    }
  }
  return contended;
}

double tightness(const TaskGraph& graph, const FlowLink& use) {
  return static_cast<double>(use.load) / graph.links[at(use.link)].bandwidth.value();
}

/// The contended links of a flow, and its tightest other link when that one can bind.
Crossings binding_links(const TaskGraph& graph, const std::vector<bool>& contended,
                        const GraphFlow& flow) {
  Crossings crossings;
  double tightest_contended = 0.0;
  const FlowLink* tightest_own = nullptr;
  for (const FlowLink& use : flow.links) {
    if (contended[at(use.link)]) {
      crossings.emplace_back(use.link, use.load);
      tightest_contended = std::max(tightest_contended, tightness(graph, use));
    } else if (tightest_own == nullptr || tightness(graph, use) > tightness(graph, *tightest_own)) {
      tightest_own = &use;
    }
  }
  if (tightest_own != nullptr && tightness(graph, *tightest_own) > tightest_contended) {
    crossings.emplace_back(tightest_own->link, tightest_own->load);
  }
  std::sort(crossings.begin(), crossings.end());
  return crossings;
}

/// Splits every pattern into flows that share and time that passes beside them. Returns the
/// distinct shared flows.
std::vector<Crossings> split_patterns(const TaskGraph& graph, const std::vector<bool>& contended,
                                      std::vector<FluidPattern>& patterns) {
  std::vector<Crossings> flows;
  std::map<Crossings, std::int32_t> known;
  for (const GraphPattern& pattern : graph.patterns) {
    FluidPattern& fluid = patterns.emplace_back();
    for (const GraphFlow& flow : pattern.flows) {
      const bool shared = std::any_of(flow.links.begin(), flow.links.end(),
                                      [&](const FlowLink& use) { return contended[at(use.link)]; });
      if (!shared) {
        for (const FlowLink& use : flow.links) {
          fluid.seconds_per_byte =
              std::max(fluid.seconds_per_byte, flow.volume_fraction * tightness(graph, use));
        }
        continue;
      }
      Crossings crossings = binding_links(graph, contended, flow);
      const auto [entry, added] = known.emplace(crossings, static_cast<std::int32_t>(flows.size()));
      if (added) {
        flows.push_back(std::move(crossings));
      }
      fluid.uses.push_back({entry->second, flow.volume_fraction});
    }
  }
  return flows;
}

/// Links by what they carry: the loads on a link, divided by their common divisor, name its class;
/// the class is as wide as its tightest member.
void merge_links(const TaskGraph& graph, const std::vector<Crossings>& flows,
                 FluidNetwork& network) {
  std::vector<Crossings> carried(graph.links.size());  // per link: (flow, load)
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    for (const auto& [link, load] : flows[flow]) {
      carried[at(link)].emplace_back(static_cast<std::int32_t>(flow), load);
    }
  }
  std::map<Crossings, std::int32_t> known;
  network.flows.resize(flows.size());
  for (std::size_t link = 0; link < carried.size(); ++link) {
    if (carried[link].empty()) {
      continue;
    }
    std::int32_t divisor = 0;
    for (const auto& crossing : carried[link]) {
      divisor = std::gcd(divisor, crossing.second);
    }
    for (auto& crossing : carried[link]) {
      crossing.second /= divisor;
    }
    const BytesPerSecond bandwidth = graph.links[link].bandwidth / static_cast<double>(divisor);
    const auto [entry, added] =
        known.emplace(carried[link], static_cast<std::int32_t>(network.links.size()));
    if (added) {
      network.links.push_back({bandwidth});
      for (const auto& [flow, weight] : carried[link]) {
        network.flows[at(flow)].shares.push_back({entry->second, weight});
      }
    } else {
      BytesPerSecond& known_bandwidth = network.links[at(entry->second)].bandwidth;
      known_bandwidth = min(known_bandwidth, bandwidth);
    }
  }
}

}  // namespace

FluidNetwork reduce_to_fluid(const TaskGraph& graph) {
  FluidNetwork network;
  const std::vector<bool> contended = find_contended(graph);
  const std::vector<Crossings> flows = split_patterns(graph, contended, network.patterns);
  merge_links(graph, flows, network);
  return network;
}

}  // namespace parsim
