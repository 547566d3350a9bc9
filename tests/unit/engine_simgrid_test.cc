#include <algorithm>
#include <cmath>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/engine/engine.h"
#include "tests/catch.h"
#include "tests/unit/engine_cases.h"

// One SimGrid run a case: each case is its own process.
namespace parsim {
namespace {

using namespace engine_cases;

TEST_CASE("two flows with route latencies of 2 us and 52 us share a link equally") {
  Drawing draw;
  const std::int32_t link = draw.link(10e9);
  const TaskId near = draw.send(draw.lane(), draw.route(2e-6, {link}), 1e9);
  const TaskId far = draw.send(draw.lane(), draw.route(52e-6, {link}), 1e9);
  const Timeline timeline = run_simgrid_engine(draw.build());
  // Alone from 2 to 52 us: 0.5 MB. Then 5 GB/s each until the near flow is done; the far one has
  // 0.5 MB left, alone.
  const double near_end = 52e-6 + (1e9 - 0.5e6) / 5e9;
  CHECK(end_of(timeline.end, near) == Approx(near_end).epsilon(1e-11));
  CHECK(end_of(timeline.end, far) == Approx(near_end + 0.5e6 / 10e9).epsilon(1e-11));
}

TEST_CASE("three flows over two links are max-min fair") {
  Drawing draw;
  const std::int32_t narrow = draw.link(10.0);
  const std::int32_t wide = draw.link(20.0);
  // narrow: a and both get 5 each; wide: b takes the other 15. Volumes for one second.
  const TaskId a = draw.send(draw.lane(), draw.route(0.0, {narrow}), 5.0);
  const TaskId b = draw.send(draw.lane(), draw.route(0.0, {wide}), 15.0 + 20.0);
  const TaskId both = draw.send(draw.lane(), draw.route(0.0, {narrow, wide}), 5.0);
  const Timeline timeline = run_simgrid_engine(draw.build());
  CHECK(end_of(timeline.end, a) == Approx(1.0).epsilon(1e-11));
  CHECK(end_of(timeline.end, both) == Approx(1.0).epsilon(1e-11));
  CHECK(end_of(timeline.end, b) == Approx(2.0).epsilon(1e-11));  // then alone at 20
}

TEST_CASE("one flow with load 4 shares as four explicit flows do") {
  Drawing draw;
  const std::int32_t folded = draw.link(100.0);
  GraphFlow four;
  four.links = {{folded, 1, 4}};
  const TaskId representative = draw.send(draw.lane(), draw.pattern(0.1, {four}), 60.0);
  const TaskId beside = draw.send(draw.lane(), draw.route(0.1, {folded}), 100.0);
  const std::int32_t unfolded = draw.link(100.0);
  std::vector<TaskId> explicit_four;
  for (int i = 0; i < 4; ++i) {
    explicit_four.push_back(draw.send(draw.lane(), draw.route(0.1, {unfolded}), 60.0));
  }
  const TaskId beside_explicit = draw.send(draw.lane(), draw.route(0.1, {unfolded}), 100.0);
  const Timeline timeline = run_simgrid_engine(draw.build());
  // Five flows at 20 B/s: 60 B after 3 s; the other has 40 B left at 100 B/s.
  CHECK(end_of(timeline.end, representative) == Approx(3.1).epsilon(1e-11));
  CHECK(end_of(timeline.end, beside) == Approx(3.5).epsilon(1e-11));
  for (const TaskId task : explicit_four) {
    CHECK(end_of(timeline.end, task) == Approx(3.1).epsilon(1e-11));
  }
  CHECK(end_of(timeline.end, beside_explicit) == Approx(3.5).epsilon(1e-11));
}

TEST_CASE("a load takes its share even when no other flow is near") {
  Drawing draw;
  const std::int32_t link = draw.link(100.0);
  GraphFlow flow;
  flow.links = {{link, 1, 4}};
  const TaskId task = draw.send(draw.lane(), draw.pattern(0.5, {flow}), 50.0);
  const TaskGraph graph = draw.build();
  CHECK(end_of(run_simgrid_engine(graph).end, task) == Approx(2.5).epsilon(1e-12));
  CHECK(end_of(run_graph_engine(graph).end, task) == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("several flows of one pattern: the task ends with the last, own part included") {
  Drawing draw;
  const LaneId a = draw.lane();
  const LaneId b = draw.lane();
  const std::int32_t shared = draw.link(10.0);
  const std::int32_t own = draw.link(10.0);
  GraphFlow first;
  first.links = {{shared, 1, 1}};
  GraphFlow second;
  second.volume_fraction = 0.5;
  second.links = {{own, 1, 1}};
  const PatternId pattern = draw.pattern(1.0, {first, second});
  const TaskId one = draw.send(a, pattern, 100.0);  // shared 10 s alone, own 5 s
  const TaskId other = draw.send(b, draw.route(1.0, {shared}), 20.0);
  GraphFlow tiny = first;
  tiny.volume_fraction = 0.01;
  const TaskId own_last = draw.send(a, draw.pattern(1.0, {tiny, second}), 100.0, {other});
  const Timeline timeline = run_simgrid_engine(draw.build());
  CHECK(end_of(timeline.end, other) == Approx(5.0).epsilon(1e-11));  // 20 B at 5 B/s
  CHECK(end_of(timeline.end, one) == Approx(1.0 + 4.0 + 8.0).epsilon(1e-11));
  CHECK(end_of(timeline.end, own_last) == Approx(13.0 + 1.0 + 5.0).epsilon(1e-11));
}

TEST_CASE("idle gaps, equal dates, zero bytes and zero times keep going") {
  Drawing draw;
  const LaneId a = draw.lane();
  const LaneId b = draw.lane();
  const std::int32_t link = draw.link(1.0);
  const PatternId left = draw.route(0.25, {link});
  const PatternId right = draw.route(0.25, {link});
  const TaskId long_ago = draw.compute(a, 1e-3);
  const TaskId gap = draw.compute(a, 100.0, {long_ago});
  const TaskId empty = draw.send(a, left, 0.0);          // latency only
  const TaskId equal = draw.compute(b, 100.001);         // ends with `gap`
  const TaskId nothing = draw.compute(b, 0.0, {gap});    // takes no time
  const TaskId full = draw.send(b, right, 2.0);          // 100.001 + 0.25 + 2
  const TaskId free = draw.send(a, kNone, 1e9, {full});  // free communication
  const Timeline timeline = run_simgrid_engine(draw.build());
  CHECK(end_of(timeline.end, empty) == Approx(100.251).epsilon(1e-12));
  CHECK(end_of(timeline.end, equal) == Approx(100.001).epsilon(1e-12));
  CHECK(end_of(timeline.end, nothing) == Approx(100.001).epsilon(1e-12));
  CHECK(end_of(timeline.end, full) == Approx(102.251).epsilon(1e-12));
  CHECK(end_of(timeline.end, free) == end_of(timeline.end, full));
}

TEST_CASE("100,000 tasks that take no time do not recurse") {
  Drawing draw;
  const LaneId lane = draw.lane();
  TaskId last = draw.compute(lane, 1.0);
  for (int i = 0; i < 100'000; ++i) {
    last = draw.compute(lane, 0.0);
  }
  CHECK(end_of(run_simgrid_engine(draw.build()).end, last) == 1.0);
}

/// Three senders on one link with lengths 1, 2 and 3 units of link time, after `idle` units:
/// all share until 3, two until 5, one until 6.
void check_sharing_at(double unit, double idle) {
  Drawing draw;
  const std::int32_t link = draw.link(1e9);
  std::vector<TaskId> sends;
  for (int i = 1; i <= 3; ++i) {
    const LaneId lane = draw.lane();
    draw.compute(lane, idle * unit);
    sends.push_back(draw.send(lane, draw.route(unit, {link}), i * unit * 1e9));
  }
  const Timeline timeline = run_simgrid_engine(draw.build());
  const double begin = idle + 1.0;
  CHECK(end_of(timeline.end, sends[0]) == Approx((begin + 3) * unit).epsilon(1e-11));
  CHECK(end_of(timeline.end, sends[1]) == Approx((begin + 5) * unit).epsilon(1e-11));
  CHECK(end_of(timeline.end, sends[2]) == Approx((begin + 6) * unit).epsilon(1e-11));
}

TEST_CASE("sharing is exact at a nanosecond") {
  check_sharing_at(1e-9, 0.0);
}
TEST_CASE("sharing is exact at a picosecond after a microsecond") {
  check_sharing_at(1e-12, 1e6);
}
TEST_CASE("sharing is exact at a million seconds") {
  check_sharing_at(1e6, 0.7);
}

TEST_CASE("flows from a nanosecond to a million seconds in one run") {
  // Pairs that share a link of their own; the pair's flows take 2 and 3 units, whatever the unit.
  Drawing draw;
  std::vector<std::pair<TaskId, TaskId>> pairs;
  for (int exponent = -9; exponent <= 6; ++exponent) {
    const double unit = std::pow(10.0, exponent) * 1.1;
    const std::int32_t link = draw.link(7e8 / unit);
    const PatternId pattern = draw.route(0.0, {link});
    const TaskId small = draw.send(draw.lane(), pattern, 7e8);
    const TaskId large = draw.send(draw.lane(), pattern, 2 * 7e8);
    pairs.emplace_back(small, large);
  }
  const Timeline timeline = run_simgrid_engine(draw.build());
  int exponent = -9;
  for (const auto& [small, large] : pairs) {
    const double unit = std::pow(10.0, exponent++) * 1.1;
    CHECK(end_of(timeline.end, small) == Approx(2 * unit).epsilon(1e-11));
    CHECK(end_of(timeline.end, large) == Approx(3 * unit).epsilon(1e-11));
  }
}

TEST_CASE("a flow of one byte beside one of a gigabyte keeps its time") {
  Drawing draw;
  const std::int32_t link = draw.link(10.0);
  const PatternId pattern = draw.route(0.0, {link});
  const TaskId large = draw.send(draw.lane(), pattern, 1e9);
  const TaskId small = draw.send(draw.lane(), pattern, 1.3);
  const Timeline timeline = run_simgrid_engine(draw.build());
  CHECK(end_of(timeline.end, small) == Approx(0.26).epsilon(1e-9));
  CHECK(end_of(timeline.end, large) == Approx(1e8 + 0.13).epsilon(1e-12));
}

TEST_CASE("a long leap of the clock does not miss the end of a flow") {
  // From 1.5 ulp to 1 + 5 ulp, ulp = 2^-52: the difference is a tie and rounds to even, 1 + 4 ulp;
  // the sum with the clock is a tie again and rounds to even, 1 + 6 ulp: one past the date.
  const double ulp = std::ldexp(1.0, -52);
  Drawing draw;
  const std::int32_t link = draw.link(std::ldexp(1.0, 52));
  const PatternId pattern = draw.route(0.0, {link});
  const TaskId flow = draw.send(draw.lane(), pattern, std::ldexp(1.0, 52) + 5.0);
  const TaskId next = draw.send(draw.lane(), pattern, std::ldexp(1.0, 52), {flow});
  draw.compute(draw.lane(), 1.5 * ulp);
  const Timeline timeline = run_simgrid_engine(draw.build());
  CHECK(end_of(timeline.end, flow) == 1.0 + 5.0 * ulp);
  CHECK(end_of(timeline.end, next) == Approx(2.0).epsilon(1e-15));
}

void ours(int) {}

TEST_CASE("a run leaves the signal handlers as they were, and there is one run a process") {
  std::signal(SIGINT, ours);
  Drawing draw;
  draw.compute(draw.lane(), 1.0);
  const TaskGraph graph = draw.build();
  CHECK(run_simgrid_engine(graph).makespan.value() == 1.0);
  CHECK(std::signal(SIGINT, SIG_DFL) == ours);
  CHECK_THROWS_AS(run_simgrid_engine(graph), BugError);
}

TEST_CASE("an empty graph runs through SimGrid") {
  Drawing draw;
  CHECK(run_simgrid_engine(draw.build()).makespan.value() == 0.0);
}

TEST_CASE("the SimGrid version is a version") {
  const std::string version = simgrid_version();
  CHECK(std::count(version.begin(), version.end(), '.') >= 1);
  CHECK(std::stoi(version) >= 3);
}

}  // namespace
}  // namespace parsim
