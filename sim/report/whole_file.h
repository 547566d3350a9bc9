#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace parsim {

/// A file that appears whole or not at all: written beside its place under another name, renamed
/// by `commit`. Without `commit` nothing is left behind. What is there already and is not a
/// regular file (a pipe, /dev/stdout) is written to directly; links are followed.
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
  [[noreturn]] void fail(int error);

  std::string path_;       ///< as the user gave it
  std::string target_;     ///< the file to replace; links resolved
  std::string temporary_;  ///< empty: writes to the target directly
  std::FILE* file_ = nullptr;
  std::int64_t written_ = 0;
};

}  // namespace parsim
