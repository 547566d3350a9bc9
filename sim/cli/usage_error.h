#pragma once

#include <stdexcept>

namespace parsim {

/// A mistake on the command line itself; exit code 2. The message may have a second line with a
/// hint.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace parsim
