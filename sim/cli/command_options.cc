#include "sim/cli/command_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text.h"
#include "sim/cli/terminal.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

const std::vector<std::string> kKinds = {"networks", "devices", "nodes", "fabrics", "schedules"};
const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : values) {
    names.push_back(name);
  }
  return names;
}

/// A choice among names; the message of a wrong one lists them. CLI11's own prints them as a set of
/// pairs.
CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto check = [names](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) != names.end()) {
      return std::string();
    }
    const std::string near = did_you_mean(text, names);
    return fmt::format("{} is not one of {}{}", quoted_short(text), join(names, ", ", " or "),
                       near.empty() ? "" : "\nhint: " + near);
  };
  return CLI::Validator(check, join(names, "|"));
}

/// A flag that takes no value: not `--unfold=false`.
void add_switch(CLI::App* command, const std::string& name, bool& value,
                const std::string& description) {
  command->add_flag(name, value, description)->disable_flag_override();
}

void add_scenario_options(CLI::App* command, ScenarioOptions& options) {
  command->add_option("scenario", options.file, "Scenario file (JSON); - is standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--set", options.overrides,
                   "Override one value: path=value, checked like the file; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--models", options.models_folder,
                   "Folder with networks/, devices/, nodes/, fabrics/")
      ->type_name("DIR");
}

/// `--json[=FILE]`: alone it must not take the word that follows for its file.
void add_json(CLI::App* command, std::string& file, const std::string& what) {
  command
      ->add_flag(
          "--json", file,
          fmt::format("Write {} as JSON; without =FILE to standard output, and nothing else", what))
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->type_name("[=FILE]");
}

void add_run(CLI::App& app, Parsed& parsed) {
  CLI::App* run = app.add_subcommand("run", "Simulate one training step and report it");
  RunOptions& options = parsed.run;
  add_scenario_options(run, options.scenario);
  run->add_option("--engine", parsed.engine,
                  "simgrid shares links; graph takes every task alone (longest path)")
      ->check(one_of(names_of(kEngines)))
      ->type_name("ENGINE");
  add_switch(run, "--unfold", options.unfold, "Simulate every rank, not one of each alike group");
  add_json(run, options.json_file, "the report");
  run->add_option("--trace", options.trace_file, "Write a Chrome/Perfetto trace")
      ->type_name("FILE");
  run->add_option("--trace-ranks", parsed.trace_ranks, "Ranks to trace, such as 0,8,16-23")
      ->type_name("RANKS");
  run->add_option("--trace-budget", parsed.trace_budget,
                  "Largest trace; what does not fit is left out and counted (default 256 MB)")
      ->type_name("SIZE");
  add_switch(run, "--timeline", options.timeline, "Draw the text timeline whatever its size");
  add_switch(run, "--no-timeline", options.no_timeline, "Do not draw the text timeline");
  run->add_option("--width", parsed.width,
                  fmt::format("Columns of the report ({} to {})", kLeastWidth, kMostWidth))
      ->type_name("N");
  run->add_option("--color", parsed.colour, "auto, always or never")
      ->check(one_of(names_of(kColours)))
      ->type_name("WHEN");
  add_switch(run, "--stats", options.stats, "Report the simulator's own speed too");
  add_switch(run, "-q,--quiet", options.quiet, "Print the step time only");
  run->add_option("--dump", parsed.dump,
                  "Print a stage's result and stop: scenario, plan, graph or timeline")
      ->check(one_of(names_of(kDumps)))
      ->type_name("STAGE");
  run->footer(
      "Examples:\n"
      "  parsim run scenarios/published/megatron-sc21-145b.json\n"
      "  parsim run job.json --set parallel.tensor=4 --set parallel.data=48\n"
      "  parsim run job.json --engine graph --json=report.json --trace trace.json\n"
      "  parsim run job.json --trace trace.json --trace-ranks 0,8 --trace-budget 50MB");
}

/// "all" and every schedule's spelling.
std::vector<std::string> schedule_choices() {
  std::vector<std::string> choices = {"all"};
  for (const ScheduleRule& rule : schedule_rules()) {
    choices.emplace_back(rule.spelling);
  }
  return choices;
}

void add_compare(CLI::App& app, Parsed& parsed) {
  CLI::App* compare =
      app.add_subcommand("compare", "Simulate one scenario with several pipeline schedules");
  CompareOptions& options = parsed.compare;
  add_scenario_options(compare, options.scenario);
  compare
      ->add_option("--schedules", options.schedules,
                   "all, or names separated by commas (parsim list schedules)")
      ->delimiter(',')
      ->check(one_of(schedule_choices()))
      ->type_name("LIST")
      ->allow_extra_args(false);
  compare->add_option("--engine", parsed.compare_engine, "simgrid or graph")
      ->check(one_of(names_of(kEngines)))
      ->type_name("ENGINE");
  add_json(compare, options.json_file, "the table");
  compare->add_option("--svg", options.svg_file, "Draw the schedules into one SVG file")
      ->type_name("FILE");
  add_switch(compare, "--no-pictures", parsed.no_pictures, "Print the table only");
  compare
      ->add_option("--width", parsed.compare_width,
                   fmt::format("Columns of the pictures ({} to {})", kLeastWidth, kMostWidth))
      ->type_name("N");
  compare->footer(
      "Examples:\n"
      "  parsim compare job.json --schedules all\n"
      "  parsim compare job.json --schedules 1f1b,zb-h1,zb-v --svg schedules.svg\n"
      "  parsim compare job.json --set schedule.chunks=5 --json");
}

