#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "sim/cli/commands.h"

namespace parsim {

inline const std::map<std::string, EngineName> kEngines = {{"simgrid", EngineName::simgrid},
                                                           {"graph", EngineName::graph}};
inline const std::map<std::string, ColourChoice> kColours = {{"auto", ColourChoice::automatic},
                                                             {"always", ColourChoice::always},
                                                             {"never", ColourChoice::never}};
inline const std::map<std::string, Dump> kDumps = {{"scenario", Dump::scenario},
                                                   {"plan", Dump::plan},
                                                   {"graph", Dump::graph},
                                                   {"timeline", Dump::timeline}};

/// Everything CLI11 fills in; turned into a Command afterwards.
struct Parsed {
  RunOptions run;
  CompareOptions compare;
  ImportScheduleOptions import_schedule;
  ExportScheduleOptions export_schedule;
  CheckOptions check;
  ListOptions list;
  SchemaOptions schema;
  CompletionOptions completion;
  bool version = false;
  bool version_json = false;
  std::string compare_engine = "simgrid", compare_width;
  bool no_pictures = false;
  std::string what_to_import, what_to_export, unshard;
  std::string engine = "simgrid", colour = "auto", dump, trace_ranks, trace_budget, width;
};

/// Adds every subcommand with its options and examples to the parser; what is typed goes to
/// `parsed`.
void add_commands(CLI::App& app, Parsed& parsed);

}  // namespace parsim
