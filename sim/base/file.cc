#include "sim/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"

namespace parsim {
namespace {

/// Closes a descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  /// Closes now; false when the system could not keep what was written.
  [[nodiscard]] bool close() {
    const int closed = ::close(number_);
    number_ = -1;
    return closed == 0;
  }

 private:
  int number_;
};

[[noreturn]] void cannot_read(const std::string& path, const std::string& message,
                              const std::string& hint) {
  throw InputError(Diagnostic{path, 0, 0, "", message, hint});
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw RunError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

std::string too_large(std::size_t largest) {
  return fmt::format("the file is larger than {} MiB", largest / (1024U * 1024U));
}

/// True when all of `content` was written; errno says why not.
bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    content.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

/// Where a chain of symbolic links ends, so that the links survive; the path itself if it is none.
std::string link_target(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

void write_directly(const std::string& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.number() < 0 || !write_all(file.number(), content)) {
    cannot_write(path, errno);
  }
}

}  // namespace

std::string read_file(const std::string& path, std::size_t largest) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) {
    cannot_read(path, fmt::format("cannot be read: {}", std::strerror(errno)),
                errno == ENOENT   ? "check the path; it is taken from the current folder"
                : errno == EACCES ? "its permissions do not allow it"
                                  : "");
  }
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    cannot_read(path, fmt::format("cannot be read: {}", std::strerror(errno)), "");
  }
  if (S_ISDIR(status.st_mode)) {
    cannot_read(path, "is a folder, not a file", "name a file in it");
  }
  const std::string too_large_hint = "is this the right file? such inputs are a few kilobytes";
  if (S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(largest)) {
    cannot_read(path, too_large(largest), too_large_hint);
  }
  std::string content;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = ::read(file.number(), buffer.data(), buffer.size());
    if (got < 0 && errno != EINTR) {
      cannot_read(path, fmt::format("cannot be read: {}", std::strerror(errno)), "");
    }
    if (got == 0) {
      return content;
    }
    content.append(buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
    if (content.size() > largest) {
      cannot_read(path, too_large(largest), too_large_hint);
    }
  }
}

void write_file_atomically(const std::string& path, std::string_view content) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    cannot_write(path, EISDIR);
  }
  // /dev/stdout may lead to a file that somebody else is writing to: append, never replace.
  const bool device = path.compare(0, 5, "/dev/") == 0 || path.compare(0, 6, "/proc/") == 0;
  if (exists && (device || !S_ISREG(status.st_mode))) {
    write_directly(path, content);
    return;
  }
  const std::string target = exists ? link_target(path) : path;
  if (exists && ::access(target.c_str(), W_OK) != 0) {
    cannot_write(path, errno);  // a read-only file is not replaced behind its owner's back
  }
  const std::string temporary = fmt::format("{}.{}.tmp", target, ::getpid());
  const mode_t mode = exists ? status.st_mode & 07777U : 0666U;
  Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
  if (file.number() < 0) {
    cannot_write(path, errno);
  }
  // The permissions of what is replaced, whatever the process's mask.
  const bool permitted = !exists || ::fchmod(file.number(), mode) == 0;
  if (!permitted || !write_all(file.number(), content) || !file.close() ||
      std::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    cannot_write(path, error);
  }
}

}  // namespace parsim
