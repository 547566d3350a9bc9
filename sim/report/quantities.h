#pragma once

#include <string>
#include <vector>

#include "sim/report/rank_lanes.h"
#include "sim/report/report.h"

/// The parts of a report that follow from bytes and FLOPs.
namespace parsim {

/// Rates of one step. Model FLOPs are those of forward and backward without recomputation, of all
/// replicas; with `forward_only` those of the matrix products, attention and layers of the forward
/// alone. mfu and hfu are absent without a datasheet peak at the training precision and for models
/// without FLOPs.
[[nodiscard]] Throughput throughput(const AnalyseInput& input);

/// Static estimate of each pipeline rank's device memory: parameters, accumulated gradients and
/// optimizer state, plus the most activations that are kept at one time: those of a micro-batch
/// from the start of its forward to the end of its backward (forward only: of its forward).
/// Adam keeps two moments in fp32, 8 bytes a parameter (Kingma & Ba 2015); every optimizer keeps an
/// fp32 master copy, 4 bytes, where weights are smaller (Micikevicius et al. 2018, section 3.1).
[[nodiscard]] std::vector<StageMemory> stage_memory(const AnalyseInput& input,
                                                    const std::vector<RankLanes>& representatives);

/// Load of each link class: bytes over bandwidth · makespan; highest first, equal ones by name.
/// One link of the class carries volume_fraction · S · load of every task that uses it. Unused
/// links are left out.
[[nodiscard]] std::vector<LinkUse> link_uses(const TaskGraph& graph, const Timeline& timeline);

/// What the result rests on besides measurement; the sentences are listed in assumptions.cc.
[[nodiscard]] std::vector<std::string> assumptions(const AnalyseInput& input, std::int64_t ranks,
                                                   std::int64_t ranks_simulated);

}  // namespace parsim
