#include "sim/cli/outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include "sim/base/unit_text.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"

namespace parsim {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRowsDrawn = 16;

/// Whether both names lead to one file, through links and however they are spelled. Devices and
/// pipes may take any number of outputs.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
  const fs::path second = fs::weakly_canonical(fs::absolute(b, error), error);
  return !error && first == second;
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw RunError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    cannot_write(path, EISDIR);
  }
  if (fs::exists(path, error)) {
    if (access(path.c_str(), W_OK) != 0) {
      cannot_write(path, errno);
    }
    return;
  }
  const fs::path folder = fs::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    cannot_write(path, errno);
  }
}

/// The simulated ranks that stand for the ranks the user named.
std::vector<std::int64_t> traced_representatives(const RunOptions& options,
                                                 const Folding& folding) {
  std::vector<std::int64_t> ranks;
  for (const std::int64_t rank : options.trace_ranks) {
    const auto rank_class = folding.rank_class[static_cast<std::size_t>(rank)];
    ranks.push_back(folding.representative[static_cast<std::size_t>(rank_class)]);
  }
  return ranks;
}

void write_trace(const RunOptions& options, const Results& results) {
  TraceOptions trace;
  trace.ranks = traced_representatives(options, results.folding);
  trace.size_budget = options.trace_budget;
  const TraceResult written =
      write_chrome_trace(options.trace_file, results.graph, results.timeline, trace);
  if (written.bytes > options.trace_budget) {
    tell(fmt::format(
        "parsim: {} holds {} bytes, more than --trace-budget: the names of ranks and lanes alone\n"
        "hint: choose fewer --trace-ranks\n",
        options.trace_file, written.bytes));
  }
  if (written.tasks_left_out > 0) {
    tell(fmt::format(
        "parsim: {} holds {} bytes; the latest {} tasks were left out\nhint: raise --trace-budget "
        "or choose fewer --trace-ranks\n",
        options.trace_file, grouped(written.bytes), grouped(written.tasks_left_out)));
  }
}

std::string report_for_people(const RunOptions& options, const Results& results) {
  if (options.quiet) {
    if (!results.report.fits) {
      tell(fmt::format("parsim: does not fit in memory: needs {} of {}\n",
                       rounded_text(results.report.peak_memory),
                       rounded_text(results.report.device_memory)));
    }
    return fmt::format("{}\n", rounded_text(results.report.step_time));
  }
  const int width = options.width > 0 ? options.width : terminal_width();
  std::string text = text_report(results.report, width, use_colour(options.colour));
  const bool small = results.report.bubbles.size() <= kMostRowsDrawn;
  if (options.timeline || (small && !options.no_timeline)) {
    text += "\n" + text_timeline(results.graph, results.timeline, width);
  }
  return text;
}

}  // namespace

void check_file_outputs(const std::string& scenario,
                        const std::vector<std::pair<std::string, std::string>>& options) {
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const auto& [option, file] : options) {
    if (!file.empty()) {
      outputs.emplace_back(option, file);
    }
  }
  for (const auto& [option, file] : outputs) {
    if (same_file(file, scenario)) {
      throw UsageError(fmt::format("{} would overwrite the scenario {}", option, file));
    }
  }
  if (outputs.size() == 2 && same_file(outputs[0].second, outputs[1].second)) {
    throw UsageError(fmt::format("{} and {} name the same file {}", outputs[0].first,
                                 outputs[1].first, outputs[0].second));
  }
  for (const auto& [option, file] : outputs) {
    check_writable(file);
  }
}

void check_outputs(const RunOptions& options) {
  check_file_outputs(options.scenario.file,
                     {{"--trace", options.trace_file}, {"--json", options.json_file}});
}

void check_trace_ranks(const RunOptions& options, const Folding& folding) {
  const auto ranks = static_cast<std::int64_t>(folding.rank_class.size());
  for (const std::int64_t rank : options.trace_ranks) {
    if (rank >= ranks) {
      throw UsageError(
          fmt::format("--trace-ranks: rank {} does not exist\nhint: the ranks are 0 "
                      "to {}",
                      rank, ranks - 1));
    }
  }
}

void write_outputs(const RunOptions& options, const Results& results) {
  if (!options.trace_file.empty()) {
    write_trace(options, results);
  }
  if (options.json) {
    const std::string json = json_report(results.report, results.loaded.resolved_json);
    if (options.json_file.empty()) {
      print(json);
      return;
    }
    write_file_atomically(options.json_file, json);
  }
  print(report_for_people(options, results));
}

}  // namespace parsim
