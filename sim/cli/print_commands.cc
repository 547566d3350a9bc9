// Subcommands that only print.

#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"
#include "sim/scenario/load.h"

namespace parsim {

int run_command(const SchemaOptions& options) {
  print(options.reference ? scenario_reference() : scenario_schema() + "\n");
  return 0;
}

int run_command(const CompletionOptions& options) {
  print(options.script);
  return 0;
}

int run_command(const TextOptions& options) {
  print(options.text);
  return 0;
}

}  // namespace parsim
