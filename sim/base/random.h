#pragma once

#include <cstdint>

namespace parsim {

/// Seeded generator (SplitMix64, Steele et al. 2014), identical on every platform and library.
/// All randomness of parsim comes from one of these, passed in; the seed is part of the report.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Uniform over all 64-bit values.
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform in [low, high], both ends included; needs low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(span == 0 ? next() : next() % span);
  }

 private:
  std::uint64_t state_;
};

}  // namespace parsim
