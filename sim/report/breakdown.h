#pragma once

#include <vector>

#include "sim/report/account.h"
#include "sim/report/report.h"

namespace parsim {

/// The spans of one rank added up by what they were spent on. Adds up to the makespan, because the
/// spans tile it.
[[nodiscard]] Breakdown add_up(const std::vector<Span>& spans, std::int64_t rank);

/// The bubble spans of one pipeline rank, split where its first backward starts and, if that is
/// later, where its last forward ends. Without backwards: where its first forward starts and its
/// last forward ends.
[[nodiscard]] StageBubble stage_bubble(const TaskGraph& graph, const Timeline& timeline,
                                       const RankLanes& rank, const std::vector<Span>& spans);

/// What limits the step of one rank: its work by what bounds each kernel, exposed communication,
/// bubble; adds up to the step time, largest first.
[[nodiscard]] std::vector<ClassTime> bound_by(const TaskGraph& graph, const RankLanes& rank,
                                              const Breakdown& breakdown);

/// Time by operator class, and by kind of exposed communication, of one rank; longest first, equal
/// times by name. Busy time of tasks without a segment is left out.
[[nodiscard]] std::vector<ClassTime> time_by_class(const TaskGraph& graph, const RankLanes& rank,
                                                   const Breakdown& breakdown);

}  // namespace parsim
