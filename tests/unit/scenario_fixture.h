#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/file.h"
#include "sim/scenario/load.h"

namespace parsim {

inline const std::string kBadInputs = PARSIM_SOURCE_DIR "/tests/cli/bad_inputs";
inline const std::string kGoodScenarios = PARSIM_SOURCE_DIR "/tests/unit/data/scenarios";

/// A folder of one test process, removed at its end.
class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("parsim_scenario_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  /// Writes the file (folders are made) and returns its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    write_file_atomically(path_ / name, text);
    return path_ / name;
  }
  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What `parsim check` would print: the errors, or "ok".
inline std::string outcome(const std::string& file, const std::vector<std::string>& overrides = {},
                           const std::string& models = kBadInputs + "/models") {
  try {
    static_cast<void>(load_scenario({file, overrides, models}));
    return "ok";
  } catch (const InputError& error) {
    return error.what();
  }
}

inline LoadedScenario load_good(const std::string& name,
                                const std::vector<std::string>& overrides = {}) {
  return load_scenario({kGoodScenarios + "/" + name + ".json", overrides, kBadInputs + "/models"});
}

}  // namespace parsim
