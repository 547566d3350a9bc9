#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/engine.h"
#include "sim/engine/fluid.h"
#include "tests/catch.h"
#include "tests/unit/engine_cases.h"

// SimGrid runs once a process, so the 200 random graphs are drawn side by side, with nothing in
// common, as one graph; each part is compared on its own.
namespace parsim {
namespace {

using namespace engine_cases;

constexpr int kGraphs = 200;

enum class Sharing {
  impossible,  ///< every link belongs to one lane
  avoided,     ///< lanes have links in common, but their tasks are ordered by dependencies
  allowed      ///< and here they are not; flows stand for several alike ones
};

struct Part {
  TaskId first = 0;
  TaskId last = 0;  ///< one past
};

template <class T>
const T& pick(Random& random, const std::vector<T>& from) {
  return from[static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(from.size()) - 1))];
}

/// 10^low .. 10^high, evenly over the decades.
double over_decades(Random& random, double low, double high) {
  return std::pow(10.0, low + (high - low) * random.uniform());
}

/// One random graph: 2..6 lanes, 10..80 tasks in topological order with random dependencies on
/// earlier ones.
class RandomPart {
 public:
  RandomPart(Drawing& draw, Random& random, Sharing sharing)
      : draw_(draw), random_(random), sharing_(sharing) {
    for (std::int64_t i = random.between(2, 6); i > 0; --i) {
      lanes_.push_back(draw.lane());
    }
    make_patterns();
    part_.first = draw.size();
    for (std::int64_t i = random.between(10, 80); i > 0; --i) {
      add_task();
    }
    part_.last = draw.size();
  }
  [[nodiscard]] Part part() const { return part_; }

 private:
  struct Pattern {
    PatternId id = kNone;
    LaneId lane = kNone;  ///< the only one allowed; kNone: any
  };

  void make_patterns() {
    std::vector<std::int32_t> common;
    for (std::int64_t i = random_.between(1, 5); i > 0; --i) {
      common.push_back(draw_.link(over_decades(random_, 9.0, 11.0)));
    }
    for (const LaneId lane : lanes_) {
      const std::vector<std::int32_t> own = {draw_.link(over_decades(random_, 9.0, 11.0)),
                                             draw_.link(over_decades(random_, 9.0, 11.0))};
      const bool private_links = sharing_ == Sharing::impossible;
      for (std::int64_t i = random_.between(1, 3); i > 0; --i) {
        patterns_.push_back(
            {random_pattern(private_links ? own : common), private_links ? lane : LaneId{kNone}});
      }
    }
  }

  PatternId random_pattern(const std::vector<std::int32_t>& links) {
    std::vector<GraphFlow> flows;
    // Two flows of one pattern over one link would share it.
    const std::int64_t count = sharing_ == Sharing::allowed ? random_.between(1, 3) : 1;
    for (std::int64_t i = 0; i < count; ++i) {
      GraphFlow flow;
      flow.volume_fraction = 0.1 + random_.uniform();
      for (const std::int32_t link : links) {
        if (flow.links.empty() || random_.between(0, 1) == 1) {
          const auto own = static_cast<std::int32_t>(random_.between(1, 3));
          const auto others =
              static_cast<std::int32_t>(sharing_ == Sharing::allowed ? random_.between(0, 3) : 0);
          flow.links.push_back({link, own, own + others});
        }
      }
      flows.push_back(flow);
    }
    const double latency = random_.between(0, 3) == 0 ? 0.0 : over_decades(random_, -7.0, -4.0);
    return draw_.pattern(latency, flows);
  }

  void add_task() {
    const TaskId task = random_.between(0, 1) == 0 ? add_compute() : add_communication();
    if (task > part_.first && random_.between(0, 2) > 0) {
      draw_.depend(task, {static_cast<TaskId>(random_.between(part_.first, task - 1))});
    }
  }

  TaskId add_compute() {
    const double time = random_.between(0, 9) == 0 ? 0.0 : over_decades(random_, -8.0, 0.0);
    return draw_.compute(pick(random_, lanes_), time);
  }

  TaskId add_communication() {
    const Pattern pattern = pick(random_, patterns_);
    const double bytes = random_.between(0, 9) == 0 ? 0.0 : over_decades(random_, 3.0, 10.0);
    std::vector<LaneId> members;
    for (const LaneId lane : lanes_) {
      if (lane == pattern.lane || (pattern.lane == kNone && random_.between(0, 2) == 0)) {
        members.push_back(lane);
      }
    }
    if (members.empty()) {
      members.push_back(pick(random_, lanes_));
    }
    const TaskId task = draw_.collective(members, pattern.id, bytes);
    if (sharing_ == Sharing::avoided && last_communication_ != kNone) {
      draw_.depend(task, {last_communication_});
    }
    last_communication_ = task;
    return task;
  }

