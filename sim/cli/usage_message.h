#pragma once

#include <string>
#include <vector>

#include "sim/cli/completion_script.h"

namespace parsim {

/// The message for a command line that the parser refused with `complaint`: which word is wrong and
/// what was meant, where that can be told from the commands and options there are; else the
/// complaint in our words.
[[nodiscard]] std::string usage_message(const std::vector<CompletionEntry>& commands,
                                        const std::vector<std::string>& arguments,
                                        const std::string& complaint);

}  // namespace parsim
