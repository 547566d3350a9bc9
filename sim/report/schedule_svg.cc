#include "sim/report/schedule_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/report/format.h"

namespace parsim {

namespace {

constexpr double kWidth = 1000.0;  ///< of the time axis, in pixels
constexpr double kLeft = 64.0;
constexpr double kRight = 16.0;
constexpr double kRow = 14.0;
constexpr double kGap = 2.0;
constexpr double kTitle = 22.0;
constexpr double kBetween = 14.0;
constexpr double kLegend = 26.0;
constexpr double kLabelWidth = 5.5;  ///< of a digit at font size 9
constexpr int kMostRows = 16;

/// Indexed by BarKind.
constexpr std::array<std::string_view, kBarKinds> kClasses = {"f", "b", "w", "o"};
constexpr std::array<std::string_view, kBarKinds> kNames = {"forward", "backward",
                                                            "weight gradient", "optimizer"};

constexpr std::string_view kStyle =
    "text{font:9px sans-serif;fill:#222}"
    ".t{font-size:12px;font-weight:bold}.s{font-size:10px;fill:#555}"
    ".r{fill:#f0f0f0}.f{fill:#56b4e9}.b{fill:#e69f00}.w{fill:#009e73}.o{fill:#999}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.r{fill:#333}"
    ".n{fill:#111}}.n{text-anchor:middle}";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

std::size_t rows_shown(const SchedulePicture& picture) {
  return std::min<std::size_t>(picture.rows.size(), kMostRows);
}

double height_of(const SchedulePicture& picture) {
  const bool more = rows_shown(picture) < picture.rows.size();
  return kTitle + static_cast<double>(rows_shown(picture)) * (kRow + kGap) + (more ? kRow : 0.0);
}

/// A row's bars, one path a kind, and the labels that fit; in the row's own coordinates.
void draw_bars(std::string& svg, const std::vector<Bar>& bars, Seconds axis) {
  std::array<std::string, kBarKinds> paths;
  std::string labels;
  for (const Bar& bar : bars) {
    const double x = bar.start / axis * kWidth;
    const double width = (bar.end - bar.start) / axis * kWidth;
    paths[static_cast<std::size_t>(bar.kind)] +=
        fmt::format("M{0:.1f} 0h{1:.1f}v{2:.0f}h-{1:.1f}z", x, width, kRow);
    const std::string label = bar.micro_batch == kNone ? "" : std::to_string(bar.micro_batch);
    if (!label.empty() && static_cast<double>(label.size()) * kLabelWidth + 2.0 < width) {
      labels += fmt::format("<text class=\"n\" x=\"{:.1f}\" y=\"{:.0f}\">{}</text>", x + width / 2,
                            kRow - 4.0, label);
    }
  }
  for (std::size_t kind = 0; kind < kBarKinds; ++kind) {
    if (!paths[kind].empty()) {
      svg += fmt::format("<path class=\"{}\" d=\"{}\"/>", kClasses[kind], paths[kind]);
    }
  }
  svg += labels;
}

void draw_picture(std::string& svg, const SchedulePicture& picture, Seconds axis, double y) {
  svg += fmt::format(
      "<text class=\"t\" x=\"0\" y=\"{0:.1f}\">{1}</text><text class=\"s\" x=\"{2:.0f}\" "
      "y=\"{0:.1f}\">{3}</text>\n",
      y + 13.0, escaped(picture.title), kLeft + 150.0, escaped(picture.subtitle));
  y += kTitle;
  for (std::size_t r = 0; r < rows_shown(picture); ++r) {
    svg += fmt::format(
        "<text x=\"0\" y=\"{:.1f}\">rank {}</text><g transform=\"translate({:.0f} {:.1f})\">"
        "<rect class=\"r\" width=\"{:.2f}\" height=\"{:.0f}\"/>",
        y + kRow - 4.0, r, kLeft, y, picture.makespan / axis * kWidth, kRow);
    draw_bars(svg, joined(picture.rows[r], axis / (10.0 * kWidth)), axis);
    svg += "</g>\n";
    y += kRow + kGap;
  }
  if (rows_shown(picture) < picture.rows.size()) {
    svg += fmt::format("<text x=\"0\" y=\"{:.1f}\">{} more ranks</text>\n", y + kRow - 4.0,
                       picture.rows.size() - rows_shown(picture));
  }
}

Seconds longest(const std::vector<SchedulePicture>& pictures) {
  Seconds axis{0.0};
  for (const SchedulePicture& picture : pictures) {
    axis = max(axis, picture.makespan);
  }
  return axis;
}

}  // namespace

std::string schedule_svg(const std::vector<SchedulePicture>& pictures) {
  const Seconds axis = longest(pictures);
  double height = kLegend;
  for (const SchedulePicture& picture : pictures) {
    height += height_of(picture) + kBetween;
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>pipeline schedules</title>\n<style>{2}</style>\n",
      kLeft + kWidth + kRight, height, kStyle);
  for (std::size_t kind = 0; kind < kBarKinds; ++kind) {
    const double x = kLeft + 120.0 * static_cast<double>(kind);
    svg += fmt::format(
        "<rect class=\"{}\" x=\"{:.0f}\" y=\"4\" width=\"14\" height=\"10\"/><text x=\"{:.0f}\" "
        "y=\"13\">{}</text>\n",
        kClasses[kind], x, x + 18.0, kNames[kind]);
  }
  double y = kLegend;
  for (const SchedulePicture& picture : pictures) {
    if (Seconds{0.0} < axis) {
      draw_picture(svg, picture, axis, y);
    }
    y += height_of(picture) + kBetween;
  }
  return svg + "</svg>\n";
}

std::string schedule_text(const std::vector<SchedulePicture>& pictures, int width) {
  constexpr std::size_t kNameColumns = 8;
  const Seconds axis = longest(pictures);
  if (!(Seconds{0.0} < axis)) {
    return "nothing takes time\n";
  }
  const std::size_t count = static_cast<std::size_t>(width) - kNameColumns;
  const Seconds column = axis / static_cast<double>(count);
  std::string text;
  for (const SchedulePicture& picture : pictures) {
    text += fmt::format("{}  {}\n", picture.title, picture.subtitle);
    // What lies behind the end of this schedule is blank, not idle.
    const auto shown =
        std::min(count, static_cast<std::size_t>(picture.makespan / column + 1.0 - 1e-9));
    for (std::size_t r = 0; r < rows_shown(picture); ++r) {
      text += pad_right(fmt::format("rank {}", r), kNameColumns) +
              sampled_row(picture.rows[r], column, shown) + "\n";
    }
    if (rows_shown(picture) < picture.rows.size()) {
      text += fmt::format("{} more ranks\n", picture.rows.size() - rows_shown(picture));
    }
    text += "\n";
  }
  return text + fmt::format(
                    "one column is {}; - forward, = backward, w weight gradient, x forward and "
                    "backward,\no optimizer, . idle; number: micro-batch\n",
                    time_text(column));
}

}  // namespace parsim
