#include "sim/report/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sim/base/check.h"

namespace parsim {

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(path_) {
  namespace fs = std::filesystem;
  std::error_code unused;
  const fs::file_status status = fs::status(path_, unused);
  if (fs::is_directory(status)) {
    fail(EISDIR);
  }
  const bool special = fs::exists(status) && !fs::is_regular_file(status);
  if (fs::is_symlink(fs::symlink_status(path_, unused)) && !special) {
    const fs::path resolved = fs::weakly_canonical(path_, unused);
    target_ = resolved.empty() ? path_ : resolved.string();
  }
  if (!special) {
    temporary_ = fmt::format("{}.{}.tmp", target_, getpid());
  }
  errno = 0;
  file_ = std::fopen(special ? target_.c_str() : temporary_.c_str(), "wb");
  if (file_ == nullptr) {
    temporary_.clear();  // not ours: nothing to remove
    fail(errno);
  }
}

WholeFile::~WholeFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
  }
  if (!temporary_.empty()) {
    std::error_code unused;
    std::filesystem::remove(temporary_, unused);
  }
}

void WholeFile::write(std::string_view bytes) {
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail(errno);
  }
  written_ += static_cast<std::int64_t>(bytes.size());
}

void WholeFile::commit() {
  errno = 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    fail(errno);
  }
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail(errno);
    }
    temporary_.clear();
  }
}

void WholeFile::fail(int error) {
  throw RunError(fmt::format(
      "cannot write {}: {}", path_,
      error == 0 ? std::string("unknown reason") : std::generic_category().message(error)));
}

}  // namespace parsim
