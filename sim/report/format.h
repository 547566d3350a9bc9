#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/task_graph.h"
#include "sim/workload/workload.h"

namespace parsim {

/// Four significant digits and an SI unit: "12.35 ms", "1.200 us", "0 s".
[[nodiscard]] std::string time_text(Seconds time);
/// Four significant digits and a binary unit: "61.24 GiB", "512 B".
[[nodiscard]] std::string bytes_text(Bytes amount);
/// Four significant digits and an SI prefix before `unit`: "382.1 ktokens/s"; "0 tokens/s".
[[nodiscard]] std::string rate_text(double rate, const std::string& unit);
/// One decimal: "47.5 %".
[[nodiscard]] std::string percent_text(double fraction);
/// With thousands separators: "48,384".
[[nodiscard]] std::string count_text(std::int64_t count);

[[nodiscard]] std::string to_text(OperatorClass op_class);
[[nodiscard]] std::string to_text(LinkClass link_class);

/// Columns on a terminal, taking every code point as one.
[[nodiscard]] std::size_t columns(const std::string& text);
/// At most `width` columns; what is cut off shows as "..". Never cuts inside a code point.
[[nodiscard]] std::string clip(const std::string& text, std::size_t width);
/// Padded with spaces to `width` columns.
[[nodiscard]] std::string pad_left(const std::string& text, std::size_t width);
[[nodiscard]] std::string pad_right(const std::string& text, std::size_t width);
/// Broken at spaces into lines of at most `width` columns; a longer word is clipped.
[[nodiscard]] std::vector<std::string> wrap(const std::string& text, std::size_t width);

}  // namespace parsim
