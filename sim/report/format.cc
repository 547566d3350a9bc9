#include "sim/report/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace parsim {

namespace {

/// Four significant digits without an exponent for 1 <= value < 10,000: "1.234", "123.4", "1234".
std::string four_digits(double value) {
  // The digits before the point after rounding, so that 9.9999 becomes 10.00 and not 10.000.
  int decimals = 3;
  double limit = 9.9995;
  while (decimals > 0 && std::abs(value) >= limit) {
    --decimals;
    limit *= 10.0;
  }
  return fmt::format("{:.{}f}", value, decimals);
}

struct Prefix {
  double factor;
  std::string_view name;
};

/// `prefixes` from largest to smallest; what lies below the smallest is printed in it.
template <std::size_t N>
std::string scaled(double value, const std::array<Prefix, N>& prefixes, std::string_view unit) {
  if (value == 0.0) {
    return fmt::format("0 {}", unit);
  }
  const Prefix* chosen = &prefixes.back();
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) >= prefix.factor * 0.99995) {
      chosen = &prefix;
      break;
    }
  }
  return fmt::format("{} {}{}", four_digits(value / chosen->factor), chosen->name, unit);
}

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::string time_text(Seconds time) {
  static constexpr std::array<Prefix, 4> kPrefixes = {
      {{1.0, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}}};
  return scaled(time.value(), kPrefixes, "s");
}

std::string bytes_text(Bytes amount) {
  static constexpr std::array<Prefix, 5> kPrefixes = {{{1099511627776.0, "Ti"},
                                                       {1073741824.0, "Gi"},
                                                       {1048576.0, "Mi"},
                                                       {1024.0, "Ki"},
                                                       {1.0, ""}}};
  return scaled(amount.value(), kPrefixes, "B");
}

std::string rate_text(double rate, const std::string& unit) {
  static constexpr std::array<Prefix, 6> kPrefixes = {
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}}};
  return scaled(rate, kPrefixes, unit);
}

std::string percent_text(double fraction) {
  return fmt::format("{:.1f} %", 100.0 * fraction);
}

std::string count_text(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string to_text(OperatorClass op_class) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "gemm",        "batched_gemm", "attention", "softmax",   "norm",   "activation",
      "elementwise", "embedding",    "loss",      "optimizer", "launch", "layer"};
  return std::string(kNames.at(static_cast<std::size_t>(op_class)));
}

std::string to_text(LinkClass link_class) {
  static constexpr std::array<std::string_view, 4> kNames = {"device_port", "pcie", "nic",
                                                             "leaf_uplink"};
  return std::string(kNames.at(static_cast<std::size_t>(link_class)));
}

std::size_t columns(const std::string& text) {
  std::size_t count = 0;
  for (const char byte : text) {
    count += starts_code_point(byte) ? 1 : 0;
  }
  return count;
}

std::string clip(const std::string& text, std::size_t width) {
  if (columns(text) <= width) {
    return text;
  }
  const std::size_t keep = width > 2 ? width - 2 : 0;
  std::size_t seen = 0;
  std::size_t place = 0;
  for (; place < text.size(); ++place) {
    if (starts_code_point(text[place]) && seen++ == keep) {
      break;
    }
  }
  return text.substr(0, place) + std::string(width - keep, '.');
}

std::string pad_left(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + text;
}

std::string pad_right(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return text + std::string(used < width ? width - used : 0, ' ');
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t place = 0;
  while (place < text.size()) {
    const std::size_t space = std::min(text.find(' ', place), text.size());
    const std::string word = clip(text.substr(place, space - place), width);
    place = space + 1;
    if (!line.empty() && columns(line) + 1 + columns(word) > width) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  lines.push_back(line);
  return lines;
}

}  // namespace parsim
