#include <algorithm>

#include "sim/base/random.h"
#include "sim/scenario/json_value.h"
#include "tests/catch.h"
#include "tests/unit/scenario_fixture.h"

namespace parsim {
namespace {

/// The value with the members of every object in another order.
Json shuffled(Json value, Random& random) {
  for (std::size_t i = value.members.size(); i > 1; --i) {
    std::swap(value.members[i - 1], value.members[static_cast<std::size_t>(
                                        random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  for (JsonMember& member : value.members) {
    member.value = shuffled(std::move(member.value), random);
  }
  for (Json& item : value.items) {
    item = shuffled(std::move(item), random);
  }
  return value;
}

/// Loading the file gives a scenario, or diagnostics that all have a position in it.
void check_accepted_or_located(const std::string& file, const std::string& text) {
  std::string hash;
  try {
    hash = load_scenario({file, {}, ""}).hash;
  } catch (const InputError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (diagnostic.file != file || (diagnostic.line == 0 && !text.empty())) {
        FAIL(text << "\n" << error.what());
      }
    }
    return;
  }
  CHECK(hash.size() == 16);
}

void collect_pointers(const Json& value, const std::string& pointer,
                      std::vector<std::string>& pointers) {
  pointers.push_back(pointer);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    collect_pointers(value.items[i], child_pointer(pointer, std::to_string(i)), pointers);
  }
  for (const JsonMember& member : value.members) {
    collect_pointers(member.value, child_pointer(pointer, member.key), pointers);
  }
}

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), fresh);
}

}  // namespace

TEST_CASE("a scenario is read into its fields, in SI units, with defaults filled in") {
  const Scenario scenario = load_good("transformer").scenario;
  const auto& model = std::get<TransformerModel>(scenario.model);
  CHECK(scenario.name == "transformer");
  CHECK(model.layers == 24);
  CHECK(model.kv_heads == 16);
  CHECK(model.ffn_hidden == 4096);
  CHECK(scenario.cluster.device.memory == Bytes{80e9});
  CHECK(scenario.cluster.device.peak.at(Precision::bf16) == FlopsPerSecond{312e12});
  CHECK(scenario.cluster.node.nic_bandwidth == BytesPerSecond{25e9});
  CHECK(scenario.cluster.fabric.value().latency == Seconds{1e-6});
  CHECK(scenario.parallel.order == std::vector<Axis>{Axis::tensor, Axis::data, Axis::pipeline});
  CHECK(scenario.schedule.name == ScheduleName::one_f_one_b);
  CHECK(scenario.batch.sequence == 1024);
  CHECK(scenario.training.bucket == Bytes{26214400.0});
  CHECK_FALSE(scenario.costs.gemm_efficiency.has_value());
}

TEST_CASE("derived costs of a listed layer are twice the forward, and saved is the output") {
  const auto model = std::get<LayerListModel>(load_good("layers").scenario.model);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].backward_flops == Flops{4e9});
  CHECK(model.layers[1].saved == Bytes{1e6});
  CHECK(model.layers[1].repeat == 3);
}

TEST_CASE("the hash ignores key order, blanks and the spelling of units, and nothing else") {
  const auto name = GENERATE(as<std::string>(), "transformer", "layers");
  const LoadedScenario loaded = load_good(name);
  CHECK(loaded.hash.size() == 16);
  const std::string text = read_file(kGoodScenarios + "/" + name + ".json");
  const TestFolder folder;
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const Json other = shuffled(parse_json(text, 0).value, random);
    const std::string file = folder.write(name + ".json", pretty_json(other));
    CHECK(load_scenario({file, {}, ""}).hash == loaded.hash);
  }
  if (name == "transformer") {
    const auto hash_with = [&](const std::string& old, const std::string& fresh) {
      return load_scenario({folder.write(name + ".json", replaced(text, old, fresh)), {}, ""}).hash;
    };
    CHECK(hash_with("200 Gb/s", "25 GB/s") == loaded.hash);
    CHECK(hash_with("80 GB", "0.08TB") == loaded.hash);
    CHECK(hash_with("80 GB", "80 GiB") != loaded.hash);
    CHECK(hash_with("\"micro\": 2", "\"micro\": 4") != loaded.hash);
  }
}

TEST_CASE("the resolved scenario reads back to the same scenario") {
  const auto name = GENERATE(as<std::string>(), "transformer", "layers");
  const LoadedScenario loaded = load_good(name);
  const TestFolder folder;
  const LoadedScenario again =
      load_scenario({folder.write("again.json", loaded.resolved_json), {}, ""});
  CHECK(again.resolved_json == loaded.resolved_json);
  CHECK(again.hash == loaded.hash);
  CHECK(to_json_text(again.scenario) == to_json_text(loaded.scenario));
}

