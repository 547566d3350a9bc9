// The Chrome trace event format as Perfetto reads it, streamed to a file.
//
// Everything that is written is decided first, so that the file can say up front what was left out:
// tasks are taken by start time until the size budget is spent. Only then are events written, lane
// by lane, through one buffer.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/base/diagnostic.h"
#include "sim/base/whole_file.h"
#include "sim/report/report.h"
#include "sim/report/trace_counters.h"
#include "sim/report/trace_events.h"

namespace parsim {

namespace {

constexpr std::size_t kMostCounters = 16;
constexpr std::size_t kFlushBytes = 1U << 20U;
constexpr std::int64_t kFrameBytes = 300;  ///< everything around the events

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> json_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  std::transform(texts.begin(), texts.end(), std::back_inserter(result), json_string);
  return result;
}

std::vector<RankLanes> choose_ranks(const TaskGraph& graph, const TraceOptions& options) {
  std::vector<RankLanes> all = lanes_by_rank(graph);
  if (options.ranks.empty()) {
    return all;
  }
  std::vector<RankLanes> chosen;
  for (const RankLanes& rank : all) {
    if (std::find(options.ranks.begin(), options.ranks.end(), rank.rank) != options.ranks.end()) {
      chosen.push_back(rank);
    }
  }
  std::vector<Diagnostic> mistakes;
  for (const std::int64_t wanted : options.ranks) {
    const bool found = std::any_of(all.begin(), all.end(),
                                   [wanted](const RankLanes& rank) { return rank.rank == wanted; });
    if (!found) {
      std::string simulated;
      for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 16); ++i) {
        simulated += fmt::format("{}{}", i == 0 ? "" : ", ", all[i].rank);
      }
      simulated += all.size() > 16 ? ", ..." : "";
      mistakes.push_back({"", 0, 0, "", fmt::format("rank {} is not simulated", wanted),
                          fmt::format("alike ranks are simulated once; trace any of {}, or run "
                                      "every rank with --unfold",
                                      simulated)});
    }
  }
  if (!mistakes.empty()) {
    throw InputError(mistakes);
  }
  return chosen;
}

/// Rounds to whole nanoseconds; keeps lanes in order where a rounding error of the engine lies
/// across a grid line.
void set_clock(TraceContents& contents, const TaskGraph& graph, const Timeline& timeline) {
  const auto round = [](Seconds time) {
    return static_cast<std::int64_t>(std::llround(time.value_in(nanoseconds)));
  };
  std::transform(timeline.start.begin(), timeline.start.end(), std::back_inserter(contents.start),
                 round);
  std::transform(timeline.end.begin(), timeline.end.end(), std::back_inserter(contents.end), round);
  for (LaneId lane = 0; lane < static_cast<LaneId>(graph.lanes.size()); ++lane) {
    std::int64_t now = 0;
    for (const TaskId task : graph.tasks_on(lane)) {
      std::int64_t& start = contents.start[index_of(task)];
      std::int64_t& end = contents.end[index_of(task)];
      start = std::max(start, now);
      end = std::max(end, start);
      now = end;
    }
  }
}

std::vector<bool> tasks_on_shown_lanes(const TaskGraph& graph, const TraceContents& contents) {
  std::vector<bool> shown(index_of(graph.size()), false);
  for (const RankLanes& rank : contents.ranks) {
    for (const LaneId lane : rank.lanes) {
      for (const TaskId task : graph.tasks_on(lane)) {
        shown[index_of(task)] = true;
      }
    }
  }
  return shown;
}

TraceContents collect(const TaskGraph& graph, const Timeline& timeline,
                      const TraceOptions& options) {
  TraceContents contents;
  contents.ranks = choose_ranks(graph, options);
  contents.lane_shown.resize(graph.lanes.size(), false);
  for (const RankLanes& rank : contents.ranks) {
    contents.links_process = std::max(contents.links_process, rank.rank + 1);
    for (const LaneId lane : rank.lanes) {
      contents.lane_shown[index_of(lane)] = true;
    }
  }
  set_clock(contents, graph, timeline);
  std::vector<std::string> segment_names;
  for (const Segment& segment : graph.segments) {
    segment_names.push_back(segment.name);
  }
  contents.segment_names = json_strings(segment_names);
  contents.names = json_strings(graph.names);
  contents.links = busiest_links(graph, tasks_on_shown_lanes(graph, contents), kMostCounters);
  for (const std::int32_t link : contents.links) {
    contents.link_names.push_back(json_string(graph.links[index_of(link)].name));
  }
  return contents;
}

/// Bytes that `task` adds to the file; for its counters the most they can add.
std::int64_t bytes_of(const TaskGraph& graph, const TraceContents& contents,
                      const TraceEvents& events, TaskId task, fmt::memory_buffer& scratch) {
  scratch.clear();
  for (const LaneId lane : graph.lanes_of(task)) {
    if (contents.lane_shown[index_of(lane)]) {
      events.append_slice(scratch, task, lane);
    }
  }
  events.append_arrows(scratch, task);
  if (const PatternId pattern = graph.pattern[index_of(task)]; pattern != kNone) {
    for (const GraphFlow& flow : graph.patterns[index_of(pattern)].flows) {
      for (const FlowLink& use : flow.links) {
        const auto found = std::find(contents.links.begin(), contents.links.end(), use.link);
        if (found != contents.links.end()) {
          const auto link = static_cast<std::size_t>(found - contents.links.begin());
          events.append_counter(scratch, link, contents.start[index_of(task)],
                                BytesPerSecond{1.23456e20});
          events.append_counter(scratch, link, contents.end[index_of(task)],
                                BytesPerSecond{1.23456e20});
        }
      }
    }
  }
  return static_cast<std::int64_t>(scratch.size());
}

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t length = 0;
  for (const std::string& text : texts) {
    length = std::max(length, text.size());
  }
  return length;
}

