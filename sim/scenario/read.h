#pragma once

#include <string>

#include "sim/scenario/documents.h"
#include "sim/scenario/json_value.h"
#include "sim/scenario/scenario.h"

namespace parsim {

/// Reads a JSON object into T by its field table. Every mistake is added with its place; its
/// pointer is spoiled. Fields with a mistake keep their default. Components given by name have been
/// replaced by their files' content before. T: Scenario, Model, Device, Node, Fabric.
template <class T>
[[nodiscard]] T read_json(const Json& value, const std::string& pointer, Mistakes& mistakes);

extern template Scenario read_json<Scenario>(const Json&, const std::string&, Mistakes&);
extern template Model read_json<Model>(const Json&, const std::string&, Mistakes&);
extern template Device read_json<Device>(const Json&, const std::string&, Mistakes&);
extern template Node read_json<Node>(const Json&, const std::string&, Mistakes&);
extern template Fabric read_json<Fabric>(const Json&, const std::string&, Mistakes&);

}  // namespace parsim
