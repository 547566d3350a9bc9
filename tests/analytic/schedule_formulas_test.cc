#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/schedule/replay.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"

/// Bubble and peak in flight of every schedule against the closed forms of docs/schedules.md, over
/// a grid of sizes and times, in the regime where each form holds. All times are exact in binary,
/// so equality is exact.
namespace parsim {
namespace {

struct Times {
  double f, i, w;
  [[nodiscard]] double b() const { return i + w; }
};

Replay run(ScheduleName name, const ScheduleShape& shape, const Times& t, double pair = 1.0) {
  CAPTURE(rule_of(name).spelling, shape.ranks, shape.chunks, shape.micro_batches);
  REQUIRE_FALSE(shape_problem(name, shape));
  const auto result = replay(generate(name, shape), {{{t.f, t.i, t.w}}, 0.0, pair});
  REQUIRE(result);
  return *result;
}

std::vector<std::int32_t> peaks(const Replay& result) {
  std::vector<std::int32_t> all;
  for (const RankReplay& rank : result.ranks) {
    all.push_back(rank.peak_in_flight);
  }
  return all;
}

std::int32_t largest(const std::vector<std::int32_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// The idle time of the rank that idles most.
double largest_idle(const Replay& result) {
  double most = 0.0;
  for (const RankReplay& rank : result.ranks) {
    most = std::max(most, result.makespan - rank.busy);
  }
  return most;
}

/// The same number for every rank, or one that depends on it.
template <class Function>
std::vector<std::int32_t> each_rank(std::int32_t ranks, Function function) {
  std::vector<std::int32_t> all;
  for (std::int32_t r = 0; r < ranks; ++r) {
    all.push_back(function(r));
  }
  return all;
}

const std::vector<Times> kTimes = {{1, 1, 1}, {1, 1.5, 0.5}, {2, 3, 1}, {4, 1, 2}, {1, 0.5, 2.5}};
const std::vector<Times> kEqual = {{1, 1, 1}, {0.25, 0.25, 0.25}};

}  // namespace

TEST_CASE("GPipe and 1F1B idle (P-1)(f+b) for any number of micro-batches") {
  for (const Times& t : kTimes) {
    for (std::int32_t p = 1; p <= 8; ++p) {
      for (std::int32_t m = 1; m <= 20; ++m) {
        for (const ScheduleName name : {ScheduleName::gpipe, ScheduleName::one_f_one_b}) {
          const Replay result = run(name, {p, 1, m}, t);
          CHECK(result.makespan - result.ranks[0].busy == (p - 1) * (t.f + t.b()));
          CHECK(peaks(result) == each_rank(p, [&](std::int32_t r) {
                  return name == ScheduleName::gpipe ? m : std::min(m, p - r);
                }));
        }
      }
    }
  }
}

TEST_CASE("interleaved 1F1B idles (P-1)(f+b) when P divides M") {
  for (const Times& t : kTimes) {
    for (std::int32_t p = 2; p <= 6; ++p) {
      for (std::int32_t v = 2; v <= 4; ++v) {
        for (std::int32_t m = p; m <= 4 * p; m += p) {
          const Replay result = run(ScheduleName::interleaved_1f1b, {p, v, m}, t);
          CHECK(result.makespan - result.ranks[0].busy == (p - 1) * (t.f + t.b()));
          CHECK(peaks(result) == each_rank(p, [&](std::int32_t r) {
                  return std::min(v * m, 2 * (p - 1 - r) + (v - 1) * p + 1);
                }));
        }
      }
    }
  }
}

TEST_CASE("interleaved 1F1B's peak follows the group") {
  for (std::int32_t p = 2; p <= 5; ++p) {
    for (std::int32_t g = p; g <= 2 * p; ++g) {
      const std::int32_t m = 3 * g;
      const Replay result = run(ScheduleName::interleaved_1f1b, {p, 3, m, g}, kTimes[0]);
      CHECK(peaks(result) == each_rank(p, [&](std::int32_t r) {
              return std::min(3 * m, 2 * (p - 1 - r) + 2 * g + 1);
            }));
    }
  }
}

TEST_CASE("looped BFS idles (P-1)(f+b) when M >= P, and holds everything") {
  for (const Times& t : kTimes) {
    for (std::int32_t p = 1; p <= 6; ++p) {
      for (std::int32_t v = 1; v <= 4; ++v) {
        for (std::int32_t m = p; m <= 2 * p + 3; ++m) {
          const Replay result = run(ScheduleName::looped_bfs, {p, v, m}, t);
          CHECK(result.makespan - result.ranks[0].busy == (p - 1) * (t.f + t.b()));
          CHECK(peaks(result) == each_rank(p, [&](std::int32_t) { return v * m; }));
        }
      }
    }
  }
}

TEST_CASE("ZB-H1 and its interleaved form idle (P-1)(f+i-w) when f = i = w and P divides M") {
  for (const Times& t : kEqual) {
    for (std::int32_t p = 2; p <= 6; ++p) {
      for (std::int32_t v = 1; v <= 4; ++v) {
        for (std::int32_t m = p; m <= 4 * p; m += p) {
          const ScheduleName name = v == 1 ? ScheduleName::zb_h1 : ScheduleName::interleaved_zb;
          const Replay result = run(name, {p, v, m}, t);
          CHECK(result.makespan - result.ranks[0].busy == (p - 1) * (t.f + t.i - t.w));
          CHECK(peaks(result) == each_rank(p, [&](std::int32_t) { return v * p; }));
        }
      }
    }
  }
}

TEST_CASE("ZB-H2 has no bubble inside any rank's span when f = i = w and M >= 2P-1") {
  for (const Times& t : kEqual) {
    for (std::int32_t p = 1; p <= 8; ++p) {
      for (std::int32_t m = 2 * p - 1; m <= 4 * p; ++m) {
        const Replay result = run(ScheduleName::zb_h2, {p, 1, m}, t);
        for (const RankReplay& rank : result.ranks) {
          CHECK(rank.idle() == 0.0);
        }
        CHECK(result.makespan == result.ranks[0].busy + (p - 1) * t.f);  // a parallelogram
        CHECK(peaks(result) == each_rank(p, [&](std::int32_t) { return 2 * p - 1; }));
      }
    }
  }
}

TEST_CASE("ZB-V has no bubble inside any rank's span when f = i = w and M >= 2P-1") {
  for (const Times& t : kEqual) {
    for (std::int32_t p = 1; p <= 8; ++p) {
      for (std::int32_t m = std::max(p, 2 * p - 1); m <= 4 * p; ++m) {
        const Replay result = run(ScheduleName::zb_v, {p, 2, m}, t);
        for (const RankReplay& rank : result.ranks) {
          CHECK(rank.idle() == 0.0);
        }
        CHECK(peaks(result) == each_rank(p, [&](std::int32_t) { return 2 * p; }));
      }
    }
  }
}

TEST_CASE("V-Half and V-Min hold the chunks their papers say") {
  for (std::int32_t p = 2; p <= 12; ++p) {
    for (const std::int32_t m : {4 * p, 6 * p}) {
      const auto half = peaks(run(ScheduleName::v_half, {p, 2, m}, kEqual[0]));
      const auto third = peaks(run(ScheduleName::v_min, {p, 2, m}, kEqual[0]));
      CHECK(largest(half) == 2 * ((p + 2) / 2));
      CHECK(largest(third) == 2 * ((p + 4) / 3));
    }
  }
}

TEST_CASE("DualPipe and DualPipeV idle (depth/2-1)(FB+b-3w) and hold depth+1 chunks") {
  for (const double pair : {1.0, 0.875, 0.75}) {
    for (const Times& t : kEqual) {
      const double overlapped = pair * (t.f + t.b());
      for (std::int32_t p = 2; p <= 8; ++p) {
        for (std::int32_t m = 2 * p; m <= 5 * p; ++m) {
          CAPTURE(pair, p, m);
          const Replay v = run(ScheduleName::dualpipev, {p, 2, m}, t, pair);
          CHECK(largest_idle(v) == (p - 1) * (overlapped + t.b() - 3 * t.w));
          CHECK(largest(peaks(v)) == 2 * p + 1);
          if (p % 2 == 0 && m % 2 == 0) {
            const Replay dual = run(ScheduleName::dualpipe, {p, 1, m}, t, pair);
            CHECK(largest_idle(dual) == (p / 2 - 1) * (overlapped + t.b() - 3 * t.w));
            CHECK(peaks(dual) == each_rank(p, [&](std::int32_t) { return p + 1; }));
          }
        }
      }
    }
  }
}

TEST_CASE("Chimera idles P-2 slots for any number of units, and (P-2)/2 of each when b = 2f") {
  for (std::int32_t p = 2; p <= 10; p += 2) {
    for (std::int32_t units = 1; units <= 4; ++units) {
      const std::int32_t m = units * p;
      const Replay even = run(ScheduleName::chimera, {p, 1, m}, {1, 0.5, 0.5});
      CHECK(even.makespan - even.ranks[0].busy == p - 2);
      const auto held = peaks(even);
      CHECK(largest(held) == p);
      if (units == 1) {
        CHECK(held ==
              each_rank(p, [&](std::int32_t r) { return p / 2 + 1 + std::min(r, p - 1 - r); }));
        const Replay twice = run(ScheduleName::chimera, {p, 1, m}, {1, 1, 1});
        CHECK(twice.makespan == 3 * p + 2 * (p - 2));
      }
    }
  }
}

TEST_CASE("sequence-sliced 1F1B idles (P-1)(f+b) of a slice and holds n+P-1-r slices") {
  for (const Times& t : kTimes) {
    for (std::int32_t p = 2; p <= 6; ++p) {
      for (std::int32_t n = 1; n <= 6; ++n) {
        for (std::int32_t m = p; m <= 2 * p + 1; ++m) {
          const Replay result = run(ScheduleName::seq1f1b, {p, 1, m, 0, n}, t);
          CHECK(result.makespan - result.ranks[0].busy == (p - 1) * (t.f + t.b()));
          CHECK(peaks(result) == each_rank(p, [&](std::int32_t r) { return n + p - 1 - r; }));
        }
      }
    }
  }
}

TEST_CASE("a message between ranks delays the first backward by two hops a rank") {
  for (std::int32_t p = 2; p <= 6; ++p) {
    const auto result =
        replay(generate(ScheduleName::gpipe, {p, 1, 4}), {{{1.0, 1.0, 1.0}}, 0.25, 1.0});
    REQUIRE(result);
    CHECK(result->makespan == (p - 1) * (3.0 + 2 * 0.25) + 4 * 3.0);
  }
}

TEST_CASE("an order that cannot finish has no replay") {
  Schedule stuck = generate(ScheduleName::one_f_one_b, {2, 1, 2});
  std::swap(stuck.ranks[1][0], stuck.ranks[1][1]);  // B0 before F0
  CHECK_FALSE(replay(stuck, {{{1.0, 1.0, 1.0}}, 0.0, 1.0}));
}

}  // namespace parsim
