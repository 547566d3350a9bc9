#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "sim/scenario/load.h"

namespace parsim {

std::string default_models_folder() {
  namespace fs = std::filesystem;
  const char* chosen = std::getenv("PARSIM_MODELS");
  if (chosen != nullptr && *chosen != '\0') {
    return chosen;
  }
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed =
        executable.parent_path().parent_path() / "share" / "parsim" / "models";
    if (fs::is_directory(installed, error)) {
      return installed.string();
    }
  }
  return PARSIM_SOURCE_DIR "/models";
}

}  // namespace parsim
