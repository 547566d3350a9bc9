#pragma once

#include <string>
#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// Each rank's actions as PyTorch writes them, "0F0,(0F1;3B0)OVERLAP_F_B".
inline std::vector<std::string> schedule_rows(const Schedule& schedule) {
  std::vector<std::string> result;
  for (const auto& actions : schedule.ranks) {
    std::string row;
    bool inside = false;
    for (const Action& action : actions) {
      row += inside ? ";" : row.empty() ? "" : ",";
      row += action.overlaps_next && !inside ? "(" : "";
      row += to_text(action);
      row += inside && !action.overlaps_next ? ")OVERLAP_F_B" : "";
      inside = action.overlaps_next;
    }
    result.push_back(row);
  }
  return result;
}

}  // namespace parsim
