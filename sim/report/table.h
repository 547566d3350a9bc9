#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parsim {

/// Lines of text that never exceed a width, with optional colour. Colour codes take no columns.
class Page {
 public:
  Page(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  void blank() { text_ += "\n"; }
  /// Clipped to the width.
  void line(const std::string& content);
  /// Preceded by a blank line; bold with colour.
  void heading(const std::string& content);
  /// Wrapped; every line after the first is indented by `indent` as well.
  void paragraph(const std::string& mark, const std::string& content);
  /// One row under the other, columns aligned: the first `left` columns to the left, the others to
  /// the right. Two spaces between columns, or one when the rows are too wide for two.
  void table(const std::vector<std::vector<std::string>>& rows, std::size_t left);
  /// A coloured line where colour is on. `code` is an SGR parameter, e.g. "31".
  void coloured(const std::string& content, const char* code);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace parsim
