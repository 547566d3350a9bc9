#include "sim/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/report/format.h"

namespace parsim {

void Page::line(const std::string& content) {
  text_ += clip(content, width_) + "\n";
}

void Page::coloured(const std::string& content, const char* code) {
  const std::string fitted = clip(content, width_);
  text_ += colour_ ? fmt::format("\x1b[{}m{}\x1b[0m\n", code, fitted) : fitted + "\n";
}

void Page::heading(const std::string& content) {
  blank();
  coloured(content, "1");
}

void Page::paragraph(const std::string& mark, const std::string& content) {
  const std::size_t indent = columns(mark);
  const std::vector<std::string> lines = wrap(content, width_ > indent ? width_ - indent : 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    line((i == 0 ? mark : std::string(indent, ' ')) + lines[i]);
  }
}

void Page::table(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], columns(row[c]));
    }
  }
  const std::size_t wide = std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
  const std::string gap(wide > width_ ? 1 : 2, ' ');
  for (const auto& row : rows) {
    std::string content;
    for (std::size_t c = 0; c < row.size(); ++c) {
      content += gap;
      content += c < left ? pad_right(row[c], widths[c]) : pad_left(row[c], widths[c]);
    }
    content.erase(content.find_last_not_of(' ') + 1);
    line(content);
  }
}

}  // namespace parsim
