#include "sim/schedule/cells.h"

namespace parsim {

namespace {

constexpr std::string_view kPairEnd = ")OVERLAP_F_B";

}  // namespace

std::optional<std::vector<Action>> parse_cell(std::string_view text) {
  if (text.empty()) {
    return std::vector<Action>{{ActionKind::idle, 0, kNoMicroBatch}};
  }
  const bool pair = text.front() == '(' && text.ends_with(kPairEnd);
  if (!pair) {
    const auto action = parse_action(text);
    return action ? std::optional(std::vector{*action}) : std::nullopt;
  }
  std::vector<Action> parts;
  std::string_view rest = text.substr(1, text.size() - 1 - kPairEnd.size());
  while (true) {
    const std::size_t end = rest.find(';');
    const auto part = parse_action(rest.substr(0, end));
    if (!part || !is_compute(part->kind)) {
      return std::nullopt;
    }
    parts.push_back(*part);
    if (end == std::string_view::npos) {
      break;
    }
    parts.back().overlaps_next = true;
    rest.remove_prefix(end + 1);
  }
  return parts.size() > 1 ? std::optional(parts) : std::nullopt;
}

std::vector<std::string> cell_texts(const std::vector<Action>& actions) {
  std::vector<std::string> cells;
  bool inside = false;
  for (const Action& action : actions) {
    if (!inside) {
      cells.emplace_back(action.overlaps_next ? "(" : "");
    }
    cells.back() += to_text(action);
    if (action.overlaps_next) {
      cells.back() += ';';
    } else if (inside) {
      cells.back() += kPairEnd;
    }
    inside = action.overlaps_next;
  }
  return cells;
}

}  // namespace parsim
