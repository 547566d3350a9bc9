#include <algorithm>
#include <string>

#include "sim/workload/workload.h"
#include "tests/catch.h"
#include "tests/support/workload_scenario.h"

namespace parsim {
namespace {

using test::gpt;
using test::llama;
using test::scenario_of;

std::vector<std::string> names(const std::vector<Step>& steps) {
  std::vector<std::string> result;
  for (const Step& step : steps) {
    result.push_back(std::visit([](const auto& s) { return s.name; }, step));
  }
  return result;
}

const Operator& find(const std::vector<Step>& steps, const std::string& name) {
  for (const Step& step : steps) {
    if (const auto* op = std::get_if<Operator>(&step); op != nullptr && op->name == name) {
      return *op;
    }
  }
  throw std::runtime_error("no operator " + name);
}

std::vector<TensorCollective> collectives(const std::vector<Step>& steps) {
  std::vector<TensorCollective> result;
  for (const Step& step : steps) {
    if (const auto* collective = std::get_if<TensorCollective>(&step)) {
      result.push_back(*collective);
    }
  }
  return result;
}

Block layer_of(const Scenario& scenario) {
  return build_workload(scenario).types[1];
}

/// b = 2, s = 128, h = 64, 4 heads of 16, t = 2.
Scenario small(std::int64_t tensor = 2) {
  Scenario scenario = scenario_of(gpt(2, 64, 4, 1000, 128));
  scenario.batch.micro = 2;
  scenario.parallel.tensor = tensor;
  return scenario;
}

TEST_CASE("a GPT layer runs these steps forward") {
  CHECK(names(layer_of(small()).forward) ==
        std::vector<std::string>{
            "norm1.forward", "qkv.forward", "attention.scores.forward", "attention.softmax.forward",
            "attention.dropout.forward", "attention.context.forward", "projection.forward",
            "attention output", "attention.residual.forward", "norm2.forward", "mlp.up.forward",
            "mlp.activation.forward", "mlp.down.forward", "mlp output", "mlp.residual.forward"});
}

TEST_CASE("a GPT layer runs these steps backward, input gradient before its all-reduce") {
  CHECK(names(layer_of(small()).backward) ==
        std::vector<std::string>{"mlp.dropout.backward",       "mlp.bias_gradient",
                                 "mlp.down.input_gradient",    "mlp.down.weight_gradient",
                                 "mlp.down.accumulate",        "mlp.activation.backward",
                                 "mlp.up.input_gradient",      "mlp.up input gradient",
                                 "mlp.up.weight_gradient",     "mlp.up.accumulate",
                                 "mlp.up.bias_gradient",       "norm2.backward",
                                 "norm2.residual.backward",    "attention.dropout.backward",
                                 "attention.bias_gradient",    "projection.input_gradient",
                                 "projection.weight_gradient", "projection.accumulate",
                                 "attention.values.backward",  "attention.probabilities.backward",
                                 "attention.dropout.backward", "attention.softmax.backward",
                                 "attention.queries.backward", "attention.keys.backward",
                                 "qkv.input_gradient",         "qkv input gradient",
                                 "qkv.weight_gradient",        "qkv.accumulate",
                                 "qkv.bias_gradient",          "norm1.backward",
                                 "norm1.residual.backward"});
}

TEST_CASE("products have the true local shape") {
  const Block layer = layer_of(small());
  const auto shape = [&](const std::vector<Step>& steps, const std::string& name) {
    const auto gemm = std::get<GemmShape>(find(steps, name).shape);
    return std::vector<std::int64_t>{gemm.m, gemm.n, gemm.k, gemm.batch};
  };
  using Shape = std::vector<std::int64_t>;
  CHECK(shape(layer.forward, "qkv.forward") == Shape{256, 96, 64, 1});
  CHECK(shape(layer.forward, "projection.forward") == Shape{256, 64, 32, 1});
  CHECK(shape(layer.forward, "mlp.up.forward") == Shape{256, 128, 64, 1});
  CHECK(shape(layer.forward, "mlp.down.forward") == Shape{256, 64, 128, 1});
  CHECK(shape(layer.forward, "attention.scores.forward") == Shape{128, 128, 16, 4});
  CHECK(shape(layer.forward, "attention.context.forward") == Shape{128, 16, 128, 4});
  CHECK(shape(layer.backward, "mlp.up.input_gradient") == Shape{256, 64, 128, 1});
  CHECK(shape(layer.backward, "mlp.up.weight_gradient") == Shape{64, 128, 256, 1});
}

TEST_CASE("grouped queries and a gate shrink QKV and widen the first MLP product") {
  const Block layer = layer_of(scenario_of(llama(2, 64, 8, 2, 160, 1000)));
  CHECK(std::get<GemmShape>(find(layer.forward, "qkv.forward").shape).n == 64 + 2 * 16);
  CHECK(std::get<GemmShape>(find(layer.forward, "mlp.up.forward").shape).n == 320);
  CHECK(std::get<GemmShape>(find(layer.forward, "mlp.down.forward").shape).k == 160);
  CHECK(find(layer.forward, "rotary.forward").bytes == Bytes{2.0 * 2.0 * 128 * (64 + 16)});
}

TEST_CASE("bytes of memory-bound operators follow the table") {
  const Block layer = layer_of(small());
  const double tokens_h = 256.0 * 64, scores = 2.0 * 2 * 128 * 128;  // 2 samples, 2 local heads
  CHECK(find(layer.forward, "norm1.forward").bytes == Bytes{2 * 2 * tokens_h});
  CHECK(find(layer.backward, "norm1.backward").bytes == Bytes{7 * 2 * tokens_h});
  CHECK(find(layer.forward, "mlp.residual.forward").bytes == Bytes{7 * tokens_h});
  CHECK(find(layer.forward, "mlp.activation.forward").bytes == Bytes{2 * 2 * 256.0 * 128});
  CHECK(find(layer.backward, "mlp.activation.backward").bytes == Bytes{3 * 2 * 256.0 * 128});
  CHECK(find(layer.forward, "attention.softmax.forward").bytes == Bytes{2 * 2 * scores});
  CHECK(find(layer.forward, "attention.dropout.forward").bytes == Bytes{5 * scores});
  CHECK(find(layer.backward, "attention.softmax.backward").bytes == Bytes{3 * 2 * scores});
  // 16-bit gradient read, fp32 sum read and written
  CHECK(find(layer.backward, "mlp.up.accumulate").bytes == Bytes{(2 + 4 + 4) * 64.0 * 128});
}

TEST_CASE("one micro-batch with equal precisions needs no accumulation") {
  Scenario scenario = small();
  scenario.batch.global = 2;
  scenario.training.gradient_precision = Precision::bf16;
  CHECK_FALSE(names(layer_of(scenario).backward) == names(layer_of(small()).backward));
  for (const std::string& name : names(layer_of(scenario).backward)) {
    CHECK(name.find("accumulate") == std::string::npos);
  }
}

TEST_CASE("tensor parallelism sums one activation twice forward and twice backward") {
  const Block layer = layer_of(small());
  for (const auto& steps : {layer.forward, layer.backward}) {
    const auto sums = collectives(steps);
    REQUIRE(sums.size() == 2);
    for (const TensorCollective& sum : sums) {
      CHECK(sum.kind == CollectiveKind::all_reduce);
      CHECK(sum.bytes == Bytes{2.0 * 256 * 64});
      CHECK(sum.overlapped_operators == 0);
    }
  }
  CHECK(collectives(layer_of(small(1)).forward).empty());
  CHECK(collectives(layer_of(small(1)).backward).empty());
}

TEST_CASE("sequence parallelism gathers before and scatters after, and gathers again backward") {
  Scenario scenario = small();
  scenario.parallel.sequence_parallel = true;
  const Block layer = layer_of(scenario);
  const auto kinds = [](const std::vector<Step>& steps) {
    std::vector<CollectiveKind> result;
    for (const TensorCollective& collective : collectives(steps)) {
      result.push_back(collective.kind);
      CHECK(collective.bytes == Bytes{2.0 * 256 * 64});
    }
    return result;
  };
  const auto gather = CollectiveKind::all_gather, scatter = CollectiveKind::reduce_scatter;
  CHECK(kinds(layer.forward) == std::vector{gather, scatter, gather, scatter});
  CHECK(kinds(layer.backward) == std::vector{gather, gather, scatter, gather, gather, scatter});
  CHECK(find(layer.forward, "norm1.forward").bytes == Bytes{2 * 2 * 128.0 * 64});
  CHECK(find(layer.forward, "mlp.residual.forward").bytes == Bytes{7 * 128.0 * 64});
  CHECK(find(layer.forward, "mlp.activation.forward").bytes == Bytes{2 * 2 * 256.0 * 128});
}

TEST_CASE("an overlapped gradient sum runs beside everything up to the norm") {
  Scenario scenario = small();
  scenario.parallel.overlap_tensor_gradient = true;
  const auto sums = collectives(layer_of(scenario).backward);
  // weight gradient, its accumulation, bias gradient
  CHECK(sums[0].overlapped_operators == 3);
  CHECK(sums[1].overlapped_operators == 3);
}

TEST_CASE("fused attention executes half the square when causal, and 2.5 times that backward") {
  Scenario scenario = small();
  scenario.training.attention = AttentionKernel::fused;
  const double square = 4.0 * 2 * 2 * 128 * 128 * 16;
  const Block causal = layer_of(scenario);
  CHECK(find(causal.forward, "attention.forward").flops == Flops{square / 2});
  CHECK(find(causal.backward, "attention.backward").flops == Flops{2.5 * square / 2});
  std::get<TransformerModel>(scenario.model).causal = false;
  CHECK(find(layer_of(scenario).forward, "attention.forward").flops == Flops{square});
}

TEST_CASE("full recomputation runs the forward again, collectives included; selective the core") {
  Scenario scenario = small();
  CHECK(layer_of(scenario).recompute.empty());
  scenario.training.recompute = Recompute::full;
  const Block full = layer_of(scenario);
  CHECK(names(full.recompute) == names(full.forward));
  scenario.training.recompute = Recompute::selective;
  CHECK(names(layer_of(scenario).recompute) ==
        std::vector<std::string>{"attention.scores.forward", "attention.softmax.forward",
                                 "attention.dropout.forward", "attention.context.forward"});
}

TEST_CASE("head and embedding communicate as Megatron's vocabulary-parallel layers") {
  const Workload workload = build_workload(small());
  const auto embedding = collectives(workload.types.front().forward);
  REQUIRE(embedding.size() == 1);
  CHECK(embedding[0].bytes == Bytes{2.0 * 256 * 64});
  const Block& head = workload.types.back();
  const auto sums = collectives(head.forward);
  REQUIRE(sums.size() == 3);
  for (const TensorCollective& sum : sums) {
    CHECK(sum.bytes == Bytes{4.0 * 256});
  }
  CHECK(std::get<GemmShape>(find(head.forward, "logits.forward").shape).n == 500);
  // 24 bytes a logit forward and 8 backward, and a cast of 2 + 4 bytes each way
  CHECK(find(head.forward, "loss.forward").bytes == Bytes{30.0 * 256 * 500});
  CHECK(find(head.backward, "loss.backward").bytes == Bytes{14.0 * 256 * 500});
}

TEST_CASE("fp8 shrinks the operands of linear layers, not activations or attention") {
  Scenario scenario = small(1);
  scenario.training.precision = Precision::fp8;
  scenario.cluster.device.peak[Precision::fp8] = FlopsPerSecond{2e15};
  CHECK(find(layer_of(scenario).forward, "attention.scores.forward").precision == Precision::fp8);
  scenario.cluster.device.peak[Precision::bf16] = FlopsPerSecond{1e15};
  const Block fp8 = layer_of(scenario);
  scenario.training.precision = Precision::bf16;
  const Block bf16 = layer_of(scenario);
  const Operator& up = find(fp8.forward, "mlp.up.forward");
  CHECK(up.precision == Precision::fp8);
  CHECK(up.bytes == Bytes{256.0 * 64 + 64.0 * 256 + 2 * 256.0 * 256});
  CHECK(find(fp8.forward, "attention.scores.forward").precision == Precision::bf16);
  CHECK(fp8.output == bf16.output);
  CHECK(fp8.saved == bf16.saved);
}

TEST_CASE("blocks are embedding, the layers, head") {
  const Workload workload = build_workload(small());
  CHECK(workload.blocks == std::vector<int>{0, 1, 1, 2});
  CHECK(workload.first_layer == 1);
  CHECK(workload.layer_count == 2);
  CHECK(workload.tokens_per_sample == 128);
  CHECK(workload.tied_embeddings);
}

}  // namespace
}  // namespace parsim
