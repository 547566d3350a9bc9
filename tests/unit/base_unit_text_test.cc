#include <cmath>
#include <limits>

#include "sim/base/random.h"
#include "sim/base/unit_text.h"
#include "tests/catch.h"

namespace parsim {
namespace {

double value_of(const std::string& text, UnitKind kind) {
  const auto parsed = parse_quantity(text, kind);
  if (const auto* mistake = std::get_if<UnitMistake>(&parsed)) {
    FAIL(mistake->message);
  }
  return std::get<double>(parsed);
}

std::string mistake_of(const std::string& text, UnitKind kind) {
  const auto parsed = parse_quantity(text, kind);
  if (std::holds_alternative<double>(parsed)) {
    return "no mistake";
  }
  const auto& mistake = std::get<UnitMistake>(parsed);
  return mistake.message + " | " + mistake.hint;
}

struct Spelling {
  std::string text;
  UnitKind kind;
  double si;
};

}  // namespace

TEST_CASE("every unit has its SI or IEC meaning, and a bit is an eighth of a byte") {
  const auto spelling = GENERATE(values<Spelling>({
      {"10 B", UnitKind::size, 10.0},
      {"2 kB", UnitKind::size, 2e3},
      {"25 MB", UnitKind::size, 25e6},
      {"3 GB", UnitKind::size, 3e9},
      {"4 TB", UnitKind::size, 4e12},
      {"5 PB", UnitKind::size, 5e15},
      {"2 KiB", UnitKind::size, 2048.0},
      {"1 MiB", UnitKind::size, 1048576.0},
      {"80 GiB", UnitKind::size, 85899345920.0},
      {"1 TiB", UnitKind::size, 1099511627776.0},
      {"1 PiB", UnitKind::size, 1125899906842624.0},
      {"8 b", UnitKind::size, 1.0},
      {"400 Gb", UnitKind::size, 50e9},
      {"8 Kib", UnitKind::size, 1024.0},
      {"3 s", UnitKind::time, 3.0},
      {"1.5 ms", UnitKind::time, 1.5e-3},
      {"2 us", UnitKind::time, 2e-6},
      {"10 ns", UnitKind::time, 10e-9},
      {"400 Gb/s", UnitKind::byte_rate, 50e9},
      {"50 GB/s", UnitKind::byte_rate, 50e9},
      {"1 GiB/s", UnitKind::byte_rate, 1073741824.0},
      {"8 kb/s", UnitKind::byte_rate, 1000.0},
      {"4.1 GFLOP", UnitKind::flops, 4.1e9},
      {"7 FLOP", UnitKind::flops, 7.0},
      {"312 TFLOP/s", UnitKind::flop_rate, 312e12},
      {"1 PFLOP/s", UnitKind::flop_rate, 1e15},
      {"19.5TFLOP/s", UnitKind::flop_rate, 19.5e12},
      {"  2.5e3   kB ", UnitKind::size, 2.5e6},
      {"+1. B", UnitKind::size, 1.0},
      {".5 GB", UnitKind::size, 5e8},
      {"-3 s", UnitKind::time, -3.0},
      {"0 s", UnitKind::time, 0.0},
  }));
  CHECK(value_of(spelling.text, spelling.kind) == spelling.si);
}

TEST_CASE("a decimal is rounded once: 4.7 us is the double nearest to 4.7e-6") {
  CHECK(value_of("4.7 us", UnitKind::time) == 4.7e-6);
  CHECK(value_of("0.3 ns", UnitKind::time) == 0.3e-9);
  CHECK(value_of("1.1 GB/s", UnitKind::byte_rate) == 1.1e9);
}

TEST_CASE("mistakes in a quantity say what is wrong and what to write") {
  CHECK(mistake_of("400", UnitKind::byte_rate) ==
        "\"400\" has no unit | write \"400 GB/s\" (bytes) or \"400 Gb/s\" (bits)");
  CHECK(mistake_of("80", UnitKind::size) ==
        "\"80\" has no unit | write \"80 GB\" (10^9 bytes) or \"80 GiB\" (2^30 bytes)");
  CHECK(mistake_of("400 Gb/s", UnitKind::size) ==
        "\"400 Gb/s\" is a data rate, but a size is needed | write a size such as \"80 GiB\"");
  CHECK(mistake_of("5 GFLOP", UnitKind::flop_rate) ==
        "\"5 GFLOP\" is an amount of work, but a computing rate is needed | write a computing "
        "rate such as \"312 TFLOP/s\"");
  CHECK(mistake_of("400 gb/s", UnitKind::byte_rate) ==
        "\"400 gb/s\" has the unknown unit \"gb/s\" | did you mean \"GB/s\" or \"Gb/s\"? (b is a "
        "bit, B a byte)");
  CHECK(mistake_of("400 Gbps", UnitKind::byte_rate) ==
        "\"400 Gbps\" has the unknown unit \"Gbps\" | did you mean \"Gb/s\"?");
  CHECK(mistake_of("312 TFLOPS", UnitKind::flop_rate) ==
        "\"312 TFLOPS\" has the unknown unit \"TFLOPS\" | did you mean \"TFLOP/s\"?");
  CHECK(mistake_of("2 µs", UnitKind::time) ==
        "\"2 µs\" has the unknown unit \"µs\" | did you mean \"us\"?");
  CHECK(mistake_of("80 parsecs", UnitKind::size) ==
        "\"80 parsecs\" has the unknown unit \"parsecs\" | write a size such as \"80 GiB\"");
  CHECK(mistake_of("nan s", UnitKind::time) ==
        "\"nan s\" is not a finite number | write a time such as \"2 us\"");
  CHECK(mistake_of("-Infinity s", UnitKind::time) ==
        "\"-Infinity s\" is not a finite number | write a time such as \"2 us\"");
  CHECK(mistake_of("fast", UnitKind::byte_rate) ==
        "\"fast\" does not begin with a number | write a data rate such as \"400 Gb/s\"");
  CHECK(mistake_of("", UnitKind::size) == "the text is empty | write a size such as \"80 GiB\"");
  CHECK(mistake_of("1e400 GB", UnitKind::size) ==
        "\"1e400 GB\" is beyond what a number can hold | write a size such as \"80 GiB\"");
  CHECK(mistake_of("1e9999999 GB", UnitKind::size) ==
        "\"1e9999999 GB\" is beyond what a number can hold | write a size such as \"80 GiB\"");
  CHECK(mistake_of("1,5 GB", UnitKind::size) ==
        "\"1,5 GB\" has the unknown unit \",5 GB\" | write a size such as \"80 GiB\"");
}

TEST_CASE("a printed quantity reads back to the same double") {
  const auto kind = GENERATE(UnitKind::size, UnitKind::time, UnitKind::byte_rate, UnitKind::flops,
                             UnitKind::flop_rate);
  Random random(20240607);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::exp(random.uniform() * 90.0 - 25.0);
    CHECK(value_of(exact_text(value, kind), kind) == value);
    CHECK(value_of(exact_text(std::round(value), kind), kind) == std::round(value));
  }
  for (const double value : {0.0, 5e-324, std::numeric_limits<double>::max(), 1.0, -2.5}) {
    CHECK(value_of(exact_text(value, kind), kind) == value);
  }
}

