#include "sim/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/base/check.h"

namespace parsim {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

void append_cell(std::string& line, std::string_view cell, std::size_t width, bool right) {
  const std::string pad(width - display_width(cell), ' ');
  line += right ? pad : "";
  line += cell;
  line += right ? "" : pad;
}

void append_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the one being filled and the two above it (for swaps).
  std::vector<std::size_t> above2(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(above2, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], above2[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.size() > 200) {
    return std::nullopt;
  }
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (word.size() >= 3 && candidate.size() > word.size() + 1 &&
        edit_distance(word, candidate.substr(0, word.size())) == 0) {
      return candidate;  // the beginning of a name: "h200" for "h200-sxm"
    }
  }
  for (const std::string& candidate : candidates) {
    const std::size_t limit = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= limit && distance < candidate.size() && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> candidate = nearest(word, candidates);
  return candidate ? fmt::format("did you mean \"{}\"?", *candidate) : std::string();
}

std::string join(const std::vector<std::string>& words, std::string_view separator,
                 std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) {
      text += i + 1 == words.size() && !last.empty() ? last : separator;
    }
    text += words[i];
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string quoted_short(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) {
    return quoted(text);
  }
  std::size_t end = kLongest - 3;
  while (end > 0 && is_continuation(text[end])) {
    --end;
  }
  return quoted(std::string(text.substr(0, end)) + "...");
}

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string to_text(const Table& table) {
  const std::size_t count = table.columns.size();
  std::vector<std::size_t> widths;
  for (const Table::Column& column : table.columns) {
    widths.push_back(display_width(column.header));
  }
  for (const auto& row : table.rows) {
    SIM_CHECK(row.size() <= count, fmt::format("{} cells, found {}", count, row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string header;
  std::string rule;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string gap = i == 0 ? "" : "  ";
    header += gap;
    append_cell(header, table.columns[i].header, widths[i], table.columns[i].right);
    rule += gap + std::string(widths[i], '-');
  }
  std::string text;
  append_line(text, header);
  append_line(text, rule);
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < count; ++i) {
      line += i == 0 ? "" : "  ";
      append_cell(line, i < row.size() ? std::string_view(row[i]) : std::string_view(), widths[i],
                  table.columns[i].right);
    }
    append_line(text, line);
  }
  return text;
}

}  // namespace parsim
