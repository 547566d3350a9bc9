#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// What the command line asks for, as plain values. One struct and one function a subcommand; the
/// functions return the exit code and throw InputError, RunError, CheckFailed or BugError.
namespace parsim {

enum class ColourChoice { automatic, always, never };
enum class EngineName { simgrid, graph };
enum class Dump { none, scenario, plan, graph, timeline };

struct ScenarioOptions {
  std::string file;
  std::vector<std::string> overrides;  ///< path=value
  std::string models_folder;           ///< empty: the default
};

struct RunOptions {
  ScenarioOptions scenario;
  EngineName engine = EngineName::simgrid;
  bool unfold = false;
  bool json = false;
  std::string json_file;  ///< empty with json: standard output
  std::string trace_file;
  std::vector<std::int64_t> trace_ranks;
  std::int64_t trace_budget = 256'000'000;  ///< bytes
  bool timeline = false;
  bool no_timeline = false;
  int width = 0;  ///< 0: the terminal's, else 100
  ColourChoice colour = ColourChoice::automatic;
  bool stats = false;
  bool quiet = false;
  Dump dump = Dump::none;
};

struct CheckOptions {
  ScenarioOptions scenario;
  bool print_resolved = false;
};

struct CompareOptions {
  ScenarioOptions scenario;
  std::vector<std::string> schedules = {"all"};  ///< spellings, or "all"
  EngineName engine = EngineName::simgrid;
  bool json = false;
  std::string json_file;  ///< empty with json: standard output
  std::string svg_file;
  bool pictures = true;
  int width = 0;  ///< 0: the terminal's, else 100
};

struct ImportScheduleOptions {
  std::string file;
  std::string out_file;  ///< empty: standard output
};

struct ExportScheduleOptions {
  ScenarioOptions scenario;  ///< or a CSV file
  std::string out_file;      ///< empty: standard output
  bool merge = false;
  std::int32_t unshard = 0;  ///< stages gathered at a time; 0: no such pass
  bool reduce = false;
  bool transfers = false;
  bool defer = false;
  bool old_dialect = false;
  bool crlf = false;
};

struct ListOptions {
  std::string kind;  ///< empty: all
  std::string models_folder;
  bool sources = false;
  bool json = false;
};

struct SchemaOptions {
  bool reference = false;
};

struct CompletionOptions {
  std::string shell;
  std::string script;
};

struct VersionOptions {
  bool json = false;
};

/// Prints a text that needs no work (help).
struct TextOptions {
  std::string text;
};

using Command = std::variant<RunOptions, CheckOptions, CompareOptions, ImportScheduleOptions,
                             ExportScheduleOptions, ListOptions, SchemaOptions, CompletionOptions,
                             VersionOptions, TextOptions>;

int run_command(const RunOptions& options);
int run_command(const CheckOptions& options);
int run_command(const CompareOptions& options);
int run_command(const ImportScheduleOptions& options);
int run_command(const ExportScheduleOptions& options);
int run_command(const ListOptions& options);
int run_command(const SchemaOptions& options);
int run_command(const CompletionOptions& options);
int run_command(const VersionOptions& options);
int run_command(const TextOptions& options);

}  // namespace parsim
