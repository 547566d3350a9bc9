#include <string>

#include "sim/base/check.h"
#include "sim/engine/engine.h"
#include "tests/catch.h"
#include "tests/unit/engine_cases.h"

namespace parsim {
namespace {

using namespace engine_cases;

TEST_CASE("graph engine: lanes run in order, dependencies hold, the makespan is the last end") {
  Drawing draw;
  const LaneId a = draw.lane();
  const LaneId b = draw.lane();
  const TaskId a0 = draw.compute(a, 2.0);
  const TaskId b0 = draw.compute(b, 5.0);
  const TaskId a1 = draw.compute(a, 1.0, {b0});  // waits for b0: 5..6
  const TaskId b1 = draw.compute(b, 0.5, {a0});  // its turn comes at 5: 5..5.5
  const Timeline timeline = run_graph_engine(draw.build());
  CHECK(end_of(timeline.start, a1) == 5.0);
  CHECK(end_of(timeline.end, a1) == 6.0);
  CHECK(end_of(timeline.start, b1) == 5.0);
  CHECK(timeline.makespan.value() == 6.0);
}

TEST_CASE("graph engine: a collective starts when all members arrived and takes its time alone") {
  Drawing draw;
  const LaneId a = draw.lane();
  const LaneId b = draw.lane();
  const std::int32_t slow = draw.link(10.0);
  const std::int32_t fast = draw.link(100.0);
  // 0.5 s + 30 B * 2 crossings / 10 B/s; the alike flows (load) do not count here.
  GraphFlow flow;
  flow.links = {{slow, 2, 6}, {fast, 1, 1}};
  const PatternId pattern = draw.pattern(0.5, {flow});
  draw.compute(a, 1.0);
  draw.compute(b, 3.0);
  const TaskId together = draw.collective({a, b}, pattern, 30.0);
  const Timeline timeline = run_graph_engine(draw.build());
  CHECK(end_of(timeline.start, together) == 3.0);
  CHECK(end_of(timeline.end, together) == Approx(9.5).epsilon(1e-12));
}

TEST_CASE("graph engine: an empty graph takes no time") {
  Drawing draw;
  CHECK(run_graph_engine(draw.build()).makespan.value() == 0.0);
}

TaskGraph blocked_graph() {
  Drawing draw;
  const LaneId a = draw.lane();
  const LaneId b = draw.lane();
  const LaneId c = draw.lane();
  draw.compute(c, 1.0);  // free to run, not of the cycle
  const TaskId a0 = draw.compute(a, 1.0);
  const TaskId a1 = draw.compute(a, 1.0);
  const TaskId b0 = draw.compute(b, 1.0, {a1});
  draw.depend(a0, {b0});
  draw.compute(c, 1.0, {b0});  // blocked by the cycle, not of it
  return draw.build();
}

void check_names_cycle(const std::string& message) {
  CHECK(message.find("3 tasks wait for each other in a cycle") != std::string::npos);
  CHECK(message.find("rank 0") != std::string::npos);
  CHECK(message.find("rank 1") != std::string::npos);
  CHECK(message.find("rank 2") == std::string::npos);
  CHECK(message.find("waits for the result of") != std::string::npos);
  CHECK(message.find("waits for its turn after") != std::string::npos);
}

template <class Engine>
std::string message_of(const Engine& engine, const TaskGraph& graph) {
  try {
    (void)engine(graph);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("graph engine: a run that cannot finish names its cycle") {
  check_names_cycle(message_of(run_graph_engine, blocked_graph()));
}

TEST_CASE("SimGrid engine: a run that cannot finish names its cycle") {
  check_names_cycle(message_of(run_simgrid_engine, blocked_graph()));
}

}  // namespace
}  // namespace parsim
