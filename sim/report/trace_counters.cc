#include "sim/report/trace_counters.h"

#include <algorithm>
#include <cmath>

namespace parsim {

namespace {

struct Change {
  std::int64_t time = 0;
  BytesPerSecond by{0.0};
  int flows = 0;  ///< +1: starts, -1: ends
};

std::int64_t to_nanoseconds(Seconds time) {
  return std::llround(time.value_in(nanoseconds));
}

std::vector<RateStep> add_up(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  std::vector<RateStep> steps;
  BytesPerSecond rate{0.0};
  BytesPerSecond shown{0.0};
  int flows = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    rate += changes[i].by;
    flows += changes[i].flows;
    if (flows == 0) {
      rate = BytesPerSecond{0.0};  // exactly, whatever was rounded on the way
    }
    const bool last_of_moment = i + 1 == changes.size() || changes[i].time < changes[i + 1].time;
    if (last_of_moment && std::abs((rate - shown).value()) > 1e-9 * std::abs(rate.value())) {
      steps.push_back({changes[i].time, rate});
      shown = rate;
    }
  }
  return steps;
}

}  // namespace

std::vector<std::int32_t> busiest_links(const TaskGraph& graph, const std::vector<bool>& task_shown,
                                        std::size_t most) {
  std::vector<Bytes> by_pattern(graph.patterns.size(), Bytes{0.0});
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (task_shown[index_of(task)] && graph.pattern[index_of(task)] != kNone) {
      by_pattern[index_of(graph.pattern[index_of(task)])] += graph.bytes[index_of(task)];
    }
  }
  std::vector<Seconds> busy(graph.links.size(), Seconds{0.0});
  for (std::size_t p = 0; p < graph.patterns.size(); ++p) {
    for (const GraphFlow& flow : graph.patterns[p].flows) {
      for (const FlowLink& use : flow.links) {
        busy[index_of(use.link)] += by_pattern[p] * (flow.volume_fraction * use.load) /
                                    graph.links[index_of(use.link)].bandwidth;
      }
    }
  }
  std::vector<std::int32_t> links;
  for (std::size_t link = 0; link < busy.size(); ++link) {
    if (Seconds{0.0} < busy[link]) {
      links.push_back(static_cast<std::int32_t>(link));
    }
  }
  std::stable_sort(links.begin(), links.end(), [&busy](std::int32_t a, std::int32_t b) {
    return busy[index_of(b)] < busy[index_of(a)];
  });
  links.resize(std::min(links.size(), most));
  return links;
}

std::vector<std::vector<RateStep>> link_rates(const TaskGraph& graph, const Timeline& timeline,
                                              const std::vector<bool>& task_shown,
                                              const std::vector<std::int32_t>& links) {
  std::vector<std::int32_t> place(graph.links.size(), kNone);
  for (std::size_t i = 0; i < links.size(); ++i) {
    place[index_of(links[i])] = static_cast<std::int32_t>(i);
  }
  std::vector<std::vector<Change>> changes(links.size());
  for (TaskId task = 0; task < graph.size(); ++task) {
    const auto t = index_of(task);
    if (!task_shown[t] || graph.pattern[t] == kNone) {
      continue;
    }
    const Seconds from = timeline.start[t] + graph.fixed_time[t];
    const std::int64_t start = to_nanoseconds(from);
    const std::int64_t end = to_nanoseconds(timeline.end[t]);
    if (start >= end) {
      continue;
    }
    for (const GraphFlow& flow : graph.patterns[index_of(graph.pattern[t])].flows) {
      for (const FlowLink& use : flow.links) {
        if (place[index_of(use.link)] == kNone) {
          continue;
        }
        const BytesPerSecond rate =
            graph.bytes[t] * (flow.volume_fraction * use.load) / (timeline.end[t] - from);
        auto& of_link = changes[index_of(place[index_of(use.link)])];
        of_link.push_back({start, rate, 1});
        of_link.push_back({end, -rate, -1});
      }
    }
  }
  std::vector<std::vector<RateStep>> rates;
  for (auto& of_link : changes) {
    rates.push_back(add_up(of_link));
  }
  return rates;
}

}  // namespace parsim
