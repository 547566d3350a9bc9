#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace parsim {

/// What a job left behind: its output, or why there is none.
struct JobResult {
  std::string output;
  std::string error;  ///< the message of what it threw; empty: it succeeded
  bool bug = false;   ///< `error` is ours (BugError, or the process died)
};

struct JobOptions {
  std::size_t at_once = 0;  ///< processes at a time; 0: as many as processors
  std::function<void(std::size_t)> finished = [](std::size_t) {
  };  ///< called with how many are done
};

/// Runs job(0) .. job(count - 1), each in a process of its own, and returns their results in order.
/// SimGrid allows one simulation a process. A job sees the state of the moment of the call and
/// changes nothing of it; it writes no files. Jobs end with this process.
[[nodiscard]] std::vector<JobResult> run_jobs(std::size_t count,
                                              const std::function<std::string(std::size_t)>& job,
                                              const JobOptions& options = {});

}  // namespace parsim