  Drawing& draw_;
  Random& random_;
  Sharing sharing_;
  std::vector<LaneId> lanes_;
  std::vector<Pattern> patterns_;
  Part part_;
  TaskId last_communication_ = kNone;
};

TaskGraph random_graphs(std::uint64_t seed, Sharing sharing, std::vector<Part>& parts) {
  Random random(seed);
  Drawing draw;
  for (int i = 0; i < kGraphs; ++i) {
    parts.push_back(RandomPart(draw, random, sharing).part());
  }
  return draw.build();
}

double makespan(const Timeline& timeline, const Part& part) {
  double last = 0.0;
  for (TaskId task = part.first; task < part.last; ++task) {
    last = std::max(last, end_of(timeline.end, task));
  }
  return last;
}

void check_agreement(const TaskGraph& graph, const std::vector<Part>& parts) {
  const Timeline by_graph = run_graph_engine(graph);
  const Timeline by_simgrid = run_simgrid_engine(graph);
  double worst = 0.0;
  for (const Part& part : parts) {
    const double whole = makespan(by_graph, part);
    CHECK(makespan(by_simgrid, part) == Approx(whole).epsilon(1e-9));
    for (TaskId task = part.first; task < part.last; ++task) {
      worst = std::max(
          {worst, std::abs(end_of(by_simgrid.end, task) - end_of(by_graph.end, task)) / whole,
           std::abs(end_of(by_simgrid.start, task) - end_of(by_graph.start, task)) / whole});
    }
  }
  CHECK(worst < 1e-9);
}

TEST_CASE("engines agree on 200 random graphs whose links belong to one lane each") {
  std::vector<Part> parts;
  const TaskGraph graph = random_graphs(20240501, Sharing::impossible, parts);
  CHECK(reduce_to_fluid(graph).flows.empty());
  check_agreement(graph, parts);
}

TEST_CASE("engines agree on 200 random graphs that use common links in turn") {
  std::vector<Part> parts;
  const TaskGraph graph = random_graphs(20240502, Sharing::avoided, parts);
  CHECK(reduce_to_fluid(graph).flows.size() > 200);
  check_agreement(graph, parts);
}

TEST_CASE("with sharing SimGrid is never faster than the graph engine, task by task") {
  std::vector<Part> parts;
  const TaskGraph graph = random_graphs(20240503, Sharing::allowed, parts);
  const Timeline by_graph = run_graph_engine(graph);
  const Timeline by_simgrid = run_simgrid_engine(graph);
  int slower = 0;
  for (const Part& part : parts) {
    const double whole = makespan(by_graph, part);
    slower += makespan(by_simgrid, part) > 1.01 * whole ? 1 : 0;
    for (TaskId task = part.first; task < part.last; ++task) {
      CHECK(end_of(by_simgrid.end, task) >= end_of(by_graph.end, task) - 1e-9 * whole);
    }
  }
  CHECK(slower > kGraphs / 2);  // else the claim was hardly tried
}

/// The timeline of a SimGrid run in a process of its own, and what the run printed.
std::string run_in_child(const TaskGraph& graph) {
  int channel[2];
  REQUIRE(pipe(channel) == 0);
  std::cout.flush();  // else the child inherits what is pending, and may print it
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(channel[0]);
    dup2(channel[1], STDOUT_FILENO);
    dup2(channel[1], STDERR_FILENO);
    const Timeline timeline = run_simgrid_engine(graph);
    const auto bytes = timeline.end.size() * sizeof(Seconds);
    const bool whole = write(channel[1], timeline.end.data(), bytes) == static_cast<ssize_t>(bytes);
    _exit(whole ? 0 : 1);
  }
  close(channel[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(channel[0], buffer, sizeof buffer)) > 0;) {
    output.append(buffer, static_cast<std::size_t>(got));
  }
  close(channel[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return output;
}

TEST_CASE("two SimGrid runs are equal to the last bit, and SimGrid prints nothing") {
  std::vector<Part> parts;
  const TaskGraph graph = random_graphs(20240504, Sharing::allowed, parts);
  const std::string first = run_in_child(graph);
  CHECK(first.size() == static_cast<std::size_t>(graph.size()) * sizeof(double));
  CHECK((first == run_in_child(graph)));  // not printed: it is binary
}

}  // namespace
}  // namespace parsim
