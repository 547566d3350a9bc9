#include "sim/cost/cost.h"

#include "sim/base/check.h"
#include "tests/catch.h"
#include "tests/support/scenarios.h"

namespace parsim {
namespace {

using Catch::WithinRel;

CostModel round_model() {
  return CostModel{testing::round_device()};
}

Operator work(double flops, double bytes_moved, OperatorClass op_class = OperatorClass::gemm) {
  Operator op;
  op.name = "op";
  op.op_class = op_class;
  op.flops = Flops{flops};
  op.bytes = Bytes{bytes_moved};
  return op;
}

TEST_CASE("an operator takes the longer of its two bounds and the launch") {
  CostModel model = round_model();
  model.device.launch_overhead = 5.0 * microseconds;
  const KernelCost compute = kernel_cost(model, work(1e12, 1e9));  // 10 ms against 1 ms
  CHECK_THAT(compute.time.value(), WithinRel(10.005e-3, 1e-12));
  CHECK(compute.bound == CostBound::compute);
  CHECK(compute.source == CostSource::roofline);
  const KernelCost memory = kernel_cost(model, work(1e12, 1e11));  // 10 ms against 100 ms
  CHECK_THAT(memory.time.value(), WithinRel(100.005e-3, 1e-12));
  CHECK(memory.bound == CostBound::memory);
  const KernelCost launch = kernel_cost(model, work(1e6, 1e3));
  CHECK(launch.bound == CostBound::launch);
}

TEST_CASE("no work costs the launch") {
  CostModel model = round_model();
  CHECK(kernel_cost(model, work(0, 0)).time == Seconds{0});
  model.device.launch_overhead = 5.0 * microseconds;
  CHECK(kernel_cost(model, work(0, 0)).time == 5.0 * microseconds);
  CHECK(kernel_cost(model, work(0, 0)).bound == CostBound::launch);
}

TEST_CASE("each class has its own efficiency") {
  CostModel model = round_model();
  model.device.efficiency = {0.5, 0.25, 0.2, 0.1};
  const auto time = [&](OperatorClass op_class) {
    return kernel_cost(model, work(1e12, 0, op_class)).time.value();
  };
  CHECK_THAT(time(OperatorClass::gemm), WithinRel(0.02, 1e-12));
  CHECK_THAT(time(OperatorClass::layer), WithinRel(0.02, 1e-12));
  CHECK_THAT(time(OperatorClass::batched_gemm), WithinRel(0.04, 1e-12));
  CHECK_THAT(time(OperatorClass::attention), WithinRel(0.05, 1e-12));
  CHECK_THAT(kernel_cost(model, work(0, 1e9, OperatorClass::norm)).time.value(),
             WithinRel(0.01, 1e-12));
}

TEST_CASE("the peak is that of the operator's precision") {
  CostModel model = round_model();
  model.device.peak[Precision::fp32] = FlopsPerSecond{10e12};
  Operator op = work(1e12, 0);
  op.precision = Precision::fp32;
  CHECK_THAT(kernel_cost(model, op).time.value(), WithinRel(0.1, 1e-12));
  model.device.peak.erase(Precision::fp32);
  CHECK_THROWS_AS(kernel_cost(model, op), BugError);
}

TEST_CASE("a stated time is returned as it is") {
  CostModel model = round_model();
  model.device.launch_overhead = 5.0 * microseconds;
  Operator op = work(1e15, 1e15);
  op.given_time = Seconds{0.125};
  const KernelCost cost = kernel_cost(model, op);
  CHECK(cost.time == Seconds{0.125});
  CHECK(cost.source == CostSource::stated);
  CHECK(cost.bound == CostBound::stated);
}

TEST_CASE("the scenario's costs replace the device's") {
  Scenario scenario = testing::scenario_of(testing::gpt(1, 64, 4, 100, 128));
  CHECK(make_cost_model(scenario).device.efficiency.gemm == 1.0);
  scenario.costs.launch_overhead = Seconds{1e-3};
  scenario.costs.gemm_efficiency = 0.1;
  scenario.costs.batched_gemm_efficiency = 0.2;
  scenario.costs.attention_efficiency = 0.3;
  scenario.costs.memory_efficiency = 0.4;
  const Device device = make_cost_model(scenario).device;
  CHECK(device.launch_overhead == Seconds{1e-3});
  CHECK(device.efficiency.gemm == 0.1);
  CHECK(device.efficiency.batched_gemm == 0.2);
  CHECK(device.efficiency.attention == 0.3);
  CHECK(device.efficiency.memory == 0.4);
}

TEST_CASE("a faster device is never slower") {
  const CostModel slow = round_model();
  for (const double factor : {1.0, 1.5, 4.0, 1000.0}) {
    CostModel peak = slow;
    peak.device.peak[Precision::bf16] = FlopsPerSecond{100e12 * factor};
    CostModel memory = slow;
    memory.device.memory_bandwidth = BytesPerSecond{1e12 * factor};
    for (const double flops : {0.0, 1e6, 1e12}) {
      for (const double moved : {0.0, 1e4, 1e10}) {
        const Operator op = work(flops, moved);
        CHECK(kernel_cost(peak, op).time <= kernel_cost(slow, op).time);
        CHECK(kernel_cost(memory, op).time <= kernel_cost(slow, op).time);
      }
    }
  }
}

}  // namespace
}  // namespace parsim
