#pragma once

#include <string>
#include <vector>

#include "sim/scenario/documents.h"
#include "sim/scenario/json_value.h"

namespace parsim {

/// A place in the scenario where a name may stand for a file's content.
struct ComponentSite {
  std::string pointer;  ///< "/cluster/device"
  std::string folder;   ///< "devices"
  std::string noun;     ///< "device"
};
[[nodiscard]] const std::vector<ComponentSite>& component_sites();

/// What is being put together: the scenario's JSON, the texts it came from, what is wrong so far.
struct Assembly {
  std::string models_folder;
  std::vector<Document> documents;
  Mistakes mistakes;
  Json root;
};

/// Adds a document and reads it as JSON; syntax mistakes and duplicate keys are added to the
/// mistakes. False when there is nothing to go on with.
[[nodiscard]] bool parse_document(Assembly& assembly, Document document, Json& value);

/// Replaces the value at `site` by the content of models/<folder>/<name>.json if it is a name. The
/// object gets the file's name as its "name" unless it has one. On failure the mistake is added and
/// the site's pointer is spoiled.
void resolve_component(Assembly& assembly, const ComponentSite& site, Json& value);

/// Replaces /schedule/file of an "explicit" schedule by the orders that stand in that CSV file, and
/// adds the chunks where the scenario leaves them out. The path is relative to the scenario's
/// folder. Throws InputError for what is wrong inside the CSV file.
void resolve_schedule_file(Assembly& assembly, const std::string& scenario_file);

/// The names in models/<folder>/, sorted.
[[nodiscard]] std::vector<std::string> component_names(const std::string& models_folder,
                                                       const std::string& folder);

}  // namespace parsim
