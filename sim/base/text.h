#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parsim {

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; upper and lower case
/// count as equal. Optimal string alignment distance; O(|a|·|b|).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` most likely means: the first that begins with it, else fewest edits,
/// at most a third of the longer of the two words (at least 1); the first one on a tie. Nothing
/// where none is that near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& candidates);

/// `did you mean "tensor"?`, or the empty string where no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);

/// "a, b, c"; `last` replaces the last separator: "a, b or c".
[[nodiscard]] std::string join(const std::vector<std::string>& words,
                               std::string_view separator = ", ", std::string_view last = "");

/// The text as a JSON string literal: quotes, backslashes and control characters escaped, all else
/// as it is. Precondition: valid UTF-8 (or it stays as invalid as it was).
[[nodiscard]] std::string quoted(std::string_view text);

/// `quoted`, cut to about 60 bytes at a character boundary, for use in messages.
[[nodiscard]] std::string quoted_short(std::string_view text);

/// 1234567 → "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t number);

/// A table for a terminal. Columns whose header is marked stand right-aligned (numbers).
struct Table {
  struct Column {
    std::string header;  ///< with the unit, e.g. "step [ms]"
    bool right = false;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< short rows are filled with empty cells
};
/// Two blanks between columns, a header line and a rule below it, no trailing blanks, each line
/// ended by '\n'. Widths count characters (UTF-8 code points), not bytes.
[[nodiscard]] std::string to_text(const Table& table);

}  // namespace parsim
