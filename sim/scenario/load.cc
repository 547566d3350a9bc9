#include "sim/scenario/load.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sim/base/file.h"
#include "sim/scenario/check.h"
#include "sim/scenario/components.h"
#include "sim/scenario/overrides.h"
#include "sim/scenario/read.h"
#include "sim/scenario/write.h"

namespace parsim {
namespace {

/// File, overrides and models put together. Throws when there is no scenario to read at all.
Assembly assemble(const LoadRequest& request) {
  Assembly assembly;
  assembly.models_folder = request.models_folder;
  if (!parse_document(assembly, {request.file, read_file(request.file), ""}, assembly.root)) {
    throw_if_any(assembly.mistakes, assembly.documents);
  }
  for (const std::string& text : request.overrides) {
    apply_override(assembly, text);
  }
  for (const ComponentSite& site : component_sites()) {
    Json* value = &assembly.root;
    for (const std::string& key : pointer_keys(site.pointer)) {
      value = value == nullptr ? nullptr : value->find(key);
    }
    if (value != nullptr) {
      resolve_component(assembly, site, *value);
    }
  }
  resolve_schedule_file(assembly, request.file);
  return assembly;
}

/// The place of the value at `pointer`, or of what encloses it where it was left out.
Place place_of(const Json& root, const std::string& pointer) {
  const Json* value = nullptr;
  for (std::string at = pointer; value == nullptr; at.erase(at.rfind('/'))) {
    value = find_pointer(root, at);
    if (at.empty()) {
      break;
    }
  }
  return value == nullptr ? root.place : value->place;
}

void add_findings(const Scenario& scenario, Assembly& assembly) {
  for (Finding& finding : all_findings(scenario)) {
    bool reliable = true;
    for (const std::string& need : finding.needs) {
      reliable = reliable && !assembly.mistakes.is_spoiled(need);
    }
    if (reliable) {
      assembly.mistakes.add({place_of(assembly.root, finding.pointer), finding.pointer,
                             std::move(finding.message), std::move(finding.hint)});
    }
  }
}

/// Writes out the defaults that follow from other values, so that nothing is left to guess.
void fill_derived(Scenario& scenario) {
  if (auto* model = std::get_if<TransformerModel>(&scenario.model)) {
    model->kv_heads = model->kv_heads > 0 ? model->kv_heads : model->heads;
    model->ffn_hidden = model->ffn_hidden > 0 ? model->ffn_hidden : 4 * model->hidden;
    return;
  }
  std::int64_t number = 0;
  for (LayerSpec& layer : std::get<LayerListModel>(scenario.model).layers) {
    layer.name = layer.name.empty() ? fmt::format("layer{}", number) : layer.name;
    layer.backward_flops = layer.backward_flops.value_or(2.0 * layer.forward_flops);
    layer.backward_bytes = layer.backward_bytes.value_or(2.0 * layer.forward_bytes);
    layer.saved = layer.saved.value_or(layer.output);
    ++number;
  }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): stable across platforms and versions.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

LoadedScenario load_scenario(const LoadRequest& request) {
  Assembly assembly = assemble(request);
  Scenario scenario = read_json<Scenario>(assembly.root, "", assembly.mistakes);
  add_findings(scenario, assembly);
  throw_if_any(assembly.mistakes, assembly.documents);

  if (scenario.name.empty()) {
    scenario.name = std::filesystem::path(request.file).stem().string();
  }
  fill_derived(scenario);
  const Json resolved = to_json(scenario);
  return {std::move(scenario), hash_of(canonical_json(resolved)), pretty_json(resolved)};
}

std::string to_json_text(const Scenario& scenario) {
  return pretty_json(to_json(scenario));
}

}  // namespace parsim
