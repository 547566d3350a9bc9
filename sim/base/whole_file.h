#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/interrupt.h"

namespace parsim {

/// A file that appears whole or not at all: written beside its place under another name, renamed
/// by `commit`. Without `commit`, and after an interrupt, nothing is left behind and what was there
/// stays. What is there already and is not a regular file (a pipe, /dev/stdout) is appended to
/// directly; links are followed; permissions of a replaced file are kept.
class WholeFile {
 public:
  /// Throws RunError naming the path and the reason when it cannot be opened.
  explicit WholeFile(std::string path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  /// Throws RunError when the bytes cannot be written.
  void write(std::string_view bytes);
  /// Throws RunError when the rest cannot be written or the file cannot take its place.
  void commit();
  [[nodiscard]] std::int64_t written() const { return written_; }

 private:
  void open_beside(bool replaces, unsigned permissions);
  [[noreturn]] void fail(int error);

  std::string path_;       ///< as the user gave it
  std::string target_;     ///< the file to replace; links resolved
  std::string temporary_;  ///< empty: writes to the target directly
  std::optional<RemoveOnInterrupt> remove_on_interrupt_;
  std::FILE* file_ = nullptr;
  std::int64_t written_ = 0;
};

}  // namespace parsim
