#include "sim/base/unit_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/text.h"

namespace parsim {
namespace {

/// One spelling: si = number · 10^decimal · 2^binary (bits: binary is 3 less).
struct Unit {
  std::string name;
  UnitKind kind;
  int decimal;
  int binary;
};

constexpr std::array<std::string_view, 6> kDecimalPrefixes = {"", "k", "M", "G", "T", "P"};
constexpr std::array<std::string_view, 5> kBinaryPrefixes = {"Ki", "Mi", "Gi", "Ti", "Pi"};
constexpr int kBitsPerByteLog2 = 3;

void add_data_units(std::vector<Unit>& units, UnitKind kind, std::string_view suffix) {
  for (const bool bits : {false, true}) {
    const std::string base = fmt::format("{}{}", bits ? "b" : "B", suffix);
    const int shift = bits ? -kBitsPerByteLog2 : 0;
    for (std::size_t i = 0; i < kDecimalPrefixes.size(); ++i) {
      units.push_back(
          {std::string(kDecimalPrefixes[i]) + base, kind, static_cast<int>(3 * i), shift});
    }
    for (std::size_t i = 0; i < kBinaryPrefixes.size(); ++i) {
      units.push_back({std::string(kBinaryPrefixes[i]) + base, kind, 0,
                       static_cast<int>(10 * (i + 1)) + shift});
    }
  }
}

std::vector<Unit> make_units() {
  std::vector<Unit> units;
  add_data_units(units, UnitKind::size, "");
  add_data_units(units, UnitKind::byte_rate, "/s");
  for (std::size_t i = 0; i < kDecimalPrefixes.size(); ++i) {
    const std::string prefix(kDecimalPrefixes[i]);
    const int decimal = static_cast<int>(3 * i);
    units.push_back({prefix + "FLOP", UnitKind::flops, decimal, 0});
    units.push_back({prefix + "FLOP/s", UnitKind::flop_rate, decimal, 0});
  }
  units.push_back({"s", UnitKind::time, 0, 0});
  units.push_back({"ms", UnitKind::time, -3, 0});
  units.push_back({"us", UnitKind::time, -6, 0});
  units.push_back({"ns", UnitKind::time, -9, 0});
  return units;
}

const std::vector<Unit>& all_units() {
  static const std::vector<Unit> units = make_units();
  return units;
}

std::optional<Unit> find_unit(std::string_view name) {
  for (const Unit& unit : all_units()) {
    if (unit.name == name) {
      return unit;
    }
  }
  return std::nullopt;
}

std::vector<std::string> unit_names(UnitKind kind) {
  std::vector<std::string> names;
  for (const Unit& unit : all_units()) {
    if (unit.kind == kind) {
      names.push_back(unit.name);
    }
  }
  return names;
}

/// A decimal number cut into its parts, so that a power of ten can be added before rounding once.
struct Number {
  std::string mantissa;
  std::string exponent;  ///< digits with sign; empty: none
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes a number off the front of `text`; nullopt when it does not begin with one.
std::optional<Number> take_number(std::string_view& text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t first = text[0] == '+' ? 1 : 0;
  bool digits = false;
  bool point = false;
  while (at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point))) {
    digits = digits || is_digit(text[at]);
    point = point || text[at] == '.';
    ++at;
  }
  if (!digits) {
    return std::nullopt;
  }
  Number number{std::string(text.substr(first, at - first)), ""};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t end = at + 1;
    end += end < text.size() && (text[end] == '-' || text[end] == '+') ? 1 : 0;
    const std::size_t exponent_digits = end;
    while (end < text.size() && is_digit(text[end])) {
      ++end;
    }
    if (end > exponent_digits) {
      number.exponent = std::string(text.substr(at + 1, end - at - 1));
      at = end;
    }
  }
  text.remove_prefix(at);
  return number;
}

std::optional<double> scaled(const Number& number, const Unit& unit) {
  constexpr std::size_t kLongestExponent = 6;
  if (number.exponent.size() > kLongestExponent) {
    return std::nullopt;
  }
  const int exponent = number.exponent.empty() ? 0 : std::stoi(number.exponent);
  const std::string text = fmt::format("{}e{}", number.mantissa, exponent + unit.decimal);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  value = std::ldexp(value, unit.binary);
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

std::string write_such_as(UnitKind kind) {
  return fmt::format("write {} such as \"{}\"", kind_name(kind), kind_example(kind));
}

/// Spellings that other tools print, and what they mean here.
std::string other_spelling(std::string_view name) {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"bps", "b/s"},   {"Bps", "B/s"}, {"FLOPS", "FLOP/s"}, {"FLOPs", "FLOP"}, {"flops", "FLOP/s"},
      {"flop", "FLOP"}, {"sec", "s"},   {"µs", "us"},        {"μs", "us"}};
  for (const auto& [ending, meaning] : known) {
    if (name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending) {
      const std::string full = std::string(name.substr(0, name.size() - ending.size())) + meaning;
      if (find_unit(full)) {
        return full;
      }
    }
  }
  return "";
}

