#pragma once

#include <vector>

#include "sim/report/account.h"
#include "sim/report/report.h"

namespace parsim {

/// How one pipeline rank kept to its order (docs/report.md). Its bubble spans before a computation
/// are waiting for a turn where a later action of the rank had all it needs (another order would
/// have run it), and waiting for data otherwise; after the rank's last computation there is nothing
/// left to do. `spans` are those of account().
[[nodiscard]] RankOrder rank_order(const TaskGraph& graph, const Timeline& timeline,
                                   const RankLanes& rank, const std::vector<Span>& spans);

}  // namespace parsim
