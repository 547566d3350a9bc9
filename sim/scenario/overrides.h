#pragma once

#include <string>

#include "sim/scenario/components.h"

namespace parsim {

/// Applies one `path=value` of --set to the scenario. The path is keys joined by dots, with array
/// indexes as `[2]` or `.2`; objects on the way that are missing are made, names on the way are
/// resolved. The value is read as JSON if it is JSON, else it is a text. What is wrong is added to
/// the mistakes under the label `--set path=value`; whether the key exists is the reader's
/// question.
void apply_override(Assembly& assembly, const std::string& text);

}  // namespace parsim
