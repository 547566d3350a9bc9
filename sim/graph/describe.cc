#include <fmt/format.h>

#include <array>
#include <string_view>

#include "sim/graph/task_graph.h"

namespace parsim {

namespace {

constexpr std::array<std::string_view, 6> kPhaseNames = {
    "forward", "recompute", "backward", "weight gradient", "gradient reduction", "optimizer"};
constexpr std::array<std::string_view, kLaneKinds> kLaneNames = {
    "compute", "tensor", "data", "send forward", "send backward", "embedding", "norm"};

}  // namespace

std::string describe_task(const TaskGraph& graph, TaskId task) {
  const auto t = static_cast<std::size_t>(task);
  const TaskLabel& label = graph.label[t];
  std::string text;
  if (const auto lanes = graph.lanes_of(task); !lanes.empty()) {
    const Lane& lane = graph.lanes[static_cast<std::size_t>(lanes.front())];
    text = fmt::format("rank {} {}: ", lane.rank, kLaneNames[static_cast<std::size_t>(lane.kind)]);
  }
  text += kPhaseNames[static_cast<std::size_t>(label.phase)];
  if (label.stage != kNone) {
    text += fmt::format(" stage {}", label.stage);
  }
  if (label.micro_batch != kNone) {
    text += fmt::format(" micro-batch {}", label.micro_batch);
  }
  if (label.detail != kNone) {
    const auto detail = static_cast<std::size_t>(label.detail);
    text += fmt::format(" ({})", graph.kind[t] == TaskKind::compute ? graph.segments[detail].name
                                                                    : graph.names[detail]);
  }
  return text;
}

}  // namespace parsim
