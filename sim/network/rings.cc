#include "sim/network/rings.h"

#include <algorithm>
#include <map>

namespace parsim {
namespace {

/// A node's members in ring order, and for each NIC behind them the first member that uses it.
struct NodeMembers {
  std::vector<std::int64_t> ranks;
  std::vector<std::size_t> exits;  ///< positions in `ranks`, one a NIC
};

std::vector<NodeMembers> members_by_node(const LinkLayout& layout,
                                         const std::vector<std::int64_t>& ranks) {
  std::vector<NodeMembers> nodes;
  std::map<std::int64_t, std::size_t> position;
  for (const std::int64_t rank : ranks) {
    const auto [entry, is_new] = position.emplace(layout.node_of(rank), nodes.size());
    if (is_new) {
      nodes.emplace_back();
    }
    nodes[entry->second].ranks.push_back(rank);
  }
  for (NodeMembers& node : nodes) {
    std::vector<std::int64_t> nics;
    for (std::size_t i = 0; layout.nics > 0 && i < node.ranks.size(); ++i) {
      const std::int64_t nic = layout.nic_of(node.ranks[i]);
      if (std::find(nics.begin(), nics.end(), nic) == nics.end()) {
        nics.push_back(nic);
        node.exits.push_back(i);
      }
    }
  }
  return nodes;
}

}  // namespace

std::vector<std::vector<std::int64_t>> build_rings(const LinkLayout& layout,
                                                   const std::vector<std::int64_t>& ranks) {
  const std::vector<NodeMembers> nodes = members_by_node(layout, ranks);
  std::size_t count = 1;
  if (nodes.size() > 1) {
    count = nodes.front().exits.size();
    for (const NodeMembers& node : nodes) {
      count = std::min(count, node.exits.size());
    }
  }
  std::vector<std::vector<std::int64_t>> rings(count);
  for (std::size_t ring = 0; ring < count; ++ring) {
    for (const NodeMembers& node : nodes) {
      // Rotated so that the member at this ring's NIC comes last. One ring keeps the order as it
      // is.
      const std::size_t begin =
          count == 1 ? 0 : (node.exits[ring * node.exits.size() / count] + 1) % node.ranks.size();
      for (std::size_t i = 0; i < node.ranks.size(); ++i) {
        rings[ring].push_back(node.ranks[(begin + i) % node.ranks.size()]);
      }
    }
  }
  return rings;
}

}  // namespace parsim
