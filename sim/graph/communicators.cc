#include "sim/graph/communicators.h"

#include <algorithm>
#include <set>
#include <utility>

namespace parsim {

namespace {

void add(Communicators& result, CommunicatorKind kind, std::vector<std::int64_t> ranks) {
  const auto index = static_cast<std::int32_t>(result.all.size());
  for (const std::int64_t rank : ranks) {
    result.of_rank[static_cast<std::size_t>(rank)].push_back(index);
  }
  result.all.push_back({kind, std::move(ranks)});
}

/// One communicator for each group along `axis`, listed by its lowest member.
void add_axis_groups(Communicators& result, const Mesh& mesh, Axis axis, CommunicatorKind kind) {
  if (mesh.size[static_cast<std::size_t>(axis)] == 1) {
    return;
  }
  for (std::int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    if (mesh.coordinate(rank, axis) == 0) {
      add(result, kind, mesh.group_of(rank, axis));
    }
  }
}

/// The (sender, receiver) pairs of pipeline ranks between consecutive stages, each once.
std::set<std::pair<std::int32_t, std::int32_t>> stage_hops(const Plan& plan) {
  std::set<std::pair<std::int32_t, std::int32_t>> hops;
  for (std::size_t s = 1; s < plan.stages.size(); ++s) {
    const std::int32_t from = plan.stages[s - 1].pipeline_rank;
    const std::int32_t to = plan.stages[s].pipeline_rank;
    if (from != to) {
      hops.emplace(from, to);
    }
  }
  return hops;
}

/// One communicator {rank on `from`, rank on `to`} for every pipeline of the mesh.
void add_pairs(Communicators& result, const Mesh& mesh, CommunicatorKind kind, std::int32_t from,
               std::int32_t to) {
  for (std::int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    if (mesh.coordinate(rank, Axis::pipeline) == from) {
      add(result, kind, {rank, mesh.with_coordinate(rank, Axis::pipeline, to)});
    }
  }
}

bool has_backward(const Plan& plan) {
  for (const auto& actions : plan.schedule.ranks) {
    for (const Action& action : actions) {
      if (action.kind == ActionKind::backward) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Communicators make_communicators(const Plan& plan, const Workload& workload) {
  Communicators result;
  result.of_rank.resize(static_cast<std::size_t>(plan.mesh.ranks()));
  const bool training = has_backward(plan);
  add_axis_groups(result, plan.mesh, Axis::tensor, CommunicatorKind::tensor);
  if (training) {
    add_axis_groups(result, plan.mesh, Axis::data, CommunicatorKind::data);
  }
  const std::int32_t first = plan.stages.front().pipeline_rank;
  const std::int32_t last = plan.stages.back().pipeline_rank;
  if (training && workload.tied_embeddings && first != last) {
    add_pairs(result, plan.mesh, CommunicatorKind::embedding, first, last);
  }
  for (const auto& [from, to] : stage_hops(plan)) {
    add_pairs(result, plan.mesh, CommunicatorKind::send_forward, from, to);
    if (training) {
      add_pairs(result, plan.mesh, CommunicatorKind::send_backward, to, from);
    }
  }
  return result;
}

}  // namespace parsim