UnitMistake unknown_unit(std::string_view text, std::string_view name, UnitKind kind) {
  UnitMistake mistake;
  mistake.message =
      fmt::format("{} has the unknown unit {}", quoted_short(text), quoted_short(name));
  const std::string known = other_spelling(name);
  if (!known.empty()) {
    mistake.hint = fmt::format("did you mean \"{}\"?", known);
    return mistake;
  }
  std::vector<std::string> same;
  for (const std::string& unit : unit_names(kind)) {
    if (unit.size() == name.size() && edit_distance(unit, name) == 0) {
      same.push_back(fmt::format("\"{}\"", unit));
    }
  }
  const bool data = kind == UnitKind::size || kind == UnitKind::byte_rate;
  if (!same.empty()) {
    mistake.hint = fmt::format("did you mean {}?{}", join(same, ", ", " or "),
                               data && same.size() > 1 ? " (b is a bit, B a byte)" : "");
    return mistake;
  }
  mistake.hint = did_you_mean(name, unit_names(kind));
  if (mistake.hint.empty()) {
    mistake.hint = write_such_as(kind);
  }
  return mistake;
}

UnitMistake not_a_number(std::string_view text, UnitKind kind) {
  for (const std::string_view special : {"nan", "inf", "-nan", "-inf", "+inf", "+nan"}) {
    if (text.size() >= special.size() &&
        edit_distance(text.substr(0, special.size()), special) == 0) {
      return {fmt::format("{} is not a finite number", quoted_short(text)), write_such_as(kind)};
    }
  }
  return {fmt::format("{} does not begin with a number", quoted_short(text)), write_such_as(kind)};
}

/// value / factor as the shortest decimal that reads back to it; no exponent for usual sizes.
std::string shortest_number(double value) {
  std::array<char, 64> buffer{};
  const double size = std::fabs(value);
  const auto format = value == 0.0 || (size >= 1e-4 && size < 1e15) ? std::chars_format::fixed
                                                                    : std::chars_format::general;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  SIM_CHECK(error == std::errc(), "a number of at most 64 characters");
  return std::string(buffer.data(), end);
}

double rounded_to_15_digits(double value) {
  const std::string text = fmt::format("{:.15g}", value);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

double factor_of(const Unit& unit) {
  return std::ldexp(std::pow(10.0, unit.decimal), unit.binary);
}

/// Texts that people like to read come first: not below one, then short.
std::pair<bool, std::size_t> rank_of(const std::string& number) {
  return {number.compare(0, 2, "0.") == 0 || number.find('e') != std::string::npos, number.size()};
}

/// Units that texts are written in, the preferred first.
std::vector<std::string> written_units(UnitKind kind) {
  switch (kind) {
    case UnitKind::size:
      return {"PiB", "TiB", "GiB", "MiB", "KiB", "PB", "TB", "GB", "MB", "kB", "B"};
    case UnitKind::time:
      return {"s", "ms", "us", "ns"};
    case UnitKind::byte_rate:
      return {"PB/s", "TB/s", "GB/s", "MB/s", "kB/s", "B/s"};
    case UnitKind::flops:
      return {"PFLOP", "TFLOP", "GFLOP", "MFLOP", "kFLOP", "FLOP"};
    case UnitKind::flop_rate:
      return {"PFLOP/s", "TFLOP/s", "GFLOP/s", "MFLOP/s", "kFLOP/s", "FLOP/s"};
  }
  return {};
}

}  // namespace

