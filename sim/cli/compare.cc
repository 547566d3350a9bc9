// parsim compare: one scenario with every schedule, each simulated in a process of its own.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/base/check.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include "sim/base/workers.h"
#include "sim/cli/commands.h"
#include "sim/cli/load.h"
#include "sim/cli/outputs.h"
#include "sim/cli/simulate.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"
#include "sim/cli/variants.h"
#include "sim/cli/version.h"
#include "sim/report/format.h"
#include "sim/report/schedule_svg.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

using Json = nlohmann::ordered_json;

/// Finer than any picture shows: bars shorter than this part of the step are joined.
constexpr double kPictureResolution = 1.0 / 20'000;

/// A schedule and what became of it.
struct Row {
  Variant variant;
  Json result;  ///< as simulated; null where there is a problem
  SchedulePicture picture;
};

std::vector<ScheduleName> names_to_compare(const std::vector<std::string>& words,
                                           const Scenario& scenario) {
  std::vector<ScheduleName> names;
  for (const ScheduleRule& rule : schedule_rules()) {
    const bool own = rule.name == scenario.schedule.name;
    const bool listed = std::find(words.begin(), words.end(), rule.spelling) != words.end();
    const bool all = std::find(words.begin(), words.end(), "all") != words.end() &&
                     (rule.name != ScheduleName::explicit_order || own);
    if (all || listed) {
      names.push_back(rule.name);
    }
  }
  return names;
}

Json bars_json(const TaskGraph& graph, const Timeline& timeline) {
  Json rows = Json::array();
  for (const RankLanes& rank : pipeline_representatives(lanes_by_rank(graph))) {
    Json row = Json::array();
    for (const Bar& bar :
         joined(bars_of(graph, timeline, rank), timeline.makespan * kPictureResolution)) {
      row.push_back(
          {static_cast<int>(bar.kind), bar.micro_batch, bar.start.value(), bar.end.value()});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::vector<Bar>> bars_of_json(const Json& rows) {
  std::vector<std::vector<Bar>> result;
  for (const Json& row : rows) {
    result.emplace_back();
    for (const Json& bar : row) {
      result.back().push_back({static_cast<BarKind>(bar[0].get<int>()), bar[1].get<std::int32_t>(),
                               Seconds{bar[2].get<double>()}, Seconds{bar[3].get<double>()}});
    }
  }
  return result;
}

/// What a child process sends back.
std::string simulate_variant(const Variant& variant, EngineName engine) {
  const Simulation s = simulate(variant.scenario, engine);
  const Report& report = s.report;
  std::int64_t in_flight = 0;
  for (const RankOrder& order : report.orders) {
    in_flight = std::max(in_flight, order.peak_in_flight);
  }
  Bytes activations{0.0};
  for (const StageMemory& memory : report.memory) {
    activations = max(activations, memory.activations);
  }
  const Json figures = {{"step_time_s", report.step_time.value()},
                        {"bubble_fraction", report.bubble_fraction},
                        {"longest_span_s", report.longest_span.value()},
                        {"peak_in_flight", in_flight},
                        {"peak_activation_bytes", activations.value()},
                        {"peak_memory_bytes", report.peak_memory.value()},
                        {"fits", report.fits},
                        {"messages", report.messages}};
  return Json{{"figures", figures}, {"rows", bars_json(s.graph, s.timeline)}}.dump();
}

JobOptions progress(std::size_t count) {
  JobOptions options;
  if (isatty(STDERR_FILENO) == 1) {
    options.finished = [count](std::size_t done) {
      tell(done < count ? fmt::format("\r{} of {} schedules", done, count)
                        : std::string("\r\x1b[K"));
    };
  }
  return options;
}

std::vector<Row> simulate_all(std::vector<Variant> variants, EngineName engine) {
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].problem.empty()) {
      possible.push_back(i);
    }
  }
  const auto results = run_jobs(
      possible.size(),
      [&](std::size_t job) { return simulate_variant(variants[possible[job]], engine); },
      progress(possible.size()));
  std::vector<Row> rows;
  for (Variant& variant : variants) {
    rows.push_back({std::move(variant), nullptr, {}});
  }
  for (std::size_t job = 0; job < possible.size(); ++job) {
    Row& row = rows[possible[job]];
    if (results[job].bug) {
      throw BugError(fmt::format("{}: {}", rule_of(row.variant.name).spelling, results[job].error));
    }
    if (!results[job].error.empty()) {
      row.variant.problem = results[job].error.substr(0, results[job].error.find('\n'));
      continue;
    }
    const Json result = Json::parse(results[job].output);
    row.result = result["figures"];
    row.picture.rows = bars_of_json(result["rows"]);
    row.picture.makespan = Seconds{row.result["step_time_s"].get<double>()};
  }
  // The fastest first, then what cannot run, as listed.
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.result.is_null() || b.result.is_null()) {
      return !a.result.is_null() && b.result.is_null();
    }
    return a.result["step_time_s"] < b.result["step_time_s"];
  });
  return rows;
}

