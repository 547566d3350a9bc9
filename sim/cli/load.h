#pragma once

#include "sim/cli/commands.h"
#include "sim/scenario/load.h"

namespace parsim {

/// load_scenario with the default models folder where none was named.
[[nodiscard]] inline LoadedScenario load(const ScenarioOptions& options) {
  return load_scenario(
      {options.file, options.overrides,
       options.models_folder.empty() ? default_models_folder() : options.models_folder});
}

}  // namespace parsim
