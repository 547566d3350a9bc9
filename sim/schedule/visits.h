#pragma once

#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// The order in which a rank of an interleaved schedule visits (chunk, micro-batch): rounds of
/// `group` micro-batches, every chunk once a round, chunks ascending for `forward` and descending
/// for the rest. The last round may be shorter (Megatron-LM's schedule table).
[[nodiscard]] std::vector<Action> interleaved_visits(const ScheduleShape& shape, std::int32_t rank,
                                                     ActionKind kind, std::int32_t group);

}  // namespace parsim
