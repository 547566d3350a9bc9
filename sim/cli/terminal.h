#pragma once

#include <string_view>

#include "sim/cli/commands.h"

namespace parsim {

/// Writes to standard output and makes sure that it arrived. Throws RunError when it did not (a
/// full disk). A reader that has gone away is no error: it has seen enough.
void print(std::string_view text);

/// Colours on standard output: as chosen; automatic means a terminal, no NO_COLOR, and TERM other
/// than "dumb".
[[nodiscard]] bool use_colour(ColourChoice choice);

/// Columns of the terminal on standard output, or 100.
[[nodiscard]] int terminal_width();

}  // namespace parsim
