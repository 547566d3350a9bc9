#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "sim/base/text.h"
#include "sim/base/unit_text.h"
#include "sim/scenario/components.h"
#include "sim/scenario/field.h"
#include "sim/scenario/load.h"
#include "sim/scenario/read.h"

namespace parsim {
namespace {

std::string summary_of(const TransformerModel& model) {
  const std::int64_t kv_heads = model.kv_heads > 0 ? model.kv_heads : model.heads;
  return fmt::format("{} layers, hidden {}, {} heads{}, vocabulary {}, {}", model.layers,
                     model.hidden, model.heads,
                     kv_heads == model.heads ? "" : fmt::format(" ({} kv)", kv_heads),
                     model.vocabulary, spelling_of(model.activation));
}

std::string summary_of(const LayerListModel& model) {
  std::int64_t layers = 0;
  std::int64_t parameters = 0;
  double flops = 0.0;
  for (const LayerSpec& layer : model.layers) {
    layers += layer.repeat;
    parameters += layer.parameters * layer.repeat;
    flops += layer.forward_flops.value() * static_cast<double>(layer.repeat);
  }
  return fmt::format("{} layers, {} parameters, {} forward per sample", layers, grouped(parameters),
                     rounded_text(Flops{flops}));
}

std::string summary_of(const Model& model) {
  return std::visit([](const auto& kind) { return summary_of(kind); }, model);
}

std::string summary_of(const Device& device) {
  std::vector<std::string> peaks;
  for (const auto& [precision, rate] : device.peak) {
    peaks.push_back(fmt::format("{} {}", spelling_of(precision), exact_text(rate)));
  }
  return fmt::format("{}, {}, {}", exact_text(device.memory), exact_text(device.memory_bandwidth),
                     join(peaks));
}

std::string summary_of(const Node& node) {
  std::string text = fmt::format("{} devices, {}", node.devices, spelling_of(node.interconnect));
  if (node.device_bandwidth) {
    text += fmt::format(" {}", exact_text(*node.device_bandwidth));
  }
  if (node.pcie_bandwidth) {
    text += fmt::format("{} {}", node.interconnect == NodeInterconnect::pcie ? "" : ", pcie",
                        exact_text(*node.pcie_bandwidth));
  }
  if (node.nics > 0) {
    text += fmt::format(", {} x {}", node.nics, exact_text(node.nic_bandwidth));
  }
  return text;
}

std::string summary_of(const Fabric& fabric) {
  std::string text(spelling_of(fabric.kind));
  if (fabric.oversubscription && fabric.nodes_per_leaf) {
    text +=
        fmt::format(" {:g}:1, {} nodes per leaf", *fabric.oversubscription, *fabric.nodes_per_leaf);
  }
  return text + ", " + exact_text(fabric.latency);
}

const Sources& sources_of(const Model& model) {
  return std::visit([](const auto& kind) -> const Sources& { return kind.sources; }, model);
}
template <class T>
const Sources& sources_of(const T& component) {
  return component.sources;
}

template <class T>
void add_entries(Assembly& assembly, const ComponentSite& site,
                 std::vector<CatalogueEntry>& entries) {
  for (const std::string& name : component_names(assembly.models_folder, site.folder)) {
    // Each file is read as if a scenario named it; its pointers are its own.
    ComponentSite alone = site;
    alone.pointer = "/" + site.folder + "/" + name;
    Json value = json_string(name);
    resolve_component(assembly, alone, value);
    const T component = read_json<T>(value, alone.pointer, assembly.mistakes);
    entries.push_back({site.noun, name, summary_of(component), sources_of(component)});
  }
}

}  // namespace

std::vector<CatalogueEntry> list_catalogue(const std::string& models_folder) {
  std::error_code unused;
  if (!std::filesystem::is_directory(models_folder, unused)) {
    throw InputError(Diagnostic{models_folder, 0, 0, "", "is not a folder of models",
                                "it holds networks/, devices/, nodes/ and fabrics/"});
  }
  Assembly assembly;
  assembly.models_folder = models_folder;
  std::vector<CatalogueEntry> entries;
  const std::vector<ComponentSite>& sites = component_sites();
  add_entries<Model>(assembly, sites[0], entries);
  add_entries<Device>(assembly, sites[1], entries);
  add_entries<Node>(assembly, sites[2], entries);
  add_entries<Fabric>(assembly, sites[3], entries);
  throw_if_any(assembly.mistakes, assembly.documents);
  std::sort(entries.begin(), entries.end(), [](const CatalogueEntry& a, const CatalogueEntry& b) {
    return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
  });
  return entries;
}

}  // namespace parsim
