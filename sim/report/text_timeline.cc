#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/bars.h"
#include "sim/report/format.h"
#include "sim/report/report.h"

namespace parsim {

namespace {

constexpr std::size_t kLowestWidth = 40;
constexpr std::size_t kTickColumns = 16;

struct Picture {
  std::vector<RankLanes> ranks;
  std::vector<std::vector<Bar>> rows;  ///< per rank
  Seconds makespan{0.0};
  std::size_t name_columns = 0;
  std::size_t cell_columns = 0;  ///< of one slot, the space before it included
  bool backward = false;
  bool weight_gradient = false;
  bool optimizer = false;
};

std::string row_name(const RankLanes& rank) {
  return fmt::format("stage {}", rank.pipeline_rank);
}

Picture collect(const TaskGraph& graph, const Timeline& timeline) {
  Picture picture;
  picture.ranks = pipeline_representatives(lanes_by_rank(graph));
  picture.makespan = timeline.makespan;
  std::int32_t highest = 0;
  for (const RankLanes& rank : picture.ranks) {
    picture.rows.push_back(bars_of(graph, timeline, rank));
    picture.name_columns = std::max(picture.name_columns, columns(row_name(rank)));
    for (const Bar& bar : picture.rows.back()) {
      highest = std::max(highest, bar.micro_batch);
      picture.backward = picture.backward || bar.kind == BarKind::backward;
      picture.weight_gradient = picture.weight_gradient || bar.kind == BarKind::weight_gradient;
      picture.optimizer = picture.optimizer || bar.kind == BarKind::optimizer;
    }
  }
  picture.cell_columns = 1 + std::to_string(highest).size() + (picture.backward ? 1 : 0);
  return picture;
}

/// One column group a slot: exact.
std::string draw_slots(const Picture& picture, Seconds slot, std::size_t cell_columns) {
  const auto slots = static_cast<std::size_t>(std::llround(picture.makespan / slot));
  std::string text = pad_right("slot", picture.name_columns) + " ";
  for (std::size_t s = 1; s <= slots; ++s) {
    text += pad_left(fmt::format("T{}", s), cell_columns);
  }
  for (std::size_t r = 0; r < picture.rows.size(); ++r) {
    std::vector<std::string> cells(slots, ".");
    for (const Bar& bar : picture.rows[r]) {
      const auto first = static_cast<std::size_t>(std::llround(bar.start / slot));
      const auto last = static_cast<std::size_t>(std::llround(bar.end / slot));
      std::fill(cells.begin() + static_cast<std::ptrdiff_t>(first),
                cells.begin() + static_cast<std::ptrdiff_t>(last), bar_text(bar));
    }
    text += "\n" + pad_right(row_name(picture.ranks[r]), picture.name_columns) + " ";
    for (const std::string& cell : cells) {
      text += pad_left(cell, cell_columns);
    }
  }
  return text + fmt::format("\none slot is {}\n", time_text(slot));
}

std::string draw_samples(const Picture& picture, std::size_t width) {
  const std::size_t count = width - picture.name_columns - 1;
  const Seconds column = picture.makespan / static_cast<double>(count);
  std::string axis;
  for (std::size_t c = 0; c + kTickColumns <= count; c += kTickColumns) {
    axis += pad_right(clip("|" + time_text(column * static_cast<double>(c)), kTickColumns - 1),
                      kTickColumns);
  }
  axis.erase(axis.find_last_not_of(' ') + 1);
  std::string text = pad_right("time", picture.name_columns) + " " + axis;
  for (std::size_t r = 0; r < picture.rows.size(); ++r) {
    text += "\n" + pad_right(row_name(picture.ranks[r]), picture.name_columns) + " " +
            sampled_row(picture.rows[r], column, count);
  }
  return text + fmt::format("\none column is {}; - forward", time_text(column)) +
         (picture.backward ? ", = backward, x both" : "") +
         (picture.weight_gradient ? ", w weight gradient" : "") + "\n";
}

std::string legend(const Picture& picture) {
  std::string text = "number: micro-batch";
  text += picture.backward ? ", b: its backward" : "";
  text += picture.weight_gradient ? ", w: its weight gradient" : "";
  text += picture.optimizer ? ", o: optimizer" : "";
  return text + ", .: idle\nnumbers that do not fit are left out\n";
}

}  // namespace

std::string text_timeline(const TaskGraph& graph, const Timeline& timeline, int width) {
  const std::size_t fitted = std::max(kLowestWidth, static_cast<std::size_t>(std::max(width, 0)));
  const Picture picture = collect(graph, timeline);
  if (!(Seconds{0.0} < picture.makespan)) {
    return "nothing takes time\n";
  }
  const std::size_t room = fitted - picture.name_columns - 1;
  for (const std::size_t header : {2U, 3U, 4U}) {  // "T9", "T99", "T999"
    const std::size_t cell = std::max(picture.cell_columns, std::size_t{1} + header);
    const auto most = std::min(static_cast<std::int64_t>(room / cell),
                               static_cast<std::int64_t>(std::pow(10.0, header - 1)) - 1);
    const Seconds slot = common_slot(picture.rows, picture.makespan, most);
    if (Seconds{0.0} < slot) {
      return draw_slots(picture, slot, cell) + legend(picture);
    }
  }
  return draw_samples(picture, fitted) + legend(picture);
}

}  // namespace parsim
