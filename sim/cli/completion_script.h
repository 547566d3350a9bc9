#pragma once

#include <string>
#include <vector>

namespace parsim {

struct CompletionOption {
  std::string name;  ///< "--engine", "-q"
  bool takes_value = false;
  std::vector<std::string> choices;  ///< of its value; empty: a file name
};

struct CompletionEntry {
  std::string name;
  std::string description;
  std::vector<CompletionOption> options;
  std::vector<std::string> choices;  ///< of the argument; empty: a file name
};

/// The completion script of bash, zsh or fish for these subcommands, their options and choices; all
/// else completes to file names.
[[nodiscard]] std::string completion_script(const std::string& shell,
                                            const std::vector<CompletionEntry>& entries);

}  // namespace parsim
