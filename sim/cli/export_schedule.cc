// parsim export schedule: the order of a scenario, or of another file, as a schedule file of
// PyTorch's.

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/file.h"
#include "sim/cli/commands.h"
#include "sim/cli/load.h"
#include "sim/cli/outputs.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"
#include "sim/plan/plan.h"
#include "sim/schedule/csv.h"
#include "sim/schedule/order_check.h"
#include "sim/schedule/passes.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

bool is_csv(const std::string& file) {
  return file.size() >= 4 && file.compare(file.size() - 4, 4, ".csv") == 0;
}

ScheduleFile file_of_scenario(const ScenarioOptions& options) {
  const LoadedScenario loaded = load(options);
  const Plan plan = make_plan(loaded.scenario, build_workload(loaded.scenario));
  const std::string name(rule_of(loaded.scenario.schedule.name).spelling);
  if (plan.schedule.copies > 1 || plan.schedule.slices > 1) {
    throw UsageError(fmt::format(
        "{} cannot be written: PyTorch's files know one copy of the model and whole micro-batches\n"
        "hint: parsim run --dump plan prints its order",
        name));
  }
  ScheduleFile file;
  file.rows = plan.schedule.ranks;
  return file;
}

/// PyTorch's own order of the passes: merge, unshard and reshard, reduce, send and receive, defer.
void lower_file(const ExportScheduleOptions& options, const std::string& name, ScheduleFile& file) {
  const Schedule schedule = schedule_of(file, name);
  const bool lowers = options.merge || options.unshard > 0 || options.reduce || options.transfers;
  if (lowers && has_transfers(schedule)) {
    throw UsageError(fmt::format("{} has its transfers already; leave out the passes", name));
  }
  for (Actions& row : file.rows) {
    row = options.merge ? merge_backward(row) : row;
    row = options.unshard > 0 ? add_unshard_reshard(row, options.unshard) : row;
    row = options.reduce ? add_reduce_gradient(row, schedule.micro_batches) : row;
  }
  if (options.transfers) {
    Schedule lowered = schedule;
    lowered.ranks = file.rows;
    file.rows = add_transfers(lowered);
  }
  if (options.defer) {
    file.rows = defer_receives(file.rows, schedule.stage_rank);
  }
  const bool communicates = std::any_of(file.rows.begin(), file.rows.end(), [](const Actions& row) {
    return std::any_of(row.begin(), row.end(), [](const Action& action) {
      return !is_compute(action.kind) && action.kind != ActionKind::idle;
    });
  });
  file.kind = communicates ? CsvKind::compute_comms : CsvKind::compute_only;
}

}  // namespace

int run_command(const ExportScheduleOptions& options) {
  check_file_outputs(options.scenario.file, {{"--out", options.out_file}});
  ScheduleFile file;
  if (is_csv(options.scenario.file)) {
    if (!options.scenario.overrides.empty()) {
      throw UsageError("--set changes a scenario, not a CSV file");
    }
    file = read_schedule_csv(read_file(options.scenario.file), options.scenario.file);
  } else {
    file = file_of_scenario(options.scenario);
  }
  lower_file(options, options.scenario.file, file);
  file.dialect = options.old_dialect ? CsvDialect::old : CsvDialect::today;
  file.line_end = options.crlf ? "\r\n" : "\n";
  const std::string text = write_schedule_csv(file);
  if (options.out_file.empty()) {
    print(text);
  } else {
    write_file_atomically(options.out_file, text);
  }
  return 0;
}

}  // namespace parsim
