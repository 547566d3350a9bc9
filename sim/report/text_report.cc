#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/report/format.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

namespace parsim {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kLowestWidth = 60;
constexpr std::size_t kBarColumns = 20;
constexpr std::size_t kLinksShown = 5;
constexpr std::size_t kStepsShown = 8;
constexpr std::size_t kStagesShown = 16;

std::string bar(double fraction) {
  const auto filled =
      static_cast<std::size_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * kBarColumns));
  return std::string(filled, '#') + std::string(kBarColumns - filled, '.');
}

double share(Seconds part, Seconds whole) {
  return Seconds{0.0} < whole ? part / whole : 0.0;
}

std::string device_text(const Throughput& t) {
  if (!(0.0 < t.tflops_per_device)) {
    return "the model states no FLOPs";
  }
  std::string text = fmt::format("{:.1f} TFLOP/s", t.tflops_per_device);
  text += t.mfu ? ", MFU " + percent_text(*t.mfu) : ", MFU unknown (no peak)";
  text += t.hfu ? ", HFU " + percent_text(*t.hfu) : "";
  return text;
}

/// "gemm 61.0 %, norm 3.1 %" of the step.
std::string shares_text(const std::vector<ClassTime>& times, Seconds whole) {
  std::string text;
  for (const ClassTime& entry : times) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.name,
                        percent_text(share(entry.time, whole)));
  }
  return text;
}

/// A name as a terminal may show it: control characters replaced.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    c = byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return text;
}

void write_headline(Page& page, const Report& report) {
  page.coloured(clip(printable(report.scenario), page.width()), "1");
  Rows rows = {{"step time", time_text(report.step_time)}};
  if (report.low && report.high) {
    rows.back().back() +=
        fmt::format("  ({} to {})", time_text(*report.low), time_text(*report.high));
  }
  const Throughput& t = report.throughput;
  std::string rate = rate_text(t.samples_per_s, "samples/s");
  if (t.tokens_per_s) {
    rate = rate_text(*t.tokens_per_s, "tokens/s") + ", " + rate;
  }
  rows.push_back({"throughput", rate});
  rows.push_back({"per device", device_text(t)});
  rows.push_back({"bubble", percent_text(report.bubble_fraction) + " of the step, mean of stages"});
  rows.push_back(
      {"memory", fmt::format("peak {} of {}{}", bytes_text(report.peak_memory),
                             bytes_text(report.device_memory), report.fits ? ", fits" : "")});
  rows.push_back({"simulated",
                  fmt::format("{} tasks, {} of {} ranks ({})", count_text(report.simulation.tasks),
                              count_text(report.simulation.ranks_simulated),
                              count_text(report.simulation.ranks), report.engine)});
  page.table(rows, 2);
  if (!report.bound_by.empty()) {
    page.paragraph("  bound by    ", shares_text(report.bound_by, report.step_time));
  }
  if (!report.fits) {
    page.coloured(fmt::format("  does not fit: {} too much",
                              bytes_text(report.peak_memory - report.device_memory)),
                  "31");
  }
}

void write_breakdown(Page& page, const Report& report) {
  const Breakdown& b = report.breakdown;
  const std::array<std::pair<const char*, Seconds>, 8> parts = {
      {{"compute", b.compute},
       {"exposed tensor communication", b.exposed_tensor},
       {"exposed data communication", b.exposed_data},
       {"exposed pipeline communication", b.exposed_pipeline},
       {"exposed other communication", b.exposed_other},
       {"bubble", b.bubble},
       {"optimizer", b.optimizer},
       {"other", b.other}}};
  page.heading(fmt::format("Step of rank {}, which finishes last", b.rank));
  Rows rows;
  for (const auto& [name, time] : parts) {
    if (Seconds{0.0} < time) {
      const double fraction = share(time, report.step_time);
      std::vector<std::string> row = {name, time_text(time), percent_text(fraction)};
      if (page.width() >= 75) {
        row.push_back(bar(fraction));
      }
      rows.push_back(row);
    }
  }
  page.table(rows, 1);
  std::vector<ClassTime> classes = report.time_by_class;
  std::erase_if(classes, [](const ClassTime& entry) { return entry.name.starts_with("exposed"); });
  if (classes.size() > 1) {
    page.paragraph("  by operator: ", shares_text(classes, report.step_time));
  }
}

