#include "sim/schedule/action.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace parsim {

namespace {

/// Indexed by ActionKind.
constexpr std::array<std::string_view, 12> kLetters = {
    "F",      "B",      "I",       "W",       "SEND_F",      "RECV_F",
    "SEND_B", "RECV_B", "UNSHARD", "RESHARD", "REDUCE_GRAD", ""};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// All of `digits` as a number below 2^31; `digits` holds nothing but digits.
bool read_number(std::string_view digits, std::int32_t& number) {
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc{} && stop == end;
}

}  // namespace

std::string_view letters_of(ActionKind kind) {
  return kLetters[static_cast<std::size_t>(kind)];
}

std::string to_text(const Action& action) {
  if (action.kind == ActionKind::idle) {
    return "";
  }
  const std::string text = fmt::format("{}{}", action.stage, letters_of(action.kind));
  return has_micro_batch(action.kind) ? fmt::format("{}{}", text, action.micro_batch) : text;
}

std::optional<Action> parse_action(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_digit(text[begin])) {
    ++begin;
  }
  std::size_t end = text.size();
  while (end > begin && is_digit(text[end - 1])) {
    --end;
  }
  const std::string_view letters = text.substr(begin, end - begin);
  Action action;
  for (std::size_t k = 0; k + 1 < kLetters.size(); ++k) {
    if (kLetters[k] != letters) {
      continue;
    }
    action.kind = static_cast<ActionKind>(k);
    if (!read_number(text.substr(0, begin), action.stage)) {
      return std::nullopt;
    }
    if (!has_micro_batch(action.kind)) {
      action.micro_batch = kNoMicroBatch;
      return end == text.size() ? std::optional(action) : std::nullopt;
    }
    return read_number(text.substr(end), action.micro_batch) ? std::optional(action) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace parsim
