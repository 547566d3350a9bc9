#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Values of options as text → numbers. `option` names the option in the message. All throw
/// UsageError.
namespace parsim {

/// A whole number in [least, most].
[[nodiscard]] std::int64_t whole_number(const std::string& option, const std::string& text,
                                        std::int64_t least, std::int64_t most);

/// "0,8,16-23" → ranks, in the order given; 100,000 at most.
[[nodiscard]] std::vector<std::int64_t> rank_list(const std::string& option,
                                                  const std::string& text);

/// "50MB" → bytes, at least 1.
[[nodiscard]] std::int64_t byte_count(const std::string& option, const std::string& text);

/// Throws unless the text has the shape path=value.
void check_override(const std::string& option, const std::string& text);

}  // namespace parsim