std::string title_of(const Row& row) {
  std::string title(rule_of(row.variant.name).spelling);
  return row.variant.changes.empty()
             ? title
             : fmt::format("{} ({})", title, join(row.variant.changes, ", "));
}

double own_step(const std::vector<Row>& rows, ScheduleName own) {
  for (const Row& row : rows) {
    if (row.variant.name == own && !row.result.is_null()) {
      return row.result["step_time_s"].get<double>();
    }
  }
  return 0.0;
}

std::string difference(double step, double own) {
  if (own <= 0.0) {
    return "";
  }
  const double percent = 100.0 * (step / own - 1.0);
  return std::abs(percent) < 0.05 ? "=" : fmt::format("{:+.1f} %", percent);
}

std::string table_text(const std::vector<Row>& rows, ScheduleName own) {
  const double reference = own_step(rows, own);
  Table table;
  table.columns = {{"schedule"},
                   {"step time", true},
                   {fmt::format("to {}", rule_of(own).spelling), true},
                   {"bubble", true},
                   {"in flight", true},
                   {"activations", true},
                   {"memory", true},
                   {"fits"},
                   {"messages", true}};
  for (const Row& row : rows) {
    if (row.result.is_null()) {
      continue;
    }
    const Json& r = row.result;
    table.rows.push_back({title_of(row), time_text(Seconds{r["step_time_s"].get<double>()}),
                          difference(r["step_time_s"].get<double>(), reference),
                          percent_text(r["bubble_fraction"].get<double>()),
                          count_text(r["peak_in_flight"].get<std::int64_t>()),
                          bytes_text(Bytes{r["peak_activation_bytes"].get<double>()}),
                          bytes_text(Bytes{r["peak_memory_bytes"].get<double>()}),
                          r["fits"].get<bool>() ? "yes" : "no",
                          count_text(r["messages"].get<std::int64_t>())});
  }
  std::string text = !table.rows.empty() ? to_text(table) : std::string();
  for (const Row& row : rows) {
    if (row.result.is_null()) {
      text += fmt::format("{}: not possible: {}\n", title_of(row), row.variant.problem);
    }
  }
  return text;
}

std::vector<SchedulePicture> pictures_of(const std::vector<Row>& rows) {
  std::vector<SchedulePicture> pictures;
  for (const Row& row : rows) {
    if (row.result.is_null()) {
      continue;
    }
    pictures.push_back(row.picture);
    pictures.back().title = title_of(row);
    pictures.back().subtitle =
        fmt::format("{}, bubble {}", time_text(row.picture.makespan),
                    percent_text(row.result["bubble_fraction"].get<double>()));
  }
  return pictures;
}

std::string json_text(const std::vector<Row>& rows, const LoadedScenario& loaded,
                      EngineName engine) {
  Json schedules = Json::array();
  for (const Row& row : rows) {
    const ScheduleSpec& spec = row.variant.scenario.schedule;
    Json entry = {{"schedule", rule_of(row.variant.name).spelling},
                  {"chunks", spec.chunks},
                  {"slices", spec.slices}};
    if (spec.group) {
      entry["group"] = *spec.group;
    }
    if (row.result.is_null()) {
      entry["problem"] = row.variant.problem;
    } else {
      entry.update(row.result);
    }
    schedules.push_back(std::move(entry));
  }
  Json json = {{"schema_version", 1},          {"scenario", loaded.scenario.name},
               {"scenario_hash", loaded.hash}, {"engine", name_of(engine)},
               {"schedules", schedules},       {"versions", versions()}};
  return json.dump(2) + "\n";
}

}  // namespace

int run_command(const CompareOptions& options) {
  check_file_outputs(options.scenario.file,
                     {{"--svg", options.svg_file}, {"--json", options.json_file}});
  const LoadedScenario loaded = load(options.scenario);
  const std::vector<Row> rows = simulate_all(
      schedule_variants(loaded.scenario, names_to_compare(options.schedules, loaded.scenario)),
      options.engine);
  if (!options.svg_file.empty()) {
    write_file_atomically(options.svg_file, schedule_svg(pictures_of(rows)));
  }
  if (options.json) {
    const std::string json = json_text(rows, loaded, options.engine);
    if (options.json_file.empty()) {
      print(json);
      return 0;
    }
    write_file_atomically(options.json_file, json);
  }
  std::string text = table_text(rows, loaded.scenario.schedule.name);
  const auto pictures = pictures_of(rows);
  if (options.pictures && !pictures.empty()) {
    text += "\n" + schedule_text(pictures, options.width > 0 ? options.width : terminal_width());
  }
  print(text);
  return 0;
}

}  // namespace parsim
