#include <fmt/format.h>

#include <charconv>

#include "sim/schedule/schedule.h"

namespace parsim {

bool parse_action(const std::string& text, Action& action) {
  const std::size_t letter = text.find_first_of("FB");
  if (letter == std::string::npos) {
    return false;
  }
  const char* begin = text.data();
  const char* end = begin + text.size();
  Action result;
  result.kind = text[letter] == 'F' ? ActionKind::forward : ActionKind::backward;
  const auto stage = std::from_chars(begin, begin + letter, result.stage);
  const auto micro_batch = std::from_chars(begin + letter + 1, end, result.micro_batch);
  const bool whole = stage.ec == std::errc{} && stage.ptr == begin + letter &&
                     micro_batch.ec == std::errc{} && micro_batch.ptr == end;
  if (!whole || result.stage < 0 || result.micro_batch < 0) {
    return false;
  }
  action = result;
  return true;
}

std::string to_text(const Action& action) {
  return fmt::format("{}{}{}", action.stage, action.kind == ActionKind::forward ? 'F' : 'B',
                     action.micro_batch);
}

}  // namespace parsim
