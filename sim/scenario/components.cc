#include "sim/scenario/components.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sim/base/diagnostic.h"
#include "sim/base/file.h"
#include "sim/base/text.h"

namespace parsim {
namespace {

std::string component_path(const Assembly& assembly, const ComponentSite& site,
                           const std::string& name) {
  return fmt::format("{}/{}/{}.json", assembly.models_folder, site.folder, name);
}

void reject_site(Assembly& assembly, const ComponentSite& site, const Json& value,
                 std::string message, std::string hint) {
  assembly.mistakes.spoil(site.pointer);
  assembly.mistakes.add({value.place, site.pointer, std::move(message), std::move(hint)});
}

void reject_name(Assembly& assembly, const ComponentSite& site, const Json& value) {
  const std::vector<std::string> names = component_names(assembly.models_folder, site.folder);
  std::string hint = did_you_mean(value.text, names);
  if (hint.empty()) {
    hint = names.empty()
               ? fmt::format("there are none in {}/{}; PARSIM_MODELS names the models folder",
                             assembly.models_folder, site.folder)
               : fmt::format("known: {}", join(names));
  }
  reject_site(assembly, site, value,
              fmt::format("unknown {} {}", site.noun, quoted_short(value.text)), std::move(hint));
}

}  // namespace

const std::vector<ComponentSite>& component_sites() {
  static const std::vector<ComponentSite> sites = {{"/model", "networks", "network"},
                                                   {"/cluster/device", "devices", "device"},
                                                   {"/cluster/node", "nodes", "node"},
                                                   {"/cluster/fabric", "fabrics", "fabric"}};
  return sites;
}

bool parse_document(Assembly& assembly, Document document, Json& value) {
  const int index = static_cast<int>(assembly.documents.size());
  assembly.documents.push_back(std::move(document));
  const Document& kept = assembly.documents.back();
  JsonParse parsed = parse_json(kept.text, index);
  for (const auto* mistakes : {&parsed.syntax, &parsed.duplicates}) {
    for (const JsonMistake& mistake : *mistakes) {
      assembly.mistakes.add({Place{index, mistake.offset}, kept.mount + mistake.pointer,
                             mistake.message, mistake.hint});
    }
  }
  if (!parsed.syntax.empty()) {
    return false;
  }
  if (parsed.value.kind != Json::Kind::object) {
    assembly.mistakes.add({parsed.value.place, kept.mount,
                           fmt::format("must be an object, not {}", describe_json(parsed.value)),
                           "the file begins with { and ends with }"});
    return false;
  }
  value = std::move(parsed.value);
  return true;
}

void resolve_component(Assembly& assembly, const ComponentSite& site, Json& value) {
  if (value.kind != Json::Kind::string || assembly.mistakes.is_spoiled_exactly(site.pointer)) {
    return;
  }
  const std::vector<std::string> names = component_names(assembly.models_folder, site.folder);
  if (std::find(names.begin(), names.end(), value.text) == names.end()) {
    reject_name(assembly, site, value);
    return;
  }
  const std::string name = value.text;
  const std::string path = component_path(assembly, site, name);
  Json content;
  try {
    if (!parse_document(assembly, {path, read_file(path), site.pointer}, content)) {
      assembly.mistakes.spoil(site.pointer);
      return;
    }
  } catch (const InputError& error) {
    const Diagnostic& reason = error.diagnostics().front();
    reject_site(assembly, site, value, fmt::format("{} {}", path, reason.message), reason.hint);
    return;
  }
  if (content.find("sources") == nullptr) {
    assembly.mistakes.add({content.place, site.pointer, "the key \"sources\" is missing",
                           "say where the numbers come from: \"sources\": {\"/KEY\": \"datasheet, "
                           "page 2\"}"});
  }
  if (content.find("name") == nullptr) {
    Json file_name = json_string(name);
    file_name.place = content.place;
    content.add("name", std::move(file_name));
  }
  value = std::move(content);
}

std::vector<std::string> component_names(const std::string& models_folder,
                                         const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(models_folder) / folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") {
      names.push_back(entry->path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace parsim
