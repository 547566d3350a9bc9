// What was typed, as a command. Only this file and command_options.* know CLI11.

#include "sim/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/text.h"
#include "sim/cli/argument_values.h"
#include "sim/cli/command_options.h"
#include "sim/cli/completion_script.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"
#include "sim/cli/usage_message.h"

namespace parsim {

namespace {

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

/// What `--json` stands for: wanted or not, and the file ("" for standard output).
bool finish_json(const CLI::App& command, const std::vector<std::string>& arguments,
                 std::string& file) {
  const auto typed = [&](const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
  };
  if (typed("--json=")) {
    throw UsageError("--json=: the value is empty\nhint: --json alone writes to standard output");
  }
  if (file == "-" || (file == "true" && !typed("--json=true"))) {
    file.clear();  // "true" is what CLI11 stores for the flag alone
  }
  return command.count("--json") > 0;
}

CompareOptions finish_compare(Parsed& parsed, const CLI::App& command,
                              const std::vector<std::string>& arguments) {
  CompareOptions options = std::move(parsed.compare);
  options.engine = kEngines.at(parsed.compare_engine);
  options.json = finish_json(command, arguments, options.json_file);
  options.pictures = !parsed.no_pictures;
  if (!parsed.compare_width.empty()) {
    options.width =
        static_cast<int>(whole_number("--width", parsed.compare_width, kLeastWidth, kMostWidth));
  }
  return options;
}

ExportScheduleOptions finish_export(Parsed& parsed) {
  constexpr std::int64_t kMostGathered = 100'000;
  ExportScheduleOptions options = std::move(parsed.export_schedule);
  if (!parsed.unshard.empty()) {
    options.unshard =
        static_cast<std::int32_t>(whole_number("--unshard", parsed.unshard, 1, kMostGathered));
  }
  return options;
}

RunOptions finish_run(Parsed& parsed, const CLI::App& run,
                      const std::vector<std::string>& arguments) {
  RunOptions options = std::move(parsed.run);
  options.engine = kEngines.at(parsed.engine);
  options.colour = kColours.at(parsed.colour);
  options.dump = parsed.dump.empty() ? Dump::none : kDumps.at(parsed.dump);
  options.json = finish_json(run, arguments, options.json_file);
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
  if (options.trace_file == "-") {
    throw UsageError("--trace takes a file name\nhint: /dev/stdout is standard output");
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
  app.footer(
      "Examples:\n"
      "  parsim run scenarios/published/megatron-sc21-145b.json\n"
      "  parsim check job.json\n"
      "  parsim list devices");
  app.require_subcommand(0, 1);
  add_commands(app, parsed);
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
  finish_scenario(parsed.compare.scenario);
  finish_scenario(parsed.export_schedule.scenario);
  finish_scenario(parsed.check.scenario);
  if (name == "run") {
    return finish_run(parsed, command, arguments);
  }
  if (name == "compare") {
    return finish_compare(parsed, command, arguments);
  }
  if (name == "import") {
    std::string& file = parsed.import_schedule.file;
    file = file == "-" ? "/dev/stdin" : file;
    return parsed.import_schedule;
  }
  if (name == "export") {
    return finish_export(parsed);
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
