#include <algorithm>

#include "sim/report/format.h"
#include "sim/report/quantities.h"

namespace parsim {

std::vector<LinkUse> link_uses(const TaskGraph& graph, const Timeline& timeline) {
  std::vector<Bytes> by_pattern(graph.patterns.size(), Bytes{0.0});
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (const PatternId pattern = graph.pattern[index_of(task)]; pattern != kNone) {
      by_pattern[index_of(pattern)] += graph.bytes[index_of(task)];
    }
  }
  std::vector<Bytes> by_link(graph.links.size(), Bytes{0.0});
  for (std::size_t p = 0; p < graph.patterns.size(); ++p) {
    for (const GraphFlow& flow : graph.patterns[p].flows) {
      for (const FlowLink& use : flow.links) {
        by_link[index_of(use.link)] += by_pattern[p] * (flow.volume_fraction * use.load);
      }
    }
  }
  std::vector<LinkUse> uses;
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const GraphLink& link = graph.links[i];
    if (!(Bytes{0.0} < by_link[i])) {
      continue;
    }
    LinkUse use{link.name, to_text(link.link_class), link.multiplicity, 0.0, by_link[i]};
    if (Seconds{0.0} < timeline.makespan) {
      use.utilisation = by_link[i] / (link.bandwidth * timeline.makespan);
    }
    uses.push_back(use);
  }
  std::stable_sort(uses.begin(), uses.end(), [](const LinkUse& a, const LinkUse& b) {
    return a.utilisation != b.utilisation ? b.utilisation < a.utilisation : a.name < b.name;
  });
  return uses;
}

}  // namespace parsim
