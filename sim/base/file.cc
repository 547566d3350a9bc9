#include "sim/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sim/base/diagnostic.h"
#include "sim/base/whole_file.h"

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

 private:
  int number_;
};

[[noreturn]] void cannot_read(const std::string& path, const std::string& message,
                              const std::string& hint) {
  throw InputError(Diagnostic{path, 0, 0, "", message, hint});
}

std::string too_large(std::size_t largest) {
  return fmt::format("the file is larger than {} MiB", largest / (1024U * 1024U));
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
  WholeFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace parsim
