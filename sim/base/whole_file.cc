#include "sim/base/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "sim/base/check.h"

namespace parsim {
namespace {

/// Where a chain of symbolic links ends, so that the links survive; the path itself if it is none.
std::string link_target(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat status = {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    fail(EISDIR);
  }
  // /dev/stdout may lead to a file that somebody else is writing to: append, never replace.
  const bool device = path_.compare(0, 5, "/dev/") == 0 || path_.compare(0, 6, "/proc/") == 0;
  if (exists && (device || !S_ISREG(status.st_mode))) {
    file_ = std::fopen(path_.c_str(), "ab");
    if (file_ == nullptr) {
      fail(errno);
    }
    return;
  }
  if (exists) {
    target_ = link_target(path_);
    if (::access(target_.c_str(), W_OK) != 0) {
      fail(errno);  // a read-only file is not replaced behind its owner's back
    }
  }
  open_beside(exists, status.st_mode & 07777U);
}

void WholeFile::open_beside(bool replaces, unsigned permissions) {
  const std::string name = fmt::format("{}.{}.tmp", target_, ::getpid());
  // Before the file is there: an interrupt in between must not leave it.
  remove_on_interrupt_.emplace(name);
  const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                                replaces ? permissions : 0666U);
  if (descriptor < 0) {
    const int error = errno;
    remove_on_interrupt_.reset();
    fail(error);
  }
  temporary_ = name;
  // The permissions of what is replaced, whatever the process's mask.
  file_ =
      !replaces || ::fchmod(descriptor, permissions) == 0 ? ::fdopen(descriptor, "wb") : nullptr;
  if (file_ == nullptr) {
    const int error = errno;
    ::close(descriptor);
    ::unlink(std::exchange(temporary_, {}).c_str());
    fail(error);
  }
}

WholeFile::~WholeFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
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
  throw RunError(fmt::format("cannot write {}: {}", path_,
                             error == 0 ? "unknown reason" : std::strerror(error)));
}

}  // namespace parsim
