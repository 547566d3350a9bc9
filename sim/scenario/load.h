#pragma once

#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"

namespace parsim {

/// Where a scenario comes from and how it is changed on the command line.
struct LoadRequest {
  std::string file;                    ///< path of the scenario
  std::vector<std::string> overrides;  ///< `path=value` from --set, e.g. "parallel.tensor=8"
  std::string models_folder;           ///< folder with networks/, devices/, nodes/, fabrics/
};

/// A read and fully checked scenario.
struct LoadedScenario {
  Scenario scenario;
  std::string
      hash;  ///< 16 hex digits over the resolved scenario; ignores key order and spelling of units
  std::string
      resolved_json;  ///< the printed resolved scenario (pretty JSON, every default filled in)
};

/// Reads, resolves names, applies overrides, checks. Throws InputError with every mistake in one
/// go.
[[nodiscard]] LoadedScenario load_scenario(const LoadRequest& request);

/// The semantic checks (divisibility, sizes, device counts, …) on a scenario in memory.
/// Diagnostics carry pointer, message and hint; file, line and column are filled in by
/// load_scenario.
[[nodiscard]] std::vector<Diagnostic> check_scenario(const Scenario& scenario);

/// The JSON Schema (draft 2020-12) of a scenario file, pretty-printed, generated from the field
/// tables.
[[nodiscard]] std::string scenario_schema();

/// The reference page (Markdown) generated from the same tables.
[[nodiscard]] std::string scenario_reference();

/// The scenario as pretty JSON that load_scenario reads back to the same values.
[[nodiscard]] std::string to_json_text(const Scenario& scenario);

/// The folder of shipped models: $PARSIM_MODELS, else beside the executable's install prefix, else
/// the source tree.
[[nodiscard]] std::string default_models_folder();

/// One row of `parsim list`.
struct CatalogueEntry {
  std::string kind;  ///< "network", "device", "node" or "fabric"
  std::string name;
  std::string summary;  ///< the key figures, with units
  Sources sources;
};
/// Everything in `models_folder`, sorted by kind and name. Throws InputError for a broken file.
[[nodiscard]] std::vector<CatalogueEntry> list_catalogue(const std::string& models_folder);

}  // namespace parsim
