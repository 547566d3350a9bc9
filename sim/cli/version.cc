#include "sim/cli/version.h"

#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"
#include "sim/engine/engine.h"

namespace parsim {

std::map<std::string, std::string> versions() {
  return {{"parsim", PARSIM_VERSION}, {"simgrid", simgrid_version()}};
}

int run_command(const VersionOptions& options) {
  auto known = versions();
  known["compiler"] = PARSIM_COMPILER;
  if (!options.json) {
    print(fmt::format("parsim {} (SimGrid {}, {})\n", known["parsim"], known["simgrid"],
                      known["compiler"]));
    return 0;
  }
  std::string text;
  for (const auto& [name, version] : known) {
    text += fmt::format("{}{}: {}", text.empty() ? "{" : ", ", quoted(name), quoted(version));
  }
  print(text + "}\n");
  return 0;
}

}  // namespace parsim
