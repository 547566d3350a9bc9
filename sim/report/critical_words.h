#pragma once

#include <string>

#include "sim/report/critical_path.h"

namespace parsim {

/// Whether two tasks belong to one step of the critical path: computation and tensor-parallel
/// communication of one forward or backward (with its recomputation) on one rank; else the same
/// kind of communication of one lane and micro-batch.
[[nodiscard]] bool same_action(const TaskGraph& graph, TaskId a, TaskId b);

/// "rank 3: backward stage 3 micro-batch 5", "rank 3: activations to stage 4 micro-batch 5".
[[nodiscard]] std::string step_name(const TaskGraph& graph, TaskId task);

/// What the task does, whoever does it: "backward", "message", "gradient all-reduce".
[[nodiscard]] std::string step_kind(const TaskGraph& graph, TaskId task);

/// Why a task could not start earlier, given what it waited for last (kNone: nothing): "follows
/// forward stage 3 micro-batch 4 on the same lane", "waits for activations of micro-batch 3 from
/// stage 2".
[[nodiscard]] std::string why_not_earlier(const TaskGraph& graph, const BindingTask& task,
                                          TaskId bound_by);

}  // namespace parsim
