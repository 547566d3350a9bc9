// Which ranks, communicators and links are alike?
//
// Problem. Simulating one rank instead of k alike ones must give the same times, contention
// included. So the groups have to be alike not only in what they run but in what they share: a link
// crossed by eight rings is not the same as a link crossed by one.
//
// Method. Colour refinement (Weisfeiler-Leman, one-dimensional) on the bipartite structure rank -
// communicator - link. Colours start from what is known to differ (a rank's pipeline coordinate, a
// communicator's kind, a link's class and bandwidth) and are split until all objects of a colour
// see the same multiset of neighbouring colours. The partition is then equitable: every link of
// class l is crossed by the same number of flows of class R. Max-min fair sharing by water-filling
// reads nothing but these counts, so all flows of a class get one rate at every moment, and all
// tasks of a class start and end together, by induction over events. One representative of each
// class, with the count as its weight on the link, has the same solution.
//
// Why it ends: the number of colours grows in every round but the last and is bounded by the number
// of objects. Cost: a round is linear in the number of (communicator, link) crossings; regular
// layouts need three to five rounds.

#include "sim/graph/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "sim/base/check.h"

namespace parsim {

namespace {

using Colour = std::uint64_t;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// SplitMix64's finaliser: sums of mixed colours identify multisets.
Colour mix(Colour value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

CollectivePattern footprint(const Network& network, const Communicator& communicator) {
  if (communicator.kind == CommunicatorKind::send_forward ||
      communicator.kind == CommunicatorKind::send_backward) {
    return transfer_pattern(network, communicator.ranks[0], communicator.ranks[1]);
  }
  return collective_pattern(network, CollectiveKind::all_reduce, communicator.ranks);
}

/// Replaces signatures by class numbers in order of first appearance; returns how many there are.
std::size_t renumber(std::vector<Colour>& colours, std::vector<std::int32_t>& classes) {
  std::unordered_map<Colour, std::int32_t> number;
  classes.resize(colours.size());
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto next = static_cast<std::int32_t>(number.size());
    classes[i] = number.emplace(colours[i], next).first->second;
    colours[i] = mix(static_cast<Colour>(classes[i]));
  }
  return number.size();
}

/// The structure being coloured: which links every communicator crosses.
struct Structure {
  const Communicators& communicators;
  std::vector<std::vector<LinkId>> crossed;  ///< per communicator, with repetition
  std::vector<bool> link_used;
};

struct Colouring {
  std::vector<Colour> ranks, communicators, links;
  std::vector<std::int32_t> rank_class, communicator_class, link_class;
};

Structure make_structure(const Communicators& communicators, const Network& network) {
  Structure structure{communicators, {}, std::vector<bool>(network.links.size(), false)};
  structure.crossed.reserve(communicators.all.size());
  for (const Communicator& communicator : communicators.all) {
    std::vector<LinkId> links;
    for (const FlowShape& flow : footprint(network, communicator).flows) {
      links.insert(links.end(), flow.links.begin(), flow.links.end());
    }
    for (const LinkId link : links) {
      structure.link_used[at(link)] = true;
    }
    structure.crossed.push_back(std::move(links));
  }
  return structure;
}

Colouring initial_colouring(const Plan& plan, const Structure& structure, const Network& network,
                            bool unfold) {
  Colouring colouring;
  for (std::int64_t rank = 0; rank < plan.mesh.ranks(); ++rank) {
    const std::int64_t stage = plan.mesh.coordinate(rank, Axis::pipeline);
    colouring.ranks.push_back(mix(static_cast<Colour>(unfold ? rank : stage)));
  }
  for (const Communicator& communicator : structure.communicators.all) {
    colouring.communicators.push_back(mix(static_cast<Colour>(communicator.kind)));
  }
  std::unordered_map<double, Colour> bandwidth_number;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const Link& link = network.links[i];
    const Colour bandwidth =
        bandwidth_number.emplace(link.bandwidth.value(), bandwidth_number.size()).first->second;
    const Colour alike = mix(bandwidth) + static_cast<Colour>(link.link_class);
    colouring.links.push_back(mix(unfold ? static_cast<Colour>(i) : alike));
  }
  return colouring;
}

/// One round: every object's colour becomes its old colour and the multiset of its neighbours'
/// colours. The two ends of a send are told apart; the members of a collective are not.
void refine(const Structure& structure, Colouring& colouring) {
  std::vector<Colour> links(colouring.links.size());
  std::vector<Colour> ranks(colouring.ranks.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i] = mix(colouring.links[i]);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = mix(colouring.ranks[i]);
  }
  for (std::size_t i = 0; i < structure.communicators.all.size(); ++i) {
    const Communicator& communicator = structure.communicators.all[i];
    const bool send = communicator.kind == CommunicatorKind::send_forward ||
                      communicator.kind == CommunicatorKind::send_backward ||
                      communicator.kind == CommunicatorKind::embedding;
    const Colour own = mix(colouring.communicators[i]);
    Colour signature = mix(own);
    for (std::size_t member = 0; member < communicator.ranks.size(); ++member) {
      const Colour role = send ? static_cast<Colour>(member + 1) : 0;
      signature += mix(colouring.ranks[at(communicator.ranks[member])] + mix(role));
      ranks[at(communicator.ranks[member])] += mix(own + role);
    }
    for (const LinkId link : structure.crossed[i]) {
      signature += mix(~colouring.links[at(link)]);
      links[at(link)] += mix(own);  // not `own`: a link of colour own would look alike
    }
    colouring.communicators[i] = signature;
  }
  colouring.links = std::move(links);
  colouring.ranks = std::move(ranks);
}

