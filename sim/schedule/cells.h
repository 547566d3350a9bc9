#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/schedule/action.h"

namespace parsim {

/// The actions of one cell: "0F1", "(0F1;3B0)OVERLAP_F_B" (two or more computations, all but the
/// last overlapping the next), "" (idle). Nothing when it is none of these.
[[nodiscard]] std::optional<std::vector<Action>> parse_cell(std::string_view text);

/// The cells of a rank's actions; an overlapped pair is one cell.
[[nodiscard]] std::vector<std::string> cell_texts(const std::vector<Action>& actions);

}  // namespace parsim
