#pragma once

#include "sim/scenario/json_value.h"
#include "sim/scenario/scenario.h"

namespace parsim {

/// The scenario as JSON, members in the order of the field tables; quantities as exact texts. Left
/// out: empty texts and lists, absent optional values, and zeros that stand for a derived default.
[[nodiscard]] Json to_json(const Scenario& scenario);

}  // namespace parsim
