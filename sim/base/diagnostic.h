#pragma once

#include <exception>
#include <string>
#include <vector>

namespace parsim {

/// One mistake in the user's input. Printed as `file:line:column: pointer: message` and `hint: …`.
struct Diagnostic {
  std::string file;     ///< empty: the command line
  int line = 0;         ///< 1-based; 0: no position in a file
  int column = 0;       ///< 1-based, counted in bytes
  std::string pointer;  ///< JSON pointer (RFC 6901); empty: the whole document
  std::string message;  ///< what is wrong, with the offending value
  std::string hint;     ///< what to do; may be empty
};

/// Every mistake found in the input, thrown once. Ends in exit code 2.
class InputError : public std::exception {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  explicit InputError(Diagnostic diagnostic);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

/// The text of one diagnostic: one line, and a second line `hint: …` where there is a hint.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

}  // namespace parsim
