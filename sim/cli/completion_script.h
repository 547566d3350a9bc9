#pragma once

#include <string>
#include <vector>

namespace parsim {

struct CompletionEntry {
  std::string name;
  std::string description;
  std::vector<std::string> flags;
};

/// The completion script of bash, zsh or fish for these subcommands and flags; all else completes
/// to file names.
[[nodiscard]] std::string completion_script(const std::string& shell,
                                            const std::vector<CompletionEntry>& entries);

}  // namespace parsim
