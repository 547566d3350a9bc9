// The only file that knows CLI11: what users can type, and what it means.

#include "sim/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "sim/base/text.h"
#include "sim/base/unit_text.h"
#include "sim/cli/completion_script.h"
#include "sim/cli/usage_error.h"

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

std::int64_t whole_number(const std::string& text, const std::string& what) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0) {
    throw UsageError(
        fmt::format("{}: {} is not a whole number from 0 on", what, quoted_short(text)));
  }
  return value;
}

/// "0,8,16-23" → ranks.
std::vector<std::int64_t> rank_list(const std::string& text) {
  constexpr std::int64_t kMost = 100'000;
  std::vector<std::int64_t> ranks;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const std::int64_t first = whole_number(part.substr(0, dash), "--trace-ranks");
    const std::int64_t last =
        dash == std::string::npos ? first : whole_number(part.substr(dash + 1), "--trace-ranks");
    if (last < first) {
      throw UsageError(fmt::format("--trace-ranks: {} runs backwards", quoted_short(part)));
    }
    if (last - first >= kMost - static_cast<std::int64_t>(ranks.size())) {
      throw UsageError(fmt::format("--trace-ranks: more than {} ranks", grouped(kMost)));
    }
    for (std::int64_t rank = first; rank <= last; ++rank) {
      ranks.push_back(rank);
    }
    begin = end + 1;
  }
  return ranks;
}

std::int64_t byte_count(const std::string& text) {
  const auto parsed = parse_quantity(text, UnitKind::size);
  if (const auto* mistake = std::get_if<UnitMistake>(&parsed)) {
    throw UsageError(fmt::format("--trace-budget: {}\nhint: {}", mistake->message, mistake->hint));
  }
  const double bytes = std::get<double>(parsed);
  if (!(bytes >= 1.0) || bytes > 1e18) {
    throw UsageError(fmt::format("--trace-budget: {} is out of range", quoted_short(text)));
  }
  return static_cast<std::int64_t>(bytes);
}

void check_shape_of_override(const std::string& text) {
  if (text.find('=') == std::string::npos || text.front() == '=') {
    throw UsageError(fmt::format("--set: {} is not path=value\nhint: write --set parallel.tensor=8",
                                 quoted_short(text)));
  }
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

void add_scenario_options(CLI::App* command, ScenarioOptions& options) {
  command->add_option("scenario", options.file, "Scenario file (JSON)")
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
  run->add_flag("--unfold", options.unfold, "Simulate every rank, not one of each alike group");
  // A flag with a value: `--json` alone must not take the scenario that follows for its file.
  run->add_flag("--json", options.json_file,
                "Write the report as JSON, to standard output without =FILE")
      ->type_name("[=FILE]");
  run->add_option("--trace", options.trace_file, "Write a Chrome/Perfetto trace")
      ->type_name("FILE");
  run->add_option("--trace-ranks", parsed.trace_ranks, "Ranks to trace, such as 0,8,16-23")
      ->type_name("RANKS");
  run->add_option("--trace-budget", parsed.trace_budget,
                  "Largest trace; what does not fit is left out and counted (default 256 MB)")
      ->type_name("SIZE");
  run->add_flag("--timeline", options.timeline, "Draw the text timeline whatever its size");
  run->add_flag("--no-timeline", options.no_timeline, "Do not draw the text timeline");
  run->add_option("--width", parsed.width, "Columns of the report (60 to 1000)")->type_name("N");
  run->add_option("--color", parsed.colour, "auto, always or never")
      ->check(one_of(names_of(kColours)))
      ->type_name("WHEN");
  run->add_flag("--stats", options.stats, "Report the simulator's own speed too");
  run->add_flag("-q,--quiet", options.quiet, "Print the step time only");
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
  check->add_flag("--print-resolved", parsed.check.print_resolved,
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
  list->add_flag("--sources", parsed.list.sources, "Say where each number comes from");
  list->add_flag("--json", parsed.list.json, "Print JSON");
  list->footer(
      "Examples:\n"
      "  parsim list\n"
      "  parsim list devices --sources\n"
      "  parsim list networks --json");

  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of a scenario");
  schema->add_flag("--reference", parsed.schema.reference, "Print the reference page (Markdown)");
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

/// The subcommands and flags of the parser, for completion and for did-you-mean.
std::vector<CompletionEntry> entries(const CLI::App& app) {
  std::vector<CompletionEntry> result;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletionEntry entry{command->get_name(), command->get_description(), {}};
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        entry.flags.push_back("--" + name);
      }
      for (const std::string& name : option->get_snames()) {
        entry.flags.push_back("-" + name);
      }
    }
    result.push_back(std::move(entry));
  }
  return result;
}

