#include "sim/base/check.h"

#include <fmt/format.h>

namespace parsim {

void throw_bug(const char* file, int line, const char* condition, const std::string& expected) {
  throw BugError(fmt::format("{}:{}: expected {} ({})", file, line, expected, condition));
}

}  // namespace parsim