TEST_CASE("a printed quantity uses the unit a person would") {
  CHECK(exact_text(Bytes{85899345920.0}) == "80 GiB");
  CHECK(exact_text(Bytes{25e6}) == "25 MB");
  CHECK(exact_text(Bytes{7.0}) == "7 B");
  CHECK(exact_text(Seconds{0.5}) == "500 ms");
  CHECK(exact_text(BytesPerSecond{300e9}) == "300 GB/s");
  CHECK(exact_text(Seconds{2e-6}) == "2 us");
  CHECK(exact_text(Seconds{0.0}) == "0 s");
  CHECK(exact_text(BytesPerSecond{50e9}) == "50 GB/s");
  CHECK(exact_text(FlopsPerSecond{312e12}) == "312 TFLOP/s");
  CHECK(exact_text(Flops{4.1e9}) == "4.1 GFLOP");
}

TEST_CASE("rounded text keeps about four digits") {
  CHECK(rounded_text(Seconds{0.0123456}) == "12.35 ms");
  CHECK(rounded_text(Seconds{123.456}) == "123.5 s");
  CHECK(rounded_text(Seconds{12345.6}) == "12346 s");
  CHECK(rounded_text(Seconds{0.99999e-3}) == "1 ms");
  CHECK(rounded_text(Bytes{84990000000.0}) == "79.15 GiB");
  CHECK(rounded_text(BytesPerSecond{48.5e9}) == "48.5 GB/s");
  CHECK(rounded_text(Bytes{0.0}) == "0 B");
}

}  // namespace parsim
