#pragma once

#include <stdexcept>
#include <string>

namespace parsim {

/// Our own mistake: an invariant that does not hold. Ends in exit code 70 with "this is a bug".
class BugError : public std::logic_error {
  using std::logic_error::logic_error;
};

/// The run could not complete (deadlock, I/O). Ends in exit code 1. The message says why.
class RunError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A check the user asked for failed (`--require-fit`, `compare`, `validate`). Exit code 3.
class CheckFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void throw_bug(const char* file, int line, const char* condition,
                            const std::string& expected);

}  // namespace parsim

/// Programmer errors only, never reachable by user input. `expected` says what was expected, with
/// values.
#define SIM_CHECK(condition, expected)                                 \
  do {                                                                 \
    if (!(condition)) {                                                \
      ::parsim::throw_bug(__FILE__, __LINE__, #condition, (expected)); \
    }                                                                  \
  } while (false)