/// CLI11 knows that something is wrong; which word, and what was meant, is found here.
[[noreturn]] void explain(const CLI::App& app, const std::vector<std::string>& arguments,
                          const CLI::ParseError& error) {
  const auto known = entries(app);
  std::vector<std::string> commands;
  for (const CompletionEntry& entry : known) {
    commands.push_back(entry.name);
  }
  const CompletionEntry* current = nullptr;
  for (const std::string& argument : arguments) {
    if (current == nullptr && argument.rfind('-', 0) != 0) {
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const auto& entry) { return entry.name == argument; });
      if (found == known.end()) {
        const std::string near = did_you_mean(argument, commands);
        throw UsageError(
            fmt::format("unknown command {}\nhint: {}", quoted_short(argument),
                        near.empty() ? "the commands are " + join(commands, ", ", " and ") : near));
      }
      current = &*found;
    } else if (argument.rfind("--", 0) == 0 && argument.size() > 2) {
      const std::string flag = argument.substr(0, argument.find('='));
      const std::vector<std::string> flags =
          current == nullptr ? std::vector<std::string>{"--help", "--version", "--json"}
                             : current->flags;
      if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
        const std::string near = did_you_mean(flag, flags);
        throw UsageError(fmt::format(
            "unknown option {}\nhint: {}", quoted_short(flag),
            near.empty() ? "see parsim " + (current ? current->name + " " : "") + "--help" : near));
      }
    }
  }
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    throw UsageError(
        fmt::format("surplus argument: {}\nhint: one scenario a call; see parsim --help",
                    message.substr(message.find(':') + 2)));
  }
  throw UsageError(message.find("hint:") == std::string::npos
                       ? fmt::format("{}\nhint: see parsim {}--help", message,
                                     current ? current->name + " " : "")
                       : message);
}

RunOptions finish_run(Parsed& parsed, const CLI::App& run) {
  RunOptions options = std::move(parsed.run);
  options.engine = kEngines.at(parsed.engine);
  options.colour = kColours.at(parsed.colour);
  options.dump = parsed.dump.empty() ? Dump::none : kDumps.at(parsed.dump);
  options.json = run.count("--json") > 0;
  if (options.json_file == "true") {
    options.json_file.clear();
  }
  if (!parsed.trace_ranks.empty()) {
    options.trace_ranks = rank_list(parsed.trace_ranks);
  }
  if (!parsed.trace_budget.empty()) {
    options.trace_budget = byte_count(parsed.trace_budget);
  }
  if (!parsed.width.empty()) {
    const std::int64_t width = whole_number(parsed.width, "--width");
    if (width < 60 || width > 1000) {
      throw UsageError(fmt::format("--width: {} is not from 60 to 1000", width));
    }
    options.width = static_cast<int>(width);
  }
  if (options.timeline && options.no_timeline) {
    throw UsageError("--timeline and --no-timeline contradict each other");
  }
  if (options.trace_file.empty() &&
      (run.count("--trace-ranks") + run.count("--trace-budget") > 0)) {
    throw UsageError("--trace-ranks and --trace-budget need --trace FILE");
  }
  if (!options.trace_file.empty() && options.trace_file == options.json_file) {
    throw UsageError("--trace and --json name the same file");
  }
  return options;
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app(
      "parsim predicts how fast a distributed training job runs: step time, throughput, bubble,\n"
      "exposed communication and peak memory, from one scenario file.",
      "parsim");
  Parsed parsed;
  app.add_flag("--version", parsed.version, "Print the version");
  app.add_flag("--json", parsed.version_json, "With --version: as JSON");
  app.footer(
      "Examples:\n"
      "  parsim run scenarios/published/megatron-sc21-145b.json\n"
      "  parsim check job.json\n"
      "  parsim list devices");
  app.require_subcommand(0, 1);
  add_run(app, parsed);
  add_others(app, parsed);
  if (arguments.empty()) {
    throw UsageError("a command is needed\n" + app.help());
  }
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    return TextOptions{used.empty() ? app.help() : used.front()->help("parsim")};
  } catch (const CLI::ParseError& error) {
    explain(app, arguments, error);
  }
  if (parsed.version) {
    return VersionOptions{parsed.version_json};
  }
  const auto used = app.get_subcommands();
  if (used.empty()) {
    throw UsageError("a command is needed\n" + app.help());
  }
  for (const auto* overrides : {&parsed.run.scenario.overrides, &parsed.check.scenario.overrides}) {
    for (const std::string& text : *overrides) {
      check_shape_of_override(text);
    }
  }
  const std::string name = used.front()->get_name();
  if (name == "run") {
    return finish_run(parsed, *used.front());
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
