#pragma once

#include <string_view>

#include "sim/cli/commands.h"

namespace parsim {

/// Gives closed standard streams a place, so that a file opened later does not take their number
/// and receive their text. Writing to a standard output that was closed still fails.
void open_closed_streams();

/// Writes to standard output and makes sure that it arrived. Throws RunError when it did not (a
/// full disk). A reader that has gone away is no error: it has seen enough.
void print(std::string_view text);

/// Writes to standard error; nobody can be told when that fails.
void tell(std::string_view text) noexcept;

/// Colours on standard output: as chosen; automatic means a terminal, no NO_COLOR, and TERM other
/// than "dumb".
[[nodiscard]] bool use_colour(ColourChoice choice);

/// Columns of the terminal on standard output within kLeastWidth and kMostWidth, or 100.
[[nodiscard]] int terminal_width();

inline constexpr int kLeastWidth = 60;
inline constexpr int kMostWidth = 1000;

}  // namespace parsim
