#pragma once

#include <string>
#include <vector>

#include "sim/report/bars.h"

namespace parsim {

/// One schedule as it ran: a row of bars for each pipeline rank.
struct SchedulePicture {
  std::string title;     ///< "zb-h1"
  std::string subtitle;  ///< "24.4 s, bubble 8.6 %"
  std::vector<std::vector<Bar>> rows;
  Seconds makespan{0.0};
};

/// The pictures one below the other on one time axis, as an SVG document. Colours are those of
/// Okabe and Ito, which colour-blind readers can tell apart; bars with room carry their
/// micro-batch. What is narrower than a tenth of a pixel is joined with its neighbours.
[[nodiscard]] std::string schedule_svg(const std::vector<SchedulePicture>& pictures);

/// The same for a terminal of `width` columns, with a legend.
[[nodiscard]] std::string schedule_text(const std::vector<SchedulePicture>& pictures, int width);

}  // namespace parsim
