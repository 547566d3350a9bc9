#include "sim/cli/argument_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <variant>

#include "sim/base/text.h"
#include "sim/base/unit_text.h"
#include "sim/cli/usage_error.h"

namespace parsim {

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < least ||
      value > most) {
    const bool open = most == std::numeric_limits<std::int64_t>::max();
    throw UsageError(fmt::format("{}: {} is not a whole number from {} {}", option,
                                 quoted_short(text), least,
                                 open ? "on" : fmt::format("to {}", most)));
  }
  return value;
}

std::vector<std::int64_t> rank_list(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMostRanks = 100'000;
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> ranks;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const std::int64_t first = whole_number(option, part.substr(0, dash), 0, kHighest);
    const std::int64_t last = dash == std::string::npos
                                  ? first
                                  : whole_number(option, part.substr(dash + 1), 0, kHighest);
    if (last < first) {
      throw UsageError(fmt::format("{}: {} runs backwards", option, quoted_short(part)));
    }
    if (last - first >= kMostRanks - static_cast<std::int64_t>(ranks.size())) {
      throw UsageError(fmt::format("{}: more than {} ranks", option, grouped(kMostRanks)));
    }
    for (std::int64_t rank = first; rank <= last; ++rank) {
      ranks.push_back(rank);
    }
    begin = end + 1;
  }
  return ranks;
}

std::int64_t byte_count(const std::string& option, const std::string& text) {
  constexpr double kMostBytes = 1e18;
  const auto parsed = parse_quantity(text, UnitKind::size);
  if (const auto* mistake = std::get_if<UnitMistake>(&parsed)) {
    throw UsageError(fmt::format("{}: {}\nhint: {}", option, mistake->message, mistake->hint));
  }
  const double bytes = std::get<double>(parsed);
  if (!(bytes >= 1.0) || bytes > kMostBytes) {
    throw UsageError(fmt::format("{}: {} is not from 1 B to 1 EB", option, quoted_short(text)));
  }
  return static_cast<std::int64_t>(bytes);
}

void check_override(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("{}: {} is not path=value\nhint: write {} parallel.tensor=8",
                                 option, quoted_short(text), option));
  }
}

}  // namespace parsim
