#pragma once

#include <compare>

namespace parsim {

/// A physical quantity in SI base units, 8 bytes, passed by value.
/// Only operations with a physical meaning exist: adding seconds to bytes does not compile.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  explicit constexpr Quantity(double in_si_units) : value_(in_si_units) {}

  /// The number in the SI base unit (s, B, FLOP, B/s, FLOP/s). For the edges only: printing,
  /// SimGrid.
  [[nodiscard]] constexpr double value() const { return value_; }
  /// The number in `unit`, e.g. `t.value_in(microseconds)`.
  [[nodiscard]] constexpr double value_in(Quantity unit) const { return value_ / unit.value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity{a.value_ + b.value_};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity{a.value_ - b.value_};
  }
  friend constexpr Quantity operator-(Quantity a) { return Quantity{-a.value_}; }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity{a.value_ * factor};
  }
  friend constexpr Quantity operator*(double factor, Quantity a) {
    return Quantity{a.value_ * factor};
  }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return Quantity{a.value_ / divisor};
  }
  /// The dimensionless ratio of two like quantities.
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  double value_ = 0.0;
};

using Seconds = Quantity<struct SecondsTag>;
using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;

constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds{bytes.value() / rate.value()};
}
constexpr Seconds operator/(Flops flops, FlopsPerSecond rate) {
  return Seconds{flops.value() / rate.value()};
}
constexpr BytesPerSecond operator/(Bytes bytes, Seconds time) {
  return BytesPerSecond{bytes.value() / time.value()};
}
constexpr FlopsPerSecond operator/(Flops flops, Seconds time) {
  return FlopsPerSecond{flops.value() / time.value()};
}
constexpr Bytes operator*(BytesPerSecond rate, Seconds time) {
  return Bytes{rate.value() * time.value()};
}

inline constexpr Seconds seconds{1.0};
inline constexpr Seconds milliseconds{1e-3};
inline constexpr Seconds microseconds{1e-6};
inline constexpr Seconds nanoseconds{1e-9};
inline constexpr Bytes kibibytes{1024.0};
inline constexpr Bytes mebibytes{1024.0 * 1024.0};
inline constexpr Bytes gibibytes{1024.0 * 1024.0 * 1024.0};
inline constexpr Bytes gigabytes{1e9};
inline constexpr BytesPerSecond gigabytes_per_second{1e9};
inline constexpr FlopsPerSecond teraflops_per_second{1e12};

template <class Tag>
[[nodiscard]] constexpr Quantity<Tag> max(Quantity<Tag> a, Quantity<Tag> b) {
  return a < b ? b : a;
}
template <class Tag>
[[nodiscard]] constexpr Quantity<Tag> min(Quantity<Tag> a, Quantity<Tag> b) {
  return b < a ? b : a;
}

}  // namespace parsim
