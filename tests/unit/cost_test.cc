#include "sim/cost/cost.h"

#include "sim/base/check.h"
#include "tests/catch.h"

using namespace parsim;
using Catch::Matchers::WithinRel;

namespace {

CostModel model_of() {
  Scenario scenario;
  Device& device = scenario.cluster.device;
  device.name = "d";
  device.peak[Precision::bf16] = FlopsPerSecond{100e12};
  device.memory_bandwidth = BytesPerSecond{1e12};
  device.launch_overhead = Seconds{5e-6};
  device.efficiency = {0.8, 0.5, 0.4, 0.9};
  return make_cost_model(scenario);
}

Operator work(OperatorClass op_class, double flops, double bytes) {
  Operator op;
  op.name = "op";
  op.op_class = op_class;
  op.flops = Flops{flops};
  op.bytes = Bytes{bytes};
  return op;
}

}  // namespace

TEST_CASE("a large product takes flops over reachable peak plus the launch") {
  const KernelCost cost = kernel_cost(model_of(), work(OperatorClass::gemm, 8e12, 1e6));
  CHECK_THAT(cost.time.value(), WithinRel(0.1 + 5e-6, 1e-12));
  CHECK(cost.bound == CostBound::compute);
  CHECK(cost.source == CostSource::roofline);
}

TEST_CASE("a memory-bound operator takes bytes over reachable bandwidth plus the launch") {
  const KernelCost cost = kernel_cost(model_of(), work(OperatorClass::norm, 0, 9e9));
  CHECK_THAT(cost.time.value(), WithinRel(0.01 + 5e-6, 1e-12));
  CHECK(cost.bound == CostBound::memory);
}

TEST_CASE("no work costs the launch; a stated time costs itself and nothing else") {
  const KernelCost none = kernel_cost(model_of(), work(OperatorClass::norm, 0, 0));
  CHECK(none.time == Seconds{5e-6});
  CHECK(none.bound == CostBound::launch);
  Operator stated = work(OperatorClass::layer, 1e15, 1e15);
  stated.given_time = Seconds{0.25};
  CHECK(kernel_cost(model_of(), stated).time == Seconds{0.25});
  CHECK(kernel_cost(model_of(), stated).source == CostSource::stated);
}

TEST_CASE("each class has its efficiency, and the scenario's replaces the device's") {
  const auto time = [](const CostModel& model, OperatorClass op_class) {
    return kernel_cost(model, work(op_class, 1e12, 0)).time.value();
  };
  CostModel model = model_of();
  model.device.launch_overhead = Seconds{0.0};
  CHECK_THAT(time(model, OperatorClass::gemm), WithinRel(0.0125, 1e-12));
  CHECK_THAT(time(model, OperatorClass::batched_gemm), WithinRel(0.02, 1e-12));
  CHECK_THAT(time(model, OperatorClass::attention), WithinRel(0.025, 1e-12));
  Scenario scenario;
  scenario.cluster.device = model.device;
  scenario.costs.gemm_efficiency = 1.0;
  scenario.costs.launch_overhead = Seconds{1.0};
  CHECK_THAT(time(make_cost_model(scenario), OperatorClass::gemm), WithinRel(1.01, 1e-12));
}

TEST_CASE("a precision the device has no peak for is our bug here: check_scenario refuses it") {
  Operator op = work(OperatorClass::gemm, 1, 0);
  op.precision = Precision::fp8;
  CHECK_THROWS_AS(kernel_cost(model_of(), op), BugError);
}
