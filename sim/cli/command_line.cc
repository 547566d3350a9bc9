// The only file that knows CLI11: what users can type, and what it means.

#include "sim/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/text.h"
#include "sim/cli/argument_values.h"
#include "sim/cli/completion_script.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"
#include "sim/cli/usage_message.h"

namespace parsim {

namespace {

const std::map<std::string, EngineName> kEngines = {{"simgrid", EngineName::simgrid},
                                                    {"graph", EngineName::graph}};
const std::map<std::string, ColourChoice> kColours = {{"auto", ColourChoice::automatic},
                                                      {"always", ColourChoice::always},
                                                      {"never", ColourChoice::never}};
const std::map<std::string, Dump> kDumps = {{"scenario", Dump::scenario},
                                            {"plan", Dump::plan},
                                            {"graph", Dump::graph},
                                            {"timeline", Dump::timeline}};
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

/// Everything CLI11 fills in; turned into a Command afterwards.
struct Parsed {
  RunOptions run;
  CheckOptions check;
  ListOptions list;
  SchemaOptions schema;
  CompletionOptions completion;
  bool version = false;
  bool version_json = false;
  std::string engine = "simgrid", colour = "auto", dump, trace_ranks, trace_budget, width;
};

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

void add_run(CLI::App& app, Parsed& parsed) {
  CLI::App* run = app.add_subcommand("run", "Simulate one training step and report it");
  RunOptions& options = parsed.run;
  add_scenario_options(run, options.scenario);
  run->add_option("--engine", parsed.engine,
                  "simgrid shares links; graph takes every task alone (longest path)")
      ->check(one_of(names_of(kEngines)))
      ->type_name("ENGINE");
  add_switch(run, "--unfold", options.unfold, "Simulate every rank, not one of each alike group");
  // A flag with a value: `--json` alone must not take the scenario that follows for its file.
  run->add_flag("--json", options.json_file,
                "Write the report as JSON; without =FILE to standard output, and nothing else")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->type_name("[=FILE]");
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

/// The names that `one_of` allows: the type's text is "ENGINE:graph|simgrid".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> choices;
  for (std::size_t begin = type.find(':'); begin < type.size();) {
    const std::size_t end = std::min(type.find('|', ++begin), type.size());
    choices.push_back(type.substr(begin, end - begin));
    begin = end;
  }
  return choices;
}

/// The subcommands, options and choices of the parser, for completion and for did-you-mean.
std::vector<CompletionEntry> entries(const CLI::App& app) {
  std::vector<CompletionEntry> result;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletionEntry entry{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      for (const std::string& name : option->get_lnames()) {
        entry.options.push_back({"--" + name, takes_value, choices_of(*option)});
      }
      for (const std::string& name : option->get_snames()) {
        entry.options.push_back({"-" + name, takes_value, choices_of(*option)});
      }
      if (option->get_positional()) {
        entry.choices = choices_of(*option);
      }
    }
    result.push_back(std::move(entry));
  }
  return result;
}

/// CLI11 takes an empty text for a value; none of ours has a use for one.
void refuse_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) {
        throw UsageError(fmt::format("{}: the value is empty", option->get_name()));
      }
    }
  }
}

RunOptions finish_run(Parsed& parsed, const CLI::App& run,
                      const std::vector<std::string>& arguments) {
  const auto typed = [&](const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
  };
  RunOptions options = std::move(parsed.run);
  options.engine = kEngines.at(parsed.engine);
  options.colour = kColours.at(parsed.colour);
  options.dump = parsed.dump.empty() ? Dump::none : kDumps.at(parsed.dump);
  options.json = run.count("--json") > 0;
  if (typed("--json=")) {
    throw UsageError("--json=: the value is empty\nhint: --json alone writes to standard output");
  }
  if (options.json_file == "-" || (options.json_file == "true" && !typed("--json=true"))) {
    options.json_file.clear();  // "true" is what CLI11 stores for the flag alone
  }
  if (!parsed.trace_ranks.empty()) {
    options.trace_ranks = rank_list("--trace-ranks", parsed.trace_ranks);
  }
  if (!parsed.trace_budget.empty()) {
    options.trace_budget = byte_count("--trace-budget", parsed.trace_budget);
  }
  if (!parsed.width.empty()) {
    options.width =
        static_cast<int>(whole_number("--width", parsed.width, kLeastWidth, kMostWidth));
  }
  if (options.timeline && options.no_timeline) {
    throw UsageError("--timeline and --no-timeline contradict each other");
  }
  if (options.trace_file.empty() &&
      (run.count("--trace-ranks") + run.count("--trace-budget") > 0)) {
    throw UsageError("--trace-ranks and --trace-budget need --trace FILE");
  }
  if (options.quiet && (options.stats || options.timeline)) {
    throw UsageError("--quiet prints the step time only; leave out --stats and --timeline");
  }
  if (options.dump != Dump::none && (options.json || !options.trace_file.empty())) {
    throw UsageError("--dump stops before there is a report: leave out --json and --trace");
  }
  return options;
}

/// "-" is standard input, as everywhere; the overrides have their shape.
void finish_scenario(ScenarioOptions& options) {
  if (options.file == "-") {
    options.file = "/dev/stdin";
  }
  for (const std::string& text : options.overrides) {
    check_override("--set", text);
  }
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app(
      "parsim predicts how fast a distributed training job runs: step time, throughput, bubble,\n"
      "exposed communication and peak memory, from one scenario file.",
      "parsim");
  Parsed parsed;
  add_switch(&app, "--version", parsed.version, "Print the version");
  add_switch(&app, "--json", parsed.version_json, "With --version: as JSON");
  app.footer(
      "Examples:\n"
      "  parsim run scenarios/published/megatron-sc21-145b.json\n"
      "  parsim check job.json\n"
      "  parsim list devices");
  app.require_subcommand(0, 1);
  add_run(app, parsed);
  add_others(app, parsed);
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    return TextOptions{used.empty() ? app.help() : used.front()->help("parsim")};
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(entries(app), arguments, error.what()));
  }
  const auto used = app.get_subcommands();
  if (parsed.version && used.empty()) {
    return VersionOptions{parsed.version_json};
  }
  if (used.empty()) {
    throw UsageError("a command is needed\n" + app.help());
  }
  const CLI::App& command = *used.front();
  const std::string name = command.get_name();
  if (parsed.version) {
    throw UsageError(fmt::format("--version stands alone\nhint: leave out {}", name));
  }
  if (parsed.version_json) {
    throw UsageError(fmt::format(
        "--json before the command belongs to --version\nhint: write parsim {} --json", name));
  }
  refuse_empty(command);
  finish_scenario(parsed.run.scenario);
  finish_scenario(parsed.check.scenario);
  if (name == "run") {
    return finish_run(parsed, command, arguments);
  }
  if (name == "check") {
    return parsed.check;
  }
  if (name == "list") {
    return parsed.list;
  }
  if (name == "schema") {
    return parsed.schema;
  }
  parsed.completion.script = completion_script(parsed.completion.shell, entries(app));
  return parsed.completion;
}

}  // namespace parsim
