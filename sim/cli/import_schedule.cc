// parsim import schedule: a schedule file of PyTorch's, checked, as the "schedule" part of a
// scenario.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include "sim/cli/commands.h"
#include "sim/cli/outputs.h"
#include "sim/cli/terminal.h"
#include "sim/schedule/cells.h"
#include "sim/schedule/csv.h"
#include "sim/schedule/order_check.h"

namespace parsim {

namespace {

/// Where the actions without blanks stand in the file: per row, the column of each, from 1.
std::vector<std::vector<int>> columns_of(const ScheduleFile& file) {
  std::vector<std::vector<int>> columns;
  for (const auto& row : file.rows) {
    columns.emplace_back();
    int column = 1;
    for (const Action& action : row) {
      if (action.kind != ActionKind::idle) {
        columns.back().push_back(column);
      }
      column += action.overlaps_next ? 0 : 1;
    }
  }
  return columns;
}

void check_file(const Schedule& schedule, const ScheduleFile& file, const std::string& name,
                bool forward_only) {
  const auto columns = columns_of(file);
  std::vector<Diagnostic> diagnostics;
  for (const OrderProblem& problem : order_problems(schedule, {.forward_only = forward_only})) {
    Diagnostic diagnostic;
    diagnostic.file = name;
    diagnostic.line = problem.rank + 1;
    diagnostic.column = problem.position < 0 ? 1
                                             : columns[static_cast<std::size_t>(problem.rank)]
                                                      [static_cast<std::size_t>(problem.position)];
    diagnostic.message = problem.message;
    diagnostic.hint = problem.hint;
    diagnostics.push_back(std::move(diagnostic));
  }
  if (!diagnostics.empty()) {
    throw InputError(std::move(diagnostics));
  }
  const std::vector<std::string> cycle = find_deadlock(schedule, TransferMode::eager);
  if (!cycle.empty()) {
    throw RunError(fmt::format(
        "{}: the schedule cannot finish: each of these waits for the next, the last one for the "
        "first\n  {}",
        name, join(cycle, "\n  ")));
  }
}

bool only_forward(const Schedule& schedule) {
  for (const auto& actions : schedule.ranks) {
    for (const Action& action : actions) {
      if (is_backward(action.kind)) {
        return false;
      }
    }
  }
  return true;
}

std::string scenario_part(const Schedule& schedule, bool forward_only) {
  nlohmann::ordered_json part = {
      {"name", "explicit"},
      {"chunks", schedule.stages() / static_cast<std::int32_t>(schedule.ranks.size())}};
  if (forward_only) {
    part["forward_only"] = true;
  }
  std::string text = part.dump(2);
  // One rank a line: a pretty-printer's one action a line is unreadable.
  text.erase(text.size() - 2);  // "\n}"
  text += ",\n  \"orders\": [\n";
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    text += "    " + nlohmann::json(cell_texts(schedule.ranks[rank])).dump();
    text += rank + 1 < schedule.ranks.size() ? ",\n" : "\n";
  }
  return text + "  ]\n}\n";
}

}  // namespace

int run_command(const ImportScheduleOptions& options) {
  check_file_outputs(options.file, {{"--out", options.out_file}});
  const ScheduleFile file = read_schedule_csv(read_file(options.file), options.file);
  const Schedule schedule = schedule_of(file, options.file);
  if (schedule.stages() % static_cast<std::int32_t>(schedule.ranks.size()) != 0) {
    throw InputError(Diagnostic{options.file, 0, 0, "",
                                fmt::format("{} stages do not divide over {} ranks",
                                            schedule.stages(), schedule.ranks.size()),
                                "every rank holds equally many stages"});
  }
  const bool forward_only = only_forward(schedule);
  check_file(schedule, file, options.file, forward_only);
  const std::string part = scenario_part(schedule, forward_only);
  const std::string summary =
      fmt::format("{}: ok: {} ranks, {} stages, {} micro-batches, {}, {} dialect\n", options.file,
                  schedule.ranks.size(), schedule.stages(), schedule.micro_batches,
                  file.kind == CsvKind::compute_only ? "computations only" : "with communication",
                  file.dialect == CsvDialect::today ? "today's" : "the old");
  if (options.out_file.empty()) {
    tell(summary);
    print(part);
  } else {
    write_file_atomically(options.out_file, part);
    print(summary);
  }
  return 0;
}

}  // namespace parsim
