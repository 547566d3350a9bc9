#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "sim/base/file.h"
#include "tests/catch.h"

namespace parsim {
namespace {

namespace fs = std::filesystem;

/// A new empty folder, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("parsim_file_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] auto count() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

std::string mistake_of(const std::string& path, std::size_t largest = kLargestInputFile) {
  try {
    return "read: " + read_file(path, largest);
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a file is read whole, and refused with its name and the reason") {
  const Folder folder;
  const std::string file = folder / "a.json";
  write_file_atomically(file, std::string("x\0y\n", 4));
  CHECK(read_file(file) == std::string("x\0y\n", 4));
  CHECK(read_file(file, 4).size() == 4);
  CHECK(mistake_of(file, 3) ==
        file +
            ": the file is larger than 0 MiB\nhint: is this the right file? such inputs are a "
            "few kilobytes");
  CHECK(mistake_of(folder / "none") ==
        (folder / "none") +
            ": cannot be read: No such file or directory\nhint: check the path; it is taken from "
            "the current folder");
  CHECK(mistake_of(folder / "") ==
        (folder / "") + ": is a folder, not a file\nhint: name a file in it");
}

TEST_CASE("a 50 MB file is refused without being read") {
  const Folder folder;
  std::ofstream(folder / "big").put('{');
  fs::resize_file(folder / "big", 50'000'000);
  CHECK_THAT(mistake_of(folder / "big"), Catch::Contains("the file is larger than 16 MiB"));
}

TEST_CASE("writing replaces the file, keeps its mode and links, and leaves nothing else") {
  const Folder folder;
  const std::string file = folder / "out.json";
  write_file_atomically(file, "one");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(file, "two");
  CHECK(read_file(file) == "two");
  CHECK((fs::status(file).permissions() & fs::perms::group_read) == fs::perms::none);
  fs::create_symlink(file, folder / "link");
  write_file_atomically(folder / "link", "three");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(file) == "three");
  CHECK(folder.count() == 2);
}

TEST_CASE("a file that cannot be written leaves nothing behind and says why") {
  const Folder folder;
  CHECK_THROWS_WITH(
      write_file_atomically(folder / "no/such/out.json", "x"),
      "cannot write " + (folder / "no/such/out.json") + ": No such file or directory");
  fs::create_directory(folder / "sub");
  CHECK_THROWS_AS(write_file_atomically(folder / "sub", "x"), RunError);
  CHECK(folder.count() == 1);
  write_file_atomically("/dev/null", "a device is written, not replaced");
  CHECK(fs::is_character_file("/dev/null"));
}

}  // namespace parsim
