#include "tests/catch.h"
#include "tests/unit/scenario_fixture.h"

namespace parsim {
namespace {

std::string outcome_with(const std::vector<std::string>& overrides,
                         const std::string& name = "transformer") {
  return outcome(kGoodScenarios + "/" + name + ".json", overrides);
}

}  // namespace

TEST_CASE("an override by --set replaces, adds and reaches into lists") {
  const Scenario scenario =
      load_good("transformer", {"batch.global=128", "training.recompute=full",
                                "cluster.node.nic_bandwidth=400 Gb/s", "costs.gemm_efficiency=0.5",
                                "parallel.order=[\"data\", \"tensor\", \"pipeline\"]",
                                "parallel.order[0]=pipeline", "parallel.order.2=data", "name=a=b"})
          .scenario;
  CHECK(scenario.batch.global == 128);
  CHECK(scenario.training.recompute == Recompute::full);
  CHECK(scenario.cluster.node.nic_bandwidth == BytesPerSecond{50e9});
  CHECK(scenario.costs.gemm_efficiency == 0.5);
  CHECK(scenario.parallel.order == std::vector<Axis>{Axis::pipeline, Axis::tensor, Axis::data});
  CHECK(scenario.name == "a=b");
  CHECK(std::get<LayerListModel>(load_good("layers", {"model.layers[1].repeat=5"}).scenario.model)
            .layers[1]
            .repeat == 5);
}

TEST_CASE("an override by --set gives the same scenario as the same value in the file") {
  CHECK(load_good("transformer", {"batch.micro=4"}).resolved_json !=
        load_good("transformer").resolved_json);
  CHECK(load_good("transformer", {"batch.micro=4", "batch.micro=2"}).hash ==
        load_good("transformer").hash);
  CHECK(load_good("transformer", {"cluster.device.memory=\"80 GB\""}).hash ==
        load_good("transformer").hash);
}

TEST_CASE("an override by --set can name a model, and change a value of a named one") {
  const auto model = std::get<TransformerModel>(
      load_good("transformer", {"model=gpt3-175b", "model.layers=48"}).scenario.model);
  CHECK(model.name == "gpt3-175b");
  CHECK(model.layers == 48);
  CHECK(model.hidden == 12288);
  CHECK(outcome_with({"model=gpt3-175c", "model.layers=48"}) ==
        "--set model=gpt3-175c: /model: unknown network \"gpt3-175c\"\nhint: did you mean "
        "\"gpt3-175b\"?");
}

TEST_CASE("an override by --set is checked like the file, and named in the message") {
  CHECK(outcome_with({"parallel.tensor=12", "parallel.data=1", "cluster.nodes=3"}) ==
        "--set parallel.tensor=12: /parallel/tensor: 12 does not divide 16 heads or an ffn_hidden "
        "of 4096\nhint: sizes that fit: 1, 2, 4, 8 or 16\n"
        "--set parallel.tensor=12: /parallel/tensor: 12 does not divide the vocabulary of 51200\n"
        "hint: pad the model's vocabulary as training does, e.g. to 51204");
  CHECK(outcome_with({"parallel.tensr=8"}) ==
        "--set parallel.tensr=8: /parallel/tensr: unknown key \"tensr\"\nhint: did you mean "
        "\"tensor\"?");
  CHECK(outcome_with({"cost.free_communication=true"}) ==
        "--set cost.free_communication=true: /cost: unknown key \"cost\"\nhint: did you mean "
        "\"costs\"?");
  CHECK(outcome_with({"cluster.node.nic_bandwidth=400"}) ==
        "--set cluster.node.nic_bandwidth=400: /cluster/node/nic_bandwidth: 400 has no unit\n"
        "hint: write \"400 GB/s\" (bytes) or \"400 Gb/s\" (bits)");
  CHECK(outcome_with({"batch.global=many"}) ==
        "--set batch.global=many: /batch/global: must be a whole number, not the string \"many\"\n"
        "hint: \"global\": samples (sequences) per step, over all replicas");
}

TEST_CASE("an override with a broken path says so") {
  CHECK(outcome_with({"parallel.tensor"}) ==
        "--set parallel.tensor: there is no \"=\"\nhint: write --set path=value, e.g. "
        "parallel.tensor=8");
  const std::string hint =
      "\nhint: write keys joined by dots, e.g. parallel.tensor or schedule.orders[0][2]";
  for (const std::string path : {"", ".a", "a..b", "a.", "a[0", "a]", "[0]", "a[0]b", "a[]"}) {
    CHECK(outcome_with({path + "=1"}) ==
          "--set " + path + "=1: \"" + path + "\" is not a path" + hint);
  }
  CHECK(outcome_with({"batch.global.x=1"}) ==
        "--set batch.global.x=1: /batch/global: is the number 64 and has no member \"x\"\nhint: "
        "write "
        "--set batch.global=VALUE");
  CHECK(outcome_with({"model.layers[2].repeat=1"}, "layers") ==
        "--set model.layers[2].repeat=1: /model/layers: has no element \"2\"\nhint: its elements "
        "are 0 to 1");
  CHECK(outcome_with({"name=\xFF"}) ==
        "--set name=\xFF: the value is not valid UTF-8\nhint: write it in "
        "UTF-8");
  CHECK_THAT(outcome_with({"batch={\"global\": 64, \"global\": 32}"}),
             Catch::Contains("the key \"global\" is given twice"));
}

}  // namespace parsim