TEST_CASE("a scenario with every optional field set reads back to the same scenario") {
  Scenario scenario = load_good("transformer").scenario;
  auto& model = std::get<TransformerModel>(scenario.model);
  model.sources["/layers"] = "a \"quoted\" source, ü";
  model.activation = Activation::squared_relu;
  scenario.description = "line one\nline two";
  scenario.cluster.device.sources["/peak/bf16"] = "datasheet";
  scenario.cluster.fabric->kind = FabricKind::oversubscribed;
  scenario.cluster.fabric->nodes_per_leaf = 16;
  scenario.cluster.fabric->oversubscription = 1.7;
  scenario.parallel.order = {Axis::pipeline, Axis::tensor, Axis::data};
  scenario.schedule.name = ScheduleName::interleaved_1f1b;
  scenario.schedule.chunks = 2;
  scenario.schedule.group = 4;
  scenario.schedule.layers_per_stage = {5, 7, 6, 6};
  scenario.costs.launch_overhead = Seconds{1.0 / 3.0 * 1e-6};
  scenario.costs.gemm_efficiency = 1.0 / 3.0;
  const TestFolder folder;
  const std::string text = to_json_text(scenario);
  CHECK(to_json_text(load_scenario({folder.write("s.json", text), {}, ""}).scenario) == text);
}

TEST_CASE("a name stands for a file of the models folder, and its mistakes are located there") {
  const TestFolder folder;
  const std::string text = read_file(kGoodScenarios + "/transformer.json");
  const std::size_t begin = text.find("{\"kind\": \"non-blocking\"");
  const std::string inline_fabric = text.substr(begin, text.find('}', begin) + 1 - begin);
  const std::string file = folder.write("s.json", replaced(text, inline_fabric, "\"flat\""));
  const std::string models = folder.path() + "/models";
  const auto fabric = [&](const std::string& content) {
    return folder.write("models/fabrics/flat.json", content);
  };

  std::string flat = fabric(R"({"kind": "non-blocking", "sources": {"/kind": "x"}})");
  const LoadedScenario loaded = load_scenario({file, {}, models});
  CHECK(loaded.scenario.cluster.fabric.value().name == "flat");
  CHECK(loaded.scenario.cluster.fabric.value().sources.at("/kind") == "x");

  flat = fabric("{\"kind\": \"non-blocking\",\n \"latency\": 1, \"sources\": {\"/kid\": \"x\"}}");
  CHECK(outcome(file, {}, models) ==
        flat + ":2:13: /latency: 1 has no unit\nhint: write \"1 us\" or \"1 ms\"\n" + flat +
            ":2:28: /sources/~1kid: \"/kid\" names no value here\nhint: a source's key is a JSON "
            "pointer such as \"/memory\" or \"/peak/bf16\"");
  flat = fabric(R"({"kind": "non-blocking"})");
  CHECK(outcome(file, {}, models) ==
        flat +
            ":1:1: the key \"sources\" is missing\nhint: say where the numbers come from: "
            "\"sources\": {\"/KEY\": \"datasheet, page 2\"}");
  flat = fabric(R"({"kind": )");
  CHECK_THAT(outcome(file, {}, models),
             Catch::StartsWith(flat + ":1:10: not valid JSON: unexpected end of input"));
  flat = fabric(R"({"kind": "oversubscribed", "sources": {"/kind": "x"}})");
  CHECK_THAT(outcome(file, {}, models),
             Catch::StartsWith(flat + ":1:1: an oversubscribed fabric needs \"nodes_per_leaf\""));
  CHECK_THAT(outcome(file, {}, folder.path() + "/nowhere"),
             Catch::Contains("/cluster/fabric: unknown fabric \"flat\"\nhint: there are none in " +
                             folder.path() + "/nowhere/fabrics; PARSIM_MODELS names the models"));
}

TEST_CASE("200 seeded byte mutations of a good scenario are accepted or refused, never worse") {
  const auto name = GENERATE(as<std::string>(), "transformer", "layers");
  const std::string good = read_file(kGoodScenarios + "/" + name + ".json");
  const TestFolder folder;
  Random random(20240901);
  for (int i = 0; i < 200; ++i) {
    std::string text = good;
    for (std::int64_t edits = random.between(1, 4); edits > 0 && !text.empty(); --edits) {
      const auto at =
          static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1));
      const auto length = static_cast<std::size_t>(random.between(1, 9));
      switch (random.between(0, 3)) {
        case 0:
          text[at] = static_cast<char>(random.between(0, 255));
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(text.size() / 2, length));
          break;
        default:
          text.resize(at);
      }
    }
    const std::string file = folder.write("mutant.json", text);
    check_accepted_or_located(file, text);
  }
}

TEST_CASE("every value of a good scenario, replaced by any kind of value, is handled") {
  const auto name = GENERATE(as<std::string>(), "transformer", "layers");
  const TestFolder folder;
  const Json good = parse_json(load_good(name).resolved_json, 0).value;
  std::vector<std::string> pointers;
  collect_pointers(good, "", pointers);
  CHECK(pointers.size() > 60);
  for (const std::string& pointer : pointers) {
    for (const char* value : {"null", "true", "-1", "0", "3", "9e99", "1e-9", "\"\"", "\"x\"",
                              "\"1 GB\"", "[]", "[[]]", "{}", "{\"x\": 1}"}) {
      Json changed = good;
      *const_cast<Json*>(find_pointer(changed, pointer)) = parse_json(value, 0).value;
      const std::string text = pretty_json(changed);
      check_accepted_or_located(folder.write("changed.json", text), text);
    }
  }
}

}  // namespace parsim
