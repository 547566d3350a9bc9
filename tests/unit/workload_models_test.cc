#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sim/workload/workload.h"
#include "tests/catch.h"

/// The data in models/: provenance, and exact parameter counts of what ships. The scenario reader
/// has its own tests; here the files are read with plain JSON.
namespace parsim {
namespace {

using Json = nlohmann::json;

std::filesystem::path models() {
  return std::filesystem::path{PARSIM_SOURCE_DIR} / "models";
}

Json read(const std::filesystem::path& path) {
  std::ifstream file{path};
  REQUIRE(file);
  return Json::parse(file);
}

/// A number, or a string that begins with one.
bool is_quantity(const Json& value) {
  if (value.is_number()) {
    return true;
  }
  return value.is_string() && !value.get_ref<const std::string&>().empty() &&
         std::isdigit(static_cast<unsigned char>(value.get_ref<const std::string&>()[0])) != 0;
}

/// A source covers its pointer and everything below it.
bool covered(const std::string& pointer, const Json& sources) {
  for (std::string at = pointer; !at.empty(); at.resize(at.rfind('/'))) {
    if (sources.contains(at)) {
      return true;
    }
  }
  return false;
}

std::set<std::string> unsourced(const Json& document) {
  std::set<std::string> missing;
  const Json flat = document.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const bool provenance = pointer.starts_with("/sources/") || pointer.ends_with("/name");
    if (!provenance && is_quantity(value) && !covered(pointer, document.at("sources"))) {
      missing.insert(pointer);
    }
  }
  return missing;
}

TransformerModel transformer(const std::string& name) {
  const Json file = read(models() / "networks" / (name + ".json"));
  TransformerModel model;
  model.layers = file.at("layers");
  model.hidden = file.at("hidden");
  model.heads = file.at("heads");
  model.kv_heads = file.at("kv_heads");
  model.ffn_hidden = file.at("ffn_hidden");
  model.vocabulary = file.at("vocabulary");
  model.max_positions = file.value("max_positions", 0);
  model.bias = file.at("bias");
  model.tied_embeddings = file.at("tied_embeddings");
  model.positions = file.at("positions") == "rope" ? Positions::rope : Positions::learned;
  model.activation = file.at("activation") == "swiglu" ? Activation::swiglu : Activation::gelu;
  model.normalisation =
      file.at("normalisation") == "rmsnorm" ? Normalisation::rmsnorm : Normalisation::layernorm;
  return model;
}

TEST_CASE("every number in models/ has a source, and every source names something") {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{models()}) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    ++files;
    INFO(entry.path().filename().string());
    const Json document = read(entry.path());
    CHECK(document.at("name") == entry.path().stem().string());
    CHECK(unsourced(document) == std::set<std::string>{});
    for (const auto& [pointer, text] : document.at("sources").items()) {
      INFO(pointer);
      CHECK(document.contains(Json::json_pointer{pointer}));
      CHECK(text.get<std::string>().size() > 10);
    }
  }
  CHECK(files >= 60);
}

TEST_CASE("a number without a source is found") {
  const Json document = Json::parse(
      R"({"name":"x","a":1,"b":{"c":"2 GB/s"},"kind":"gpu","sources":{"/a":"the sheet"}})");
  CHECK(unsourced(document) == std::set<std::string>{"/b/c"});
}

TEST_CASE("shipped transformers have their published parameter counts") {
  CHECK(parameter_count(transformer("llama2-7b")) == 6'738'415'616);
  CHECK(parameter_count(transformer("llama2-13b")) == 13'015'864'320);
  CHECK(parameter_count(transformer("llama2-70b")) == 68'976'648'192);
  CHECK(parameter_count(transformer("llama3-8b")) == 8'030'261'248);
  CHECK(parameter_count(transformer("llama3-70b")) == 70'553'706'496);
  CHECK(parameter_count(transformer("llama3-405b")) == 405'853'388'800);
  CHECK(parameter_count(transformer("gpt2-small")) == 124'439'808);
  CHECK(parameter_count(transformer("gpt2-medium")) == 354'823'168);
  CHECK(parameter_count(transformer("gpt2-large")) == 774'030'080);
  CHECK(parameter_count(transformer("gpt2-xl")) == 1'557'611'200);
}

TEST_CASE("Megatron models have the sizes that table 1 of the SC'21 paper prints, in billions") {
  const std::pair<const char*, double> printed[] = {
      {"megatron-1.7b", 1.7},   {"megatron-3.6b", 3.6},   {"megatron-7.5b", 7.5},
      {"megatron-18b", 18.4},   {"megatron-39b", 39.1},   {"megatron-76b", 76.1},
      {"megatron-145b", 145.6}, {"megatron-310b", 310.1}, {"megatron-530b", 529.6},
      {"megatron-1t", 1008.0}};
  for (const auto& [name, billions] : printed) {
    INFO(name);
    const double counted = static_cast<double>(parameter_count(transformer(name))) / 1e9;
    CHECK(std::abs(counted - billions) <= 0.06);  // one digit after the point is printed
  }
}

TEST_CASE("ResNet-50 has 25,557,032 parameters and 8.18 GFLOP forward") {
  const Json file = read(models() / "networks" / "resnet-50.json");
  std::int64_t parameters = 0;
  double flops = 0;
  for (const Json& layer : file.at("layers")) {
    const std::int64_t repeat = layer.value("repeat", 1);
    parameters += repeat * layer.at("parameters").get<std::int64_t>();
    flops += static_cast<double>(repeat) * std::stod(layer.at("forward_flops").get<std::string>());
  }
  CHECK(parameters == 25'557'032);
  CHECK(flops == Approx(2 * 4.089e9).epsilon(0.001));
}

}  // namespace
}  // namespace parsim
