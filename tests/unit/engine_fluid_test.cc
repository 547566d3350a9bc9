#include <vector>

#include "sim/engine/fluid.h"
#include "tests/catch.h"
#include "tests/unit/engine_cases.h"

namespace parsim {
namespace {

using namespace engine_cases;

GraphFlow flow_over(const std::vector<FlowLink>& links, double fraction = 1.0) {
  GraphFlow flow;
  flow.volume_fraction = fraction;
  flow.links = links;
  return flow;
}

TEST_CASE("a link of one lane needs no simulation: volume times the tightest load") {
  Drawing draw;
  const LaneId lane = draw.lane();
  const std::int32_t wide = draw.link(100.0);
  const std::int32_t narrow = draw.link(10.0);
  const PatternId pattern = draw.pattern(0.0, {flow_over({{wide, 1, 1}, {narrow, 2, 3}}, 0.5)});
  draw.send(lane, pattern, 1.0);
  draw.send(lane, pattern, 1.0);
  const FluidNetwork network = reduce_to_fluid(draw.build());
  CHECK(network.links.empty());
  CHECK(network.flows.empty());
  REQUIRE(network.patterns.size() == 1);
  CHECK(network.patterns[0].uses.empty());
  CHECK(network.patterns[0].seconds_per_byte == Approx(0.5 * 3 / 10).epsilon(1e-12));
}

TEST_CASE("lanes that take turns on a link do not share it, others do") {
  Drawing draw;
  const LaneId a = draw.lane();
  const LaneId b = draw.lane();
  const std::int32_t link = draw.link(10.0);
  const PatternId pattern = draw.route(0.0, {link});
  SECTION("two senders") {
    draw.send(a, pattern, 1.0);
    draw.send(b, pattern, 1.0);
    CHECK(reduce_to_fluid(draw.build()).flows.size() == 1);
  }
  SECTION("a sender and a collective that waits on its lane") {
    draw.send(a, pattern, 1.0);
    draw.collective({a, b}, draw.route(0.0, {link}), 1.0);
    CHECK(reduce_to_fluid(draw.build()).flows.empty());
  }
  SECTION("two senders and a collective: pairwise in turn is not enough") {
    draw.collective({a, b}, draw.route(0.0, {link}), 1.0);
    draw.send(a, pattern, 1.0);
    draw.send(b, draw.route(1.0, {link}), 1.0);
    CHECK(reduce_to_fluid(draw.build()).links.size() == 1);
  }
}

TEST_CASE("two flows of one pattern over one link share it") {
  Drawing draw;
  const std::int32_t link = draw.link(10.0);
  const std::int32_t other = draw.link(10.0);
  const PatternId pattern = draw.pattern(
      0.0, {flow_over({{link, 1, 1}}), flow_over({{other, 1, 1}}), flow_over({{link, 1, 1}})});
  draw.send(draw.lane(), pattern, 1.0);
  const FluidNetwork network = reduce_to_fluid(draw.build());
  CHECK(network.links.size() == 1);
  CHECK(network.patterns[0].uses.size() == 2);
  CHECK(network.patterns[0].seconds_per_byte == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("an own link stays in a shared flow only when it is the tightest") {
  Drawing draw;
  const std::int32_t shared = draw.link(10.0);
  const std::int32_t wider = draw.link(11.0);
  const std::int32_t narrower = draw.link(9.0);
  draw.send(draw.lane(), draw.route(0.0, {wider, shared}), 1.0);
  draw.send(draw.lane(), draw.route(0.0, {shared, narrower}), 1.0);
  const FluidNetwork network = reduce_to_fluid(draw.build());
  REQUIRE(network.flows.size() == 2);
  CHECK(network.flows[0].shares.size() == 1);
  CHECK(network.flows[1].shares.size() == 2);
}

TEST_CASE("links that carry the same flows become one, as wide as the tightest") {
  Drawing draw;
  const std::int32_t first = draw.link(10.0);
  const std::int32_t second = draw.link(6.0);
  const std::int32_t third = draw.link(7.0);
  const std::vector<FlowLink> once = {{first, 1, 1}, {second, 1, 1}, {third, 1, 2}};
  const std::vector<FlowLink> other = {{first, 1, 3}, {second, 1, 3}, {third, 1, 6}};
  draw.send(draw.lane(), draw.pattern(0.0, {flow_over(once)}), 1.0);
  draw.send(draw.lane(), draw.pattern(0.0, {flow_over(other)}), 1.0);
  const FluidNetwork network = reduce_to_fluid(draw.build());
  // Loads 1:3, 1:3 and 2:6 are one class; 7/2 is the tightest.
  REQUIRE(network.links.size() == 1);
  CHECK(network.links[0].bandwidth.value() == Approx(3.5).epsilon(1e-12));
  CHECK(network.flows[0].shares[0].weight == 1);
  CHECK(network.flows[1].shares[0].weight == 3);
}

TEST_CASE("equal loads on a link need no weights") {
  Drawing draw;
  const std::int32_t link = draw.link(80.0);
  draw.send(draw.lane(), draw.pattern(0.0, {flow_over({{link, 1, 8}})}), 1.0);
  draw.send(draw.lane(), draw.pattern(1.0, {flow_over({{link, 1, 8}})}), 1.0);
  const FluidNetwork network = reduce_to_fluid(draw.build());
  REQUIRE(network.links.size() == 1);
  CHECK(network.links[0].bandwidth.value() == Approx(10.0).epsilon(1e-12));
  REQUIRE(network.flows.size() == 1);
  CHECK(network.flows[0].shares[0].weight == 1);
}

}  // namespace
}  // namespace parsim
