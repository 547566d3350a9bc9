#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/cli/commands.h"
#include "sim/cli/dump.h"
#include "sim/cli/load.h"
#include "sim/cli/terminal.h"
#include "sim/graph/fold.h"

namespace parsim {

namespace {

std::string folding_summary(const Folding& folding) {
  const auto ranks = static_cast<std::int64_t>(folding.rank_class.size());
  const auto simulated = static_cast<std::int64_t>(folding.representative.size());
  if (simulated == ranks) {
    return fmt::format("simulated    all {} ranks; no two are alike\n", grouped(ranks));
  }
  return fmt::format("simulated    {} of {} ranks; every other rank is like one of them\n",
                     grouped(simulated), grouped(ranks));
}

}  // namespace

int run_command(const CheckOptions& options) {
  const LoadedScenario loaded = load(options.scenario);
  if (options.print_resolved) {
    print(loaded.resolved_json + "\n");
    return 0;
  }
  const Workload workload = build_workload(loaded.scenario);
  const Plan plan = make_plan(loaded.scenario, workload);
  const Folding folding = fold(plan, make_communicators(plan, workload, loaded.scenario.training),
                               build_network(loaded.scenario.cluster), /*unfold=*/false);
  print(fmt::format("{}: ok\n{}{}", options.scenario.file,
                    plan_summary(loaded.scenario, workload, plan), folding_summary(folding)));
  return 0;
}

}  // namespace parsim
