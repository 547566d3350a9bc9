#include "sim/base/diagnostic.h"

#include <fmt/format.h>

#include <utility>

namespace parsim {

std::string to_text(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.file.empty()) {
    text += diagnostic.file;
    text += diagnostic.line > 0 ? fmt::format(":{}:{}: ", diagnostic.line, diagnostic.column)
                                : std::string(": ");
  }
  if (!diagnostic.pointer.empty()) {
    text += diagnostic.pointer + ": ";
  }
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) {
    text += "\nhint: " + diagnostic.hint;
  }
  return text;
}

InputError::InputError(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
  for (const Diagnostic& diagnostic : diagnostics_) {
    text_ += (text_.empty() ? "" : "\n") + to_text(diagnostic);
  }
}

InputError::InputError(Diagnostic diagnostic)
    : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

}  // namespace parsim
