// Replays the task graph just in time: a task starts when its last predecessor ends. SimGrid never
// sees the graph, only what runs at the moment (its cost per completion grows with what it holds).
//
// A communication passes three phases: latency (an alarm, shared with nothing), then its flows side
// by side; flows that can share with nobody are one alarm together (fluid.h). It ends with the
// last.

#include <exception>

#include "sim/base/check.h"
#include "sim/engine/engine.h"
#include "sim/engine/fluid.h"
#include "sim/engine/simgrid_session.h"
#include "sim/engine/unfinished.h"

namespace parsim {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

Bytes largest_volume(const TaskGraph& graph, const FluidNetwork& network) {
  Bytes largest{0.0};
  for (TaskId task = 0; task < graph.size(); ++task) {
    if (graph.pattern[at(task)] == kNone) {
      continue;
    }
    for (const FluidUse& use : network.patterns[at(graph.pattern[at(task)])].uses) {
      largest = max(largest, graph.bytes[at(task)] * use.volume_fraction);
    }
  }
  return largest;
}

class Replay {
 public:
  explicit Replay(const TaskGraph& graph)
      : graph_(graph),
        network_(reduce_to_fluid(graph)),
        waiting_(graph.predecessor_count),
        parts_(at(graph.size()), 0),
        session_(network_, largest_volume(graph, network_),
                 {[this](SimgridSession::Tag tag) { guarded([&] { on_alarm(tag); }); },
                  [this](SimgridSession::Tag tag) { guarded([&] { end_part(tag); }); }}) {
    timeline_.start.resize(at(graph.size()));
    timeline_.end.resize(at(graph.size()));
  }

  Timeline run() {
    session_.set_alarm(Seconds{0.0}, kBegin);
    session_.run();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    // SimGrid reports deadlocks of actors; there are none here, so the count is the check.
    if (finished_ != at(graph_.size())) {
      throw_unfinished(graph_, finished_);
    }
    return std::move(timeline_);
  }

 private:
  // Alarms: the start of the run; the end of a part of a task (tag = task); the end of its latency
  // (tag = task + kLatency).
  static constexpr SimgridSession::Tag kBegin = -1;
  static constexpr SimgridSession::Tag kLatency = SimgridSession::Tag{1} << 32;

  /// Nothing may be thrown through SimGrid. The first failure is kept, nothing more is started, and
  /// the run drains.
  template <class Action>
  void guarded(const Action& action) {
    if (failure_) {
      return;
    }
    try {
      action();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void on_alarm(SimgridSession::Tag tag) {
    if (tag == kBegin) {
      for (TaskId task = 0; task < graph_.size(); ++task) {
        if (waiting_[at(task)] == 0) {
          ready_.push_back(task);
        }
      }
      start_ready();
    } else if (tag >= kLatency) {
      start_flows(static_cast<TaskId>(tag - kLatency));
    } else {
      end_part(tag);
    }
  }

  /// A work list, not recursion: chains of tasks that take no time can be long.
  void start_ready() {
    while (!ready_.empty()) {
      const TaskId task = ready_.back();
      ready_.pop_back();
      start(task);
    }
  }

  void start(TaskId task) {
    const Seconds now = session_.now();
    timeline_.start[at(task)] = now;
    const Seconds latency = graph_.fixed_time[at(task)];
    const PatternId pattern = graph_.pattern[at(task)];
    const double bytes = graph_.bytes[at(task)].value();
    Seconds own = latency;  // the part that passes by itself
    std::size_t flows = 0;
    if (pattern != kNone && bytes > 0.0) {
      own += Seconds{bytes * network_.patterns[at(pattern)].seconds_per_byte};
      flows = network_.patterns[at(pattern)].uses.size();
    }
    if (flows == 0 && own == Seconds{0.0}) {
      end(task, now);
      return;
    }
    const bool own_counts = flows == 0 || own > latency;
    parts_[at(task)] = static_cast<std::int32_t>(flows) + (own_counts ? 1 : 0);
    if (own_counts) {
      session_.set_alarm(now + own, task);
    }
    if (flows > 0 && latency > Seconds{0.0}) {
      session_.set_alarm(now + latency, task + kLatency);
    } else if (flows > 0) {
      start_flows(task);
    }
  }

  void start_flows(TaskId task) {
    for (const FluidUse& use : network_.patterns[at(graph_.pattern[at(task)])].uses) {
      session_.start_flow(use.flow, graph_.bytes[at(task)] * use.volume_fraction, task);
    }
  }

  void end_part(SimgridSession::Tag tag) {
    const auto task = static_cast<TaskId>(tag);
    if (--parts_[at(task)] == 0) {
      end(task, session_.now());
      start_ready();
    }
  }

  void end(TaskId task, Seconds now) {
    timeline_.end[at(task)] = now;
    timeline_.makespan = max(timeline_.makespan, now);
    ++finished_;
    for (const TaskId successor : graph_.successors_of(task)) {
      if (--waiting_[at(successor)] == 0) {
        ready_.push_back(successor);
      }
    }
  }

  const TaskGraph& graph_;
  const FluidNetwork network_;
  Timeline timeline_;
  std::vector<std::int32_t> waiting_;  ///< predecessors not yet ended
  std::vector<std::int32_t> parts_;    ///< flows and alarms of the task under way
  std::vector<TaskId> ready_;
  std::size_t finished_ = 0;
  std::exception_ptr failure_;
  SimgridSession session_;
};

}  // namespace

Timeline run_simgrid_engine(const TaskGraph& graph) {
  return Replay(graph).run();
}

}  // namespace parsim
