#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/scenario_fixture.h"

namespace parsim {
namespace {

std::vector<std::string> pointers_of(const Scenario& scenario) {
  std::vector<std::string> pointers;
  for (const Diagnostic& diagnostic : check_scenario(scenario)) {
    pointers.push_back(diagnostic.pointer);
  }
  return pointers;
}

using Pointers = std::vector<std::string>;

/// The good transformer scenario as an interleaved one with M micro-batches.
Scenario interleaved(std::int64_t pipeline, std::int64_t chunks, std::int64_t micro_batches) {
  Scenario scenario = load_good("transformer").scenario;
  std::get<TransformerModel>(scenario.model).layers = pipeline * chunks;
  scenario.parallel.pipeline = pipeline;
  scenario.parallel.data = 1;
  scenario.parallel.tensor = 1;
  scenario.cluster.nodes = 1;
  scenario.cluster.node.devices = pipeline;
  scenario.cluster.node.nics = 1;
  scenario.schedule.name = ScheduleName::interleaved_1f1b;
  scenario.schedule.chunks = chunks;
  scenario.batch.micro = 1;
  scenario.batch.global = micro_batches;
  return scenario;
}

Scenario with_orders(std::vector<std::vector<std::string>> orders) {
  Scenario scenario = load_good("layers").scenario;  // pipeline 2
  scenario.batch.global = 4;
  scenario.batch.micro = 2;  // 2 micro-batches
  scenario.schedule.name = ScheduleName::explicit_order;
  scenario.schedule.orders = std::move(orders);
  return scenario;
}

}  // namespace

TEST_CASE("the good scenarios have nothing to find") {
  CHECK(check_scenario(load_good("transformer").scenario).empty());
  CHECK(check_scenario(load_good("layers").scenario).empty());
  CHECK(check_scenario(interleaved(4, 2, 8)).empty());
}

TEST_CASE("an empty scenario in memory is checked without a crash") {
  CHECK_FALSE(check_scenario(Scenario{}).empty());
  Scenario layers;
  layers.model = LayerListModel{};
  CHECK_FALSE(check_scenario(layers).empty());
}

TEST_CASE("sizes at the ends of 64 bits are found, not overflowed") {
  Scenario scenario = load_good("transformer").scenario;
  const auto huge = std::numeric_limits<std::int64_t>::max();
  scenario.parallel.data = huge;
  scenario.parallel.tensor = huge;
  scenario.cluster.nodes = huge;
  scenario.batch.micro = huge;
  scenario.schedule.chunks = huge;
  const Pointers found = pointers_of(scenario);
  CHECK(std::count(found.begin(), found.end(), "/parallel") == 1);
  CHECK(std::count(found.begin(), found.end(), "/batch/global") == 1);
}

TEST_CASE("kv_heads of 0 stand for as many as heads") {
  Scenario scenario = load_good("transformer").scenario;
  std::get<TransformerModel>(scenario.model).kv_heads = 0;
  std::get<TransformerModel>(scenario.model).ffn_hidden = 0;
  CHECK(check_scenario(scenario).empty());
}

TEST_CASE(
    "interleaving follows Megatron's rule, M mod group 0 or at least P, or PyTorch's rounds") {
  const std::int64_t pipeline = 4;
  for (std::int64_t count = 1; count <= 20; ++count) {
    Scenario scenario = interleaved(pipeline, 2, count);
    INFO("micro-batches " << count);
    CHECK(check_scenario(scenario).empty() == (count % pipeline == 0));
    for (std::int64_t group = 1; group <= 22; ++group) {
      scenario.schedule.group = group;
      const bool allowed =
          (group >= pipeline && group <= count &&
           (count % group == 0 || count % group >= pipeline)) ||
          group * std::max<std::int64_t>(1, count / pipeline) == count;  // PyTorch's equal rounds
      INFO("group " << group);
      CHECK(check_scenario(scenario).empty() == allowed);
    }
  }
}

TEST_CASE("tensor parallelism needs each of heads, kv_heads, ffn_hidden and vocabulary divided") {
  Scenario scenario = load_good("transformer").scenario;
  auto& model = std::get<TransformerModel>(scenario.model);
  scenario.parallel = {.data = 1, .tensor = 16, .pipeline = 1};
  CHECK(check_scenario(scenario).empty());
  model.kv_heads = 8;
  CHECK(pointers_of(scenario) == Pointers{"/parallel/tensor"});
  model.kv_heads = 16;
  model.ffn_hidden = 4104;
  CHECK(pointers_of(scenario) == Pointers{"/parallel/tensor"});
  model.ffn_hidden = 4096;
  model.vocabulary = 50257;
  CHECK(pointers_of(scenario) == Pointers{"/parallel/tensor"});
}

TEST_CASE("a complete explicit order passes; it may also be one that cannot finish") {
  CHECK(check_scenario(with_orders({{"0F0", "0F1", "0B0", "0B1"}, {"1F0", "1B0", "1F1", "1B1"}}))
            .empty());
  CHECK(check_scenario(with_orders({{"0B0", "0F1", "0F0", "0B1"}, {"1B1", "1B0", "1F1", "1F0"}}))
            .empty());
}

TEST_CASE("explicit orders: grammar, place and completeness of each action") {
  const std::vector<std::string> rank1 = {"1F0", "1F1", "1B0", "1B1"};
  for (const std::string wrong :
       {"", "0F", "F0", "0f0", "0F0 ", " 0F0", "0FF0", "0F-1", "-0F0", "+0F0", "0F0x", "0X0",
        "99999999999999999999F0", "0F99999999999999999999", "2F0", "0F2", "1F0", "0F1"}) {
    INFO("action " << wrong);
    CHECK(pointers_of(with_orders({{wrong, "0F1", "0B0", "0B1"}, rank1})).size() == 1);
  }
  CHECK(pointers_of(with_orders({{"0F0", "0F1", "0B0"}, rank1})) == Pointers{"/schedule/orders/0"});
  CHECK(pointers_of(with_orders({rank1})) == Pointers{"/schedule/orders"});
}

TEST_CASE("with forward_only an explicit order needs no backward actions") {
  Scenario scenario = with_orders({{"0F0", "0F1"}, {"1F0", "1F1"}});
  CHECK(pointers_of(scenario) == Pointers{"/schedule/orders/0", "/schedule/orders/1"});
  scenario.schedule.forward_only = true;
  CHECK(check_scenario(scenario).empty());
}

TEST_CASE("explicit orders may place several stages on a rank") {
  Scenario scenario = with_orders({{"0F0", "2F0", "2B0", "0B0"}, {"1F0", "3F0", "3B0", "1B0"}});
  scenario.schedule.chunks = 2;
  scenario.batch.global = 2;
  CHECK(check_scenario(scenario).empty());
}

TEST_CASE("a node states what its interconnect needs") {
  Scenario scenario = load_good("layers").scenario;
  scenario.cluster.node.interconnect = NodeInterconnect::nvlink_pairs;
  CHECK(check_scenario(scenario).size() == 2);
  scenario.cluster.node.device_bandwidth = BytesPerSecond{1e9};
  scenario.cluster.node.device_latency = Seconds{1e-6};
  CHECK(check_scenario(scenario).empty());
  scenario.cluster.node.nics = 1;
  CHECK(pointers_of(scenario) == Pointers{"/cluster/node"});
}

}  // namespace parsim
