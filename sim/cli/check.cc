#include <fmt/format.h>

#include "sim/cli/commands.h"
#include "sim/cli/dump.h"
#include "sim/cli/load.h"
#include "sim/cli/terminal.h"

namespace parsim {

int run_command(const CheckOptions& options) {
  const LoadedScenario loaded = load(options.scenario);
  if (options.print_resolved) {
    print(loaded.resolved_json + "\n");
    return 0;
  }
  const Workload workload = build_workload(loaded.scenario);
  const Plan plan = make_plan(loaded.scenario, workload);
  print(fmt::format("{}: ok\n{}", options.scenario.file,
                    plan_summary(loaded.scenario, workload, plan)));
  return 0;
}

}  // namespace parsim