void write_stages(Page& page, const Report& report) {
  page.heading("Bubble by pipeline rank");
  Rows rows = {{"rank", "idle", "of step", "warm-up", "steady", "cool-down"}};
  for (std::size_t i = 0; i < std::min(report.bubbles.size(), kStagesShown); ++i) {
    const StageBubble& s = report.bubbles[i];
    rows.push_back({std::to_string(s.stage), time_text(s.idle), percent_text(s.fraction),
                    time_text(s.warmup), time_text(s.steady), time_text(s.cooldown)});
  }
  page.table(rows, 1);
  if (report.bubbles.size() > kStagesShown) {
    page.line(fmt::format("  {} more ranks in the JSON", report.bubbles.size() - kStagesShown));
  }
}

void write_orders(Page& page, const Report& report) {
  if (report.orders.size() < 2) {
    return;
  }
  page.heading("Order by pipeline rank");
  Rows rows = {{"rank", "span", "for data", "for a turn", "finished", "in flight"}};
  for (std::size_t i = 0; i < std::min(report.orders.size(), kStagesShown); ++i) {
    const RankOrder& o = report.orders[i];
    rows.push_back({std::to_string(o.rank), time_text(o.end - o.start), time_text(o.waiting_data),
                    time_text(o.waiting_turn), time_text(o.finished),
                    count_text(o.peak_in_flight)});
  }
  page.table(rows, 1);
  if (report.orders.size() > kStagesShown) {
    page.line(fmt::format("  {} more ranks in the JSON", report.orders.size() - kStagesShown));
  }
}

void write_memory(Page& page, const Report& report) {
  page.heading("Memory by pipeline rank");
  Rows rows = {{"rank", "peak", "weights", "grads", "optim.", "activ."}};
  for (std::size_t i = 0; i < std::min(report.memory.size(), kStagesShown); ++i) {
    const StageMemory& s = report.memory[i];
    rows.push_back({std::to_string(s.stage), bytes_text(s.peak), bytes_text(s.weights),
                    bytes_text(s.gradients), bytes_text(s.optimizer), bytes_text(s.activations)});
  }
  page.table(rows, 1);
  if (report.memory.size() > kStagesShown) {
    page.line(fmt::format("  {} more ranks in the JSON", report.memory.size() - kStagesShown));
  }
}

void write_links(Page& page, const Report& report) {
  if (report.links.empty()) {
    return;
  }
  page.heading("Busiest links");
  Rows rows = {{"link", "class", "used", "carried", "alike"}};
  for (std::size_t i = 0; i < std::min(report.links.size(), kLinksShown); ++i) {
    const LinkUse& link = report.links[i];
    rows.push_back({clip(link.name, page.width() / 3), link.link_class,
                    percent_text(link.utilisation), bytes_text(link.bytes),
                    "x" + count_text(link.multiplicity)});
  }
  page.table(rows, 2);
}

/// Time on the critical path by what is done, longest first.
std::vector<ClassTime> critical_kinds(const Report& report) {
  std::map<std::string, Seconds> times;
  for (const CriticalStep& step : report.critical_path) {
    times[step.kind] += step.end - step.start;
  }
  std::vector<ClassTime> kinds;
  for (const auto& [name, time] : times) {
    kinds.push_back({name, time});
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const ClassTime& a, const ClassTime& b) { return b.time < a.time; });
  return kinds;
}

/// What the path consists of, then its longest steps in time order.
void write_critical_path(Page& page, const Report& report) {
  std::vector<const CriticalStep*> steps;
  for (const CriticalStep& step : report.critical_path) {
    steps.push_back(&step);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const CriticalStep* a, const CriticalStep* b) {
    return b->end - b->start < a->end - a->start;
  });
  steps.resize(std::min(steps.size(), kStepsShown));
  std::stable_sort(steps.begin(), steps.end(), [](const CriticalStep* a, const CriticalStep* b) {
    return a->start < b->start;
  });
  page.heading(fmt::format("Critical path: the {} longest of its {} steps", steps.size(),
                           report.critical_path.size()));
  page.paragraph("  ", shares_text(critical_kinds(report), report.step_time));
  for (const CriticalStep* step : steps) {
    page.paragraph(fmt::format("  at {:>9}  {:>9}  ", time_text(step->start),
                               time_text(step->end - step->start)),
                   step->task);
    page.paragraph(std::string(27, ' '), step->why);
  }
}

}  // namespace

std::string text_report(const Report& report, int width, bool colour) {
  Page page(std::max(kLowestWidth, static_cast<std::size_t>(std::max(width, 0))), colour);
  write_headline(page, report);
  write_breakdown(page, report);
  write_stages(page, report);
  write_orders(page, report);
  write_memory(page, report);
  write_links(page, report);
  write_critical_path(page, report);
  page.heading("Assumptions");
  for (const std::string& assumption : report.assumptions) {
    page.paragraph("  - ", assumption);
  }
  return page.text();
}

}  // namespace parsim