std::variant<double, UnitMistake> parse_quantity(std::string_view text, UnitKind kind) {
  const std::string_view whole = text;
  text = trimmed(text);
  if (text.empty()) {
    return UnitMistake{"the text is empty", write_such_as(kind)};
  }
  const std::optional<Number> number = take_number(text);
  if (!number) {
    return not_a_number(trimmed(whole), kind);
  }
  const std::string_view name = trimmed(text);
  if (name.empty()) {
    UnitMistake mistake = missing_unit(trimmed(whole), kind);
    mistake.message = quoted_short(whole) + " has no unit";
    return mistake;
  }
  const std::optional<Unit> unit = find_unit(name);
  if (!unit) {
    return unknown_unit(whole, name, kind);
  }
  if (unit->kind != kind) {
    return UnitMistake{fmt::format("{} is {}, but {} is needed", quoted_short(whole),
                                   kind_name(unit->kind), kind_name(kind)),
                       write_such_as(kind)};
  }
  const std::optional<double> value = scaled(*number, *unit);
  if (!value) {
    return UnitMistake{fmt::format("{} is beyond what a number can hold", quoted_short(whole)),
                       write_such_as(kind)};
  }
  return *value;
}

UnitMistake missing_unit(std::string_view number, UnitKind kind) {
  const std::string what = number.size() > 24 ? "1" : std::string(number);
  UnitMistake mistake{fmt::format("{} has no unit", number), ""};
  switch (kind) {
    case UnitKind::size:
      mistake.hint = fmt::format("write \"{0} GB\" (10^9 bytes) or \"{0} GiB\" (2^30 bytes)", what);
      break;
    case UnitKind::time:
      mistake.hint = fmt::format("write \"{0} us\" or \"{0} ms\"", what);
      break;
    case UnitKind::byte_rate:
      mistake.hint = fmt::format("write \"{0} GB/s\" (bytes) or \"{0} Gb/s\" (bits)", what);
      break;
    case UnitKind::flops:
      mistake.hint = fmt::format("write \"{0} GFLOP\" or \"{0} MFLOP\"", what);
      break;
    case UnitKind::flop_rate:
      mistake.hint = fmt::format("write \"{0} TFLOP/s\" or \"{0} GFLOP/s\"", what);
      break;
  }
  return mistake;
}

std::string exact_text(double si_value, UnitKind kind) {
  SIM_CHECK(std::isfinite(si_value), "a finite quantity");
  if (si_value == 0.0) {
    return rounded_text(0.0, kind);
  }
  std::string best_number;
  std::string best_unit;
  for (const std::string& name : written_units(kind)) {
    const Unit unit = *find_unit(name);
    const double scaled = si_value / factor_of(unit);
    // The division may miss a short number by its last bit: 15 digits are tried before all 17.
    for (const std::string& number :
         {shortest_number(rounded_to_15_digits(scaled)), shortest_number(scaled)}) {
      const auto read_back = parse_quantity(number + name, kind);
      const double* value = std::get_if<double>(&read_back);
      if (value != nullptr && *value == si_value &&
          (best_number.empty() || rank_of(number) < rank_of(best_number))) {
        best_number = number;
        best_unit = name;
      }
    }
  }
  return best_number + " " + best_unit;
}

std::string rounded_text(double si_value, UnitKind kind) {
  const std::vector<std::string> names =
      kind == UnitKind::size ? std::vector<std::string>{"PiB", "TiB", "GiB", "MiB", "KiB", "B"}
                             : written_units(kind);
  if (si_value == 0.0) {
    return "0 " + (kind == UnitKind::time ? std::string("s") : names.back());
  }
  for (const std::string& name : names) {
    const double value = si_value / factor_of(*find_unit(name));
    if (std::fabs(value) >= 0.99995 || name == names.back()) {
      // Four digits, but never an exponent for numbers below a million.
      return std::fabs(value) >= 1000.0 && std::fabs(value) < 1e6
                 ? fmt::format("{:.0f} {}", value, name)
                 : fmt::format("{:.4g} {}", value, name);
    }
  }
  return "";
}

std::string kind_name(UnitKind kind) {
  switch (kind) {
    case UnitKind::size:
      return "a size";
    case UnitKind::time:
      return "a time";
    case UnitKind::byte_rate:
      return "a data rate";
    case UnitKind::flops:
      return "an amount of work";
    case UnitKind::flop_rate:
      return "a computing rate";
  }
  return "";
}

std::string kind_example(UnitKind kind) {
  switch (kind) {
    case UnitKind::size:
      return "80 GiB";
    case UnitKind::time:
      return "2 us";
    case UnitKind::byte_rate:
      return "400 Gb/s";
    case UnitKind::flops:
      return "4.1 GFLOP";
    case UnitKind::flop_rate:
      return "312 TFLOP/s";
  }
  return "";
}

std::string quantity_pattern(UnitKind kind, bool positive) {
  return fmt::format("^ *\\+?{}([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *({}) *$",
                     positive ? "(?=[0-9.]*[1-9])" : "", join(unit_names(kind), "|"));
}

}  // namespace parsim
