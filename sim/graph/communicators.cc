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
std::set<std::pair<std::int32_t, std::int32_t>> stage_hops(const Schedule& schedule) {
  std::set<std::pair<std::int32_t, std::int32_t>> hops;
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    if (!schedule.is_last(s) && schedule.rank_of(s) != schedule.rank_of(s + 1)) {
      hops.emplace(schedule.rank_of(s), schedule.rank_of(s + 1));
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

bool has_backward(const Schedule& schedule) {
  return std::any_of(schedule.ranks.begin(), schedule.ranks.end(), [](const auto& actions) {
    return std::any_of(actions.begin(), actions.end(),
                       [](const Action& action) { return is_backward(action.kind); });
  });
}

/// Ranks that hold the same stages: with two copies of P stages, r and P-1-r.
void add_replicas(Communicators& result, const Plan& plan) {
  const std::int32_t depth = plan.schedule.depth();
  for (std::int32_t stage = 0; stage < depth; ++stage) {
    const std::int32_t one = plan.schedule.rank_of(stage);
    const std::int32_t other = plan.schedule.rank_of(stage + depth);
    if (one < other) {
      add_pairs(result, plan.mesh, CommunicatorKind::replica, one, other);
    }
  }
}

}  // namespace

Communicators make_communicators(const Plan& plan, const Workload& workload,
                                 const Training& options) {
  Communicators result;
  result.of_rank.resize(static_cast<std::size_t>(plan.mesh.ranks()));
  const bool training = has_backward(plan.schedule);
  add_axis_groups(result, plan.mesh, Axis::tensor, CommunicatorKind::tensor);
  if (training) {
    add_axis_groups(result, plan.mesh, Axis::data, CommunicatorKind::data);
  }
  const std::int32_t first = plan.stages.front().pipeline_rank;
  const std::int32_t last =
      plan.stages[static_cast<std::size_t>(plan.schedule.depth() - 1)].pipeline_rank;
  // With two copies of the model both ends are on each of the two ranks: the replicas' sum does it.
  if (training && workload.tied_embeddings && first != last && plan.schedule.copies == 1) {
    add_pairs(result, plan.mesh, CommunicatorKind::embedding, first, last);
  }
  if (training && plan.schedule.copies == 2) {
    add_replicas(result, plan);
  }
  if (training && options.gradient_norm != GradientNorm::none) {
    add_axis_groups(result, plan.mesh, Axis::pipeline, CommunicatorKind::norm);
  }
  for (const auto& [from, to] : stage_hops(plan.schedule)) {
    add_pairs(result, plan.mesh, CommunicatorKind::send_forward, from, to);
    if (training) {
      add_pairs(result, plan.mesh, CommunicatorKind::send_backward, to, from);
    }
  }
  return result;
}

}  // namespace parsim
