#pragma once

#include <map>
#include <string>

namespace parsim {

/// Program → version of everything that can change a result.
[[nodiscard]] std::map<std::string, std::string> versions();

}  // namespace parsim
