#include "sim/report/trace_events.h"

#include <array>
#include <iterator>
#include <string_view>

namespace parsim {

namespace {

constexpr std::array<std::string_view, 6> kCategoryNames = {"compute", "optimizer", "tensor",
                                                            "data",    "pipeline",  "other"};
constexpr std::array<std::string_view, kLaneKinds> kLaneNames = {
    "compute", "tensor", "data", "send forward", "send backward", "embedding", "norm"};
constexpr std::array<std::string_view, 6> kPhaseNames = {
    "forward", "recompute", "backward", "weight gradient", "gradient reduction", "optimizer"};
constexpr std::array<char, 6> kPhaseLetters = {'F', 'R', 'B', 'W', 'G', 'O'};

/// Trace times are microseconds; ours are whole nanoseconds.
void append_time(fmt::memory_buffer& out, std::string_view key, std::int64_t nanoseconds_value) {
  fmt::format_to(std::back_inserter(out), "\"{}\":{}.{:03}", key, nanoseconds_value / 1000,
                 nanoseconds_value % 1000);
}

template <class Index>
std::size_t position(Index index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

std::int64_t TraceEvents::append_names(fmt::memory_buffer& out) const {
  std::int64_t events = 0;
  const auto to = std::back_inserter(out);
  const auto process = [&](std::int64_t pid, const std::string& name, std::size_t order) {
    fmt::format_to(to,
                   ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":0,\"name\":\"process_name\",\"args\":"
                   "{{\"name\":\"{1}\"}}}},\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":0,\"name\":"
                   "\"process_sort_index\",\"args\":{{\"sort_index\":{2}}}}}",
                   pid, name, order);
    events += 2;
  };
  for (std::size_t i = 0; i < contents_.ranks.size(); ++i) {
    const RankLanes& rank = contents_.ranks[i];
    const std::string alike =
        rank.multiplicity > 1 ? fmt::format(", \u00d7{}", rank.multiplicity) : std::string();
    process(rank.rank, fmt::format("rank {} (stage {}{})", rank.rank, rank.pipeline_rank, alike),
            i);
    for (const LaneId lane : rank.lanes) {
      const auto kind = position(graph_.lanes[index_of(lane)].kind);
      fmt::format_to(to,
                     ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":"
                     "{{\"name\":\"{2}\"}}}},\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":"
                     "\"thread_sort_index\",\"args\":{{\"sort_index\":{1}}}}}",
                     rank.rank, kind, kLaneNames.at(kind));
      events += 2;
    }
  }
  if (!contents_.links.empty()) {
    process(contents_.links_process, "links", contents_.ranks.size());
  }
  return events;
}

std::int64_t TraceEvents::append_slice(fmt::memory_buffer& out, TaskId task, LaneId lane) const {
  const auto to = std::back_inserter(out);
  const auto t = index_of(task);
  const TaskLabel& label = graph_.label[t];
  const Lane& on = graph_.lanes[index_of(lane)];
  fmt::format_to(to, ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},", on.rank, position(on.kind));
  append_time(out, "ts", contents_.start[t]);
  out.push_back(',');
  append_time(out, "dur", contents_.end[t] - contents_.start[t]);
  const bool computes = graph_.kind[t] == TaskKind::compute;
  const auto phase = position(label.phase);
  if (computes && label.micro_batch != kNone && label.stage != kNone) {
    // The notation of schedules: stage, action, micro-batch.
    fmt::format_to(to, ",\"name\":\"{}{}{}\"", label.stage, kPhaseLetters.at(phase),
                   label.micro_batch);
  } else if (computes || label.detail == kNone) {
    fmt::format_to(to, ",\"name\":\"{}\"", kPhaseNames.at(phase));
  } else {
    fmt::format_to(to, ",\"name\":{}", contents_.names[index_of(label.detail)]);
  }
  fmt::format_to(to, ",\"cat\":\"{}\",\"args\":{{\"phase\":\"{}\"",
                 kCategoryNames.at(position(graph_.category[t])), kPhaseNames.at(phase));
  if (label.stage != kNone) {
    fmt::format_to(to, ",\"stage\":{}", label.stage);
  }
  if (label.micro_batch != kNone) {
    fmt::format_to(to, ",\"micro_batch\":{}", label.micro_batch);
  }
  if (computes && label.detail != kNone) {
    fmt::format_to(to, ",\"operators\":{}", contents_.segment_names[index_of(label.detail)]);
  }
  if (!computes) {
    fmt::format_to(to, ",\"bytes\":{:.0f}", graph_.bytes[t].value());
  }
  fmt::format_to(to, "}}}}");
  return 1;
}

LaneId TraceEvents::first_shown_lane(TaskId task) const {
  for (const LaneId lane : graph_.lanes_of(task)) {
    if (contents_.lane_shown[index_of(lane)]) {
      return lane;
    }
  }
  return kNone;
}

std::int64_t TraceEvents::append_arrows(fmt::memory_buffer& out, TaskId task) const {
  const LaneId receiver = first_shown_lane(task);
  if (receiver == kNone || !has_length(task)) {
    return 0;
  }
  std::int64_t events = 0;
  const auto on = graph_.dependencies_of(task);
  for (std::size_t i = 0; i < on.size(); ++i) {
    const LaneId sender = first_shown_lane(on[i]);
    if (graph_.kind[index_of(on[i])] != TaskKind::transfer || sender == kNone ||
        !has_length(on[i])) {
      continue;
    }
    const auto end_of_arrow = [&](std::string_view kind, LaneId lane, TaskId at) {
      const Lane& place = graph_.lanes[index_of(lane)];
      // Ids, names and categories of both ends must agree; the place in the graph is unique.
      fmt::format_to(std::back_inserter(out),
                     ",\n{{\"ph\":{},\"pid\":{},\"tid\":{},\"id\":{},\"name\":\"message\",\"cat\":"
                     "\"transfer\",",
                     kind, place.rank, position(place.kind),
                     index_of(graph_.dependency_begin[index_of(task)]) + i + 1);
      append_time(out, "ts", contents_.start[index_of(at)]);
      out.push_back('}');
    };
    end_of_arrow("\"s\"", sender, on[i]);
    end_of_arrow("\"f\",\"bp\":\"e\"", receiver, task);
    events += 2;
  }
  return events;
}

std::int64_t TraceEvents::append_counter(fmt::memory_buffer& out, std::size_t link,
                                         std::int64_t time, BytesPerSecond rate) const {
  fmt::format_to(std::back_inserter(out), ",\n{{\"ph\":\"C\",\"pid\":{},\"tid\":0,\"name\":{},",
                 contents_.links_process, contents_.link_names[link]);
  append_time(out, "ts", time);
  fmt::format_to(std::back_inserter(out), ",\"args\":{{\"GB/s\":{:.6g}}}}}",
                 rate.value_in(gigabytes_per_second));
  return 1;
}

}  // namespace parsim