void add_import(CLI::App& app, Parsed& parsed) {
  CLI::App* import = app.add_subcommand("import", "Read a file of another tool");
  import->add_option("what", parsed.what_to_import, "schedule")
      ->required()
      ->check(one_of({"schedule"}))
      ->type_name("WHAT");
  import
      ->add_option("file", parsed.import_schedule.file,
                   "A schedule of PyTorch's (CSV); - is standard input")
      ->required()
      ->type_name("FILE");
  import->add_option("--out", parsed.import_schedule.out_file, "Write here, not to standard output")
      ->type_name("FILE");
  import->footer(
      "Examples:\n"
      "  parsim import schedule order.csv > schedule.json\n"
      "  parsim import schedule order.csv --out schedule.json");
}

void add_export(CLI::App& app, Parsed& parsed) {
  CLI::App* command = app.add_subcommand("export", "Write a file for another tool");
  ExportScheduleOptions& options = parsed.export_schedule;
  command->add_option("what", parsed.what_to_export, "schedule")
      ->required()
      ->check(one_of({"schedule"}))
      ->type_name("WHAT");
  add_scenario_options(command, options.scenario);
  command->add_option("--out", options.out_file, "Write here, not to standard output")
      ->type_name("FILE");
  add_switch(command, "--merge", options.merge, "Join I and the W that follows it to B");
  command
      ->add_option("--unshard", parsed.unshard,
                   "Add UNSHARD and RESHARD, so many stages gathered at a time")
      ->type_name("N");
  add_switch(command, "--reduce-grad", options.reduce, "Add REDUCE_GRAD after a stage's last one");
  add_switch(command, "--comms", options.transfers, "Add sends and receives");
  add_switch(command, "--defer-receives", options.defer, "Receive just before use");
  add_switch(command, "--old-dialect", options.old_dialect, "Write B and BW for I and B");
  add_switch(command, "--crlf", options.crlf, "End lines with CR LF, as Python's csv.writer");
  command->footer(
      "Examples:\n"
      "  parsim export schedule job.json --out order.csv\n"
      "  parsim export schedule order.csv --merge --reduce-grad --comms");
}

void add_others(CLI::App& app, Parsed& parsed) {
  CLI::App* check = app.add_subcommand("check", "Check a scenario and print its plan");
  add_scenario_options(check, parsed.check.scenario);
  add_switch(check, "--print-resolved", parsed.check.print_resolved,
             "Print the scenario with every default and model filled in");
  check->footer(
      "Examples:\n"
      "  parsim check job.json\n"
      "  parsim check job.json --set batch.global=1024 --print-resolved");

  CLI::App* list = app.add_subcommand("list", "List models, devices, nodes, fabrics and schedules");
  list->add_option("kind", parsed.list.kind, join(kKinds, ", ", " or "))
      ->check(one_of(kKinds))
      ->type_name("KIND");
  list->add_option("--models", parsed.list.models_folder, "Folder to list")->type_name("DIR");
  add_switch(list, "--sources", parsed.list.sources, "Say where each number comes from");
  add_switch(list, "--json", parsed.list.json, "Print JSON");
  list->footer(
      "Examples:\n"
      "  parsim list\n"
      "  parsim list devices --sources\n"
      "  parsim list networks --json");

  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of a scenario");
  add_switch(schema, "--reference", parsed.schema.reference, "Print the reference page (Markdown)");
  schema->footer(
      "Examples:\n"
      "  parsim schema > scenario.schema.json\n"
      "  parsim schema --reference");

  CLI::App* completion = app.add_subcommand("completion", "Print a shell's completion script");
  completion->add_option("shell", parsed.completion.shell, "bash, zsh or fish")
      ->required()
      ->check(one_of(kShells))
      ->type_name("SHELL");
  completion->footer(
      "Examples:\n"
      "  source <(parsim completion bash)\n"
      "  parsim completion fish > ~/.config/fish/completions/parsim.fish");
}

}  // namespace

void add_commands(CLI::App& app, Parsed& parsed) {
  add_switch(&app, "--version", parsed.version, "Print the version");
  add_switch(&app, "--json", parsed.version_json, "With --version: as JSON");
  add_run(app, parsed);
  add_compare(app, parsed);
  add_import(app, parsed);
  add_export(app, parsed);
  add_others(app, parsed);
}

}  // namespace parsim
