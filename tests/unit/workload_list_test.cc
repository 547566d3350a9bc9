#include "sim/workload/workload.h"
#include "tests/catch.h"
#include "tests/support/workload_scenario.h"

namespace parsim {
namespace {

LayerListModel two_layers() {
  LayerListModel model;
  LayerSpec first;
  first.name = "first";
  first.repeat = 2;
  first.forward_flops = Flops{100};
  first.forward_bytes = Bytes{10};
  first.parameters = 7;
  first.output = Bytes{6};
  LayerSpec second;
  second.name = "second";
  second.forward_flops = Flops{50};
  second.backward_flops = Flops{60};
  second.backward_bytes = Bytes{3};
  second.saved = Bytes{20};
  second.forward_time = Seconds{0.25};
  model.layers = {first, second};
  return model;
}

Scenario list_scenario(Recompute recompute = Recompute::none) {
  Scenario scenario = test::scenario_of(two_layers());
  scenario.batch.micro = 4;
  scenario.training.recompute = recompute;
  return scenario;
}

TEST_CASE("every repetition of a layer is a block that can be placed anywhere") {
  const Workload workload = build_workload(list_scenario());
  CHECK(workload.blocks == std::vector<int>{0, 0, 1});
  CHECK(workload.first_layer == 0);
  CHECK(workload.layer_count == 3);
  CHECK(workload.tokens_per_sample == 0);
  CHECK(workload.total_parameters == 14);
}

TEST_CASE("flops, bytes and times are per sample") {
  const Workload workload = build_workload(list_scenario());
  const auto forward = std::get<Operator>(workload.types[0].forward.at(0));
  const auto backward = std::get<Operator>(workload.types[0].backward.at(0));
  CHECK(forward.flops == Flops{400});
  CHECK(forward.bytes == Bytes{40});
  CHECK(backward.flops == Flops{800});
  CHECK(backward.bytes == Bytes{80});
  CHECK(workload.types[0].model_flops == Flops{1200});
  CHECK(workload.types[0].output == Bytes{24});
  CHECK(workload.types[0].saved == Bytes{24});
  CHECK_FALSE(forward.given_time.has_value());
}

TEST_CASE("stated values replace the defaults") {
  const Workload workload = build_workload(list_scenario());
  const auto forward = std::get<Operator>(workload.types[1].forward.at(0));
  const auto backward = std::get<Operator>(workload.types[1].backward.at(0));
  CHECK(forward.given_time == Seconds{1.0});
  CHECK_FALSE(backward.given_time.has_value());
  CHECK(backward.flops == Flops{240});
  CHECK(backward.bytes == Bytes{12});
  CHECK(workload.types[1].saved == Bytes{80});
}

TEST_CASE("full recomputation runs a layer again and keeps only what passes between layers") {
  const Workload workload = build_workload(list_scenario(Recompute::full));
  CHECK(workload.types[0].recompute.size() == 1);
  CHECK(workload.types[0].hardware_flops == Flops{1600});
  CHECK(workload.types[1].saved == workload.types[1].output);
}

double bytes_of(const std::vector<Operator>& operators) {
  double sum = 0;
  for (const Operator& op : operators) {
    sum += op.bytes.value();
  }
  return sum;
}

TEST_CASE("Adam moves 46 bytes a parameter in mixed precision with fp32 gradients") {
  // norm 4, clip 8, update 4 + 24 + 2, clear 4
  CHECK(bytes_of(optimizer_step(Training{}, 1000)) == 46e3);
}

TEST_CASE("optimizers move what their table says") {
  Training training;
  training.precision = Precision::fp32;
  CHECK(bytes_of(optimizer_step(training, 10)) == 10 * (4 + 4 + 8 + 28));
  training.optimizer = OptimizerKind::sgd;
  CHECK(bytes_of(optimizer_step(training, 10)) == 10 * (4 + 20));
  CHECK(optimizer_step(training, 0).empty());
  training.optimizer = OptimizerKind::none;
  CHECK(optimizer_step(training, 10).empty());
}

TEST_CASE("an element has its size") {
  CHECK(element_size(Precision::fp32) == Bytes{4});
  CHECK(element_size(Precision::tf32) == Bytes{4});
  CHECK(element_size(Precision::fp16) == Bytes{2});
  CHECK(element_size(Precision::bf16) == Bytes{2});
  CHECK(element_size(Precision::fp8) == Bytes{1});
}

}  // namespace
}  // namespace parsim