/// More than the events can take, without rendering them.
std::int64_t most_bytes(const TaskGraph& graph, const TraceContents& contents) {
  constexpr std::size_t kSlice = 400;  // 13 fields and their numbers, without names
  constexpr std::size_t kArrow = 400;
  constexpr std::size_t kCounter = 160;
  std::size_t total = 0;
  for (const RankLanes& rank : contents.ranks) {
    for (const LaneId lane : rank.lanes) {
      total += graph.tasks_on(lane).size() *
               (kSlice + longest(contents.names) + longest(contents.segment_names));
    }
  }
  total += graph.dependencies.size() * kArrow;
  std::vector<std::size_t> uses(graph.patterns.size(), 0);
  for (std::size_t p = 0; p < graph.patterns.size(); ++p) {
    for (const GraphFlow& flow : graph.patterns[p].flows) {
      uses[p] += flow.links.size();
    }
  }
  for (const PatternId pattern : graph.pattern) {
    total += pattern == kNone
                 ? 0
                 : 2 * uses[index_of(pattern)] * (kCounter + longest(contents.link_names));
  }
  return static_cast<std::int64_t>(total);
}

/// Drops the latest tasks from `shown` until the rest fits into `budget`; returns how many. An
/// arrow's sender starts before its receiver, so what is kept holds no arrow without its start.
std::int64_t fit_budget(const TaskGraph& graph, const TraceContents& contents,
                        const TraceEvents& events, std::int64_t budget, std::vector<bool>& shown) {
  if (most_bytes(graph, contents) <= budget) {
    return 0;
  }
  std::vector<TaskId> order;
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (shown[index_of(task)]) {
      order.push_back(task);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&contents](TaskId a, TaskId b) {
    return contents.start[index_of(a)] < contents.start[index_of(b)];
  });
  fmt::memory_buffer scratch;
  for (std::size_t kept = 0; kept < order.size(); ++kept) {
    budget -= bytes_of(graph, contents, events, order[kept], scratch);
    if (budget < 0) {
      for (std::size_t i = kept; i < order.size(); ++i) {
        shown[index_of(order[i])] = false;
      }
      return static_cast<std::int64_t>(order.size() - kept);
    }
  }
  return 0;
}

/// Collects events and hands them to the file in large pieces.
class TraceStream {
 public:
  explicit TraceStream(WholeFile& file) : file_(file) {}
  fmt::memory_buffer& buffer() { return buffer_; }
  void count(std::int64_t events) {
    events_ += events;
    if (buffer_.size() >= kFlushBytes) {
      flush();
    }
  }
  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }
  [[nodiscard]] std::int64_t events() const { return events_; }

 private:
  WholeFile& file_;
  fmt::memory_buffer buffer_;
  std::int64_t events_ = 0;
};

void stream_tasks(TraceStream& stream, const TaskGraph& graph, const TraceContents& contents,
                  const TraceEvents& events, const std::vector<bool>& shown) {
  for (const RankLanes& rank : contents.ranks) {
    for (const LaneId lane : rank.lanes) {
      for (const TaskId task : graph.tasks_on(lane)) {
        if (shown[index_of(task)]) {
          stream.count(events.append_slice(stream.buffer(), task, lane));
        }
      }
    }
  }
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (shown[index_of(task)]) {
      stream.count(events.append_arrows(stream.buffer(), task));
    }
  }
}

}  // namespace

TraceResult write_chrome_trace(const std::string& path, const TaskGraph& graph,
                               const Timeline& timeline, const TraceOptions& options) {
  const TraceContents contents = collect(graph, timeline, options);
  const TraceEvents events(graph, contents);
  std::vector<bool> shown = tasks_on_shown_lanes(graph, contents);

  WholeFile file(path);
  TraceStream stream(file);
  fmt::memory_buffer names;
  const std::int64_t name_events = events.append_names(names);
  const std::int64_t frame = kFrameBytes + static_cast<std::int64_t>(names.size());
  TraceResult result;
  result.tasks_left_out = fit_budget(graph, contents, events, options.size_budget - frame, shown);

  fmt::format_to(std::back_inserter(stream.buffer()),
                 "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"tool\":\"parsim\",\"tasks_left_"
                 "out\":\"{}\"}},\"traceEvents\":[\n",
                 result.tasks_left_out);
  // Every event brings the comma before it; the first does not need it.
  stream.buffer().append(names.data() + (names.size() > 0 ? 2 : 0), names.data() + names.size());
  stream.count(name_events);
  stream_tasks(stream, graph, contents, events, shown);
  const auto rates = link_rates(graph, timeline, shown, contents.links);
  for (std::size_t link = 0; link < rates.size(); ++link) {
    for (const RateStep& step : rates[link]) {
      stream.count(events.append_counter(stream.buffer(), link, step.time, step.rate));
    }
  }
  fmt::format_to(std::back_inserter(stream.buffer()), "\n]}}\n");
  stream.flush();
  file.commit();
  result.bytes = file.written();
  result.events = stream.events();
  return result;
}

}  // namespace parsim