/// Members per class, and the first member of each.
void count_classes(const std::vector<std::int32_t>& classes, std::vector<std::int64_t>& count,
                   std::vector<std::int64_t>& first) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == kNone) {
      continue;
    }
    const auto c = at(classes[i]);
    if (c >= count.size()) {
      count.resize(c + 1, 0);
      first.resize(c + 1, 0);
    }
    if (count[c]++ == 0) {
      first[c] = static_cast<std::int64_t>(i);
    }
  }
}

/// Links that nothing crosses leave the folded network; the rest are numbered by first appearance.
void fold_links(const Structure& structure, const Colouring& colouring, const Network& network,
                Folding& folding) {
  std::unordered_map<std::int32_t, std::int32_t> number;
  folding.link_class.assign(network.links.size(), kNone);
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    if (!structure.link_used[i]) {
      continue;
    }
    const auto next = static_cast<std::int32_t>(number.size());
    const std::int32_t c = number.emplace(colouring.link_class[i], next).first->second;
    folding.link_class[i] = c;
    if (at(c) == folding.links.size()) {
      folding.links.push_back(
          {network.links[i].name, network.links[i].link_class, network.links[i].bandwidth, 0});
    }
    ++folding.links[at(c)].multiplicity;
  }
}

}  // namespace

Folding fold(const Plan& plan, const Communicators& communicators, const Network& network,
             bool unfold) {
  const Structure structure = make_structure(communicators, network);
  Colouring colouring = initial_colouring(plan, structure, network, unfold);
  std::size_t classes = 0;
  while (true) {
    const std::size_t now = renumber(colouring.ranks, colouring.rank_class) +
                            renumber(colouring.communicators, colouring.communicator_class) +
                            renumber(colouring.links, colouring.link_class);
    if (now <= classes) {  // equal once stable; never less, and a loop must end whatever happens
      break;
    }
    classes = now;
    refine(structure, colouring);
  }

  Folding folding;
  folding.rank_class = colouring.rank_class;
  count_classes(folding.rank_class, folding.multiplicity, folding.representative);
  folding.communicator_class = colouring.communicator_class;
  std::vector<std::int64_t> first;
  count_classes(folding.communicator_class, folding.communicator_multiplicity, first);
  for (const std::int64_t index : first) {
    folding.communicator_representative.push_back(static_cast<std::int32_t>(index));
  }
  fold_links(structure, colouring, network, folding);
  return folding;
}

GraphPattern fold_pattern(const Folding& folding, std::int32_t communicator_class,
                          const CollectivePattern& pattern) {
  const std::int64_t alike = folding.communicator_multiplicity.at(at(communicator_class));
  GraphPattern folded;
  folded.latency = pattern.latency;
  for (const FlowShape& flow : pattern.flows) {
    std::vector<LinkId> links = flow.links;
    std::sort(links.begin(), links.end());
    // Per link class: crossings in all, and the most crossings of one link.
    std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> counts;
    for (std::size_t i = 0; i < links.size();) {
      const std::size_t begin = i;
      while (i < links.size() && links[i] == links[begin]) {
        ++i;
      }
      const auto times = static_cast<std::int64_t>(i - begin);
      auto& [total, most] = counts[folding.link_class.at(at(links[begin]))];
      total += times;
      most = std::max(most, times);
    }
    GraphFlow graph_flow{flow.volume_fraction, {}};
    for (const auto& [c, crossings] : counts) {
      const std::int64_t links_alike = folding.links.at(at(c)).multiplicity;
      const std::int64_t total = alike * crossings.first;
      SIM_CHECK(
          total % links_alike == 0,
          fmt::format("{} crossings to spread evenly over {} alike links", total, links_alike));
      graph_flow.links.push_back({c, static_cast<std::int32_t>(crossings.second),
                                  static_cast<std::int32_t>(total / links_alike)});
    }
    folded.flows.push_back(std::move(graph_flow));
  }
  return folded;
}

}  // namespace parsim
