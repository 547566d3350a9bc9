#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "sim/base/units.h"

/// Quantities as text: `NUMBER [blanks] UNIT`.
///
///   NUMBER   decimal, "." as the point whatever the locale, optional exponent: 80  1.5  2.5e3
///   size     B  kB MB GB TB PB (10^3 …)  KiB MiB GiB TiB PiB (2^10 …)  b kb Mb … Kib Mib … (bits)
///   time     ns us ms s
///   rate     a size unit + "/s": "50 GB/s" = 50·10^9 B/s, "400 Gb/s" = 50·10^9 B/s
///   work     FLOP kFLOP MFLOP GFLOP TFLOP PFLOP, and the same + "/s" for a computing rate
///
/// Upper and lower case matter: b is a bit, B a byte, k is 10^3, Ki is 2^10.
namespace parsim {

enum class UnitKind { size, time, byte_rate, flops, flop_rate };

/// Why a text is not a quantity of the kind that is needed.
struct UnitMistake {
  std::string message;  ///< begins with the offending text
  std::string hint;
};

/// The quantity in its SI base unit (B, s, B/s, FLOP, FLOP/s), correctly rounded, or what is wrong.
/// Negative numbers parse; whether they make sense is the caller's question.
[[nodiscard]] std::variant<double, UnitMistake> parse_quantity(std::string_view text,
                                                               UnitKind kind);

/// The mistake of a number without a unit; the hint shows the two likely spellings.
[[nodiscard]] UnitMistake missing_unit(std::string_view number, UnitKind kind);

/// Text that parse_quantity reads back to exactly this double, in the unit that gives the shortest
/// number. Precondition: finite.
[[nodiscard]] std::string exact_text(double si_value, UnitKind kind);

/// For people: the unit that puts the number between 1 and 1000 and about four digits
/// ("1.5 ms", "79.15 GiB"). Sizes use binary units, rates decimal ones.
[[nodiscard]] std::string rounded_text(double si_value, UnitKind kind);

/// "size", "time", "data rate", "amount of work", "computing rate", with its article.
[[nodiscard]] std::string kind_name(UnitKind kind);

/// An example such as "80 GiB".
[[nodiscard]] std::string kind_example(UnitKind kind);

/// Regular expression (ECMA 262 and Python) of the texts that are quantities of this kind and are
/// not negative; `positive` leaves out zero too.
[[nodiscard]] std::string quantity_pattern(UnitKind kind, bool positive);

constexpr UnitKind unit_kind(Bytes) {
  return UnitKind::size;
}
constexpr UnitKind unit_kind(Seconds) {
  return UnitKind::time;
}
constexpr UnitKind unit_kind(BytesPerSecond) {
  return UnitKind::byte_rate;
}
constexpr UnitKind unit_kind(Flops) {
  return UnitKind::flops;
}
constexpr UnitKind unit_kind(FlopsPerSecond) {
  return UnitKind::flop_rate;
}

template <class Tag>
[[nodiscard]] std::string exact_text(Quantity<Tag> quantity) {
  return exact_text(quantity.value(), unit_kind(quantity));
}
template <class Tag>
[[nodiscard]] std::string rounded_text(Quantity<Tag> quantity) {
  return rounded_text(quantity.value(), unit_kind(quantity));
}

}  // namespace parsim
