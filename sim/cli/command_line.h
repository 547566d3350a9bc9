#pragma once

#include <string>
#include <vector>

#include "sim/cli/commands.h"

namespace parsim {

/// Reads the command line (without the program's name). Throws UsageError for anything it does not
/// understand.
[[nodiscard]] Command parse_command_line(const std::vector<std::string>& arguments);

}  // namespace parsim
