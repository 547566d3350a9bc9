#include <fmt/format.h>

#include <utility>

#include "sim/base/check.h"
#include "sim/scenario/load.h"
#include "sim/scenario/tables.h"
#include "sim/schedule/rules.h"

namespace parsim {
namespace {

Json object_of(std::vector<std::pair<std::string, Json>> members) {
  Json object = json_object();
  for (auto& [key, value] : members) {
    object.add(key, std::move(value));
  }
  return object;
}

Json words_of(const std::vector<std::string>& words) {
  Json array = json_array();
  for (const std::string& word : words) {
    array.items.push_back(json_string(word));
  }
  return array;
}

Json reference_to(const std::string& table) {
  return object_of({{"$ref", json_string("#/$defs/" + table)}});
}

Json quantity_schema(UnitKind kind, bool positive) {
  return object_of({{"type", json_string("string")},
                    {"pattern", json_string(quantity_pattern(kind, positive))}});
}

Json peak_schema(const Field& field) {
  Json properties = json_object();
  for (const auto& spelling : spellings(Precision{})) {
    properties.add(std::string(spelling.text),
                   quantity_schema(UnitKind::flop_rate, field.positive));
  }
  return object_of({{"type", json_string("object")},
                    {"minProperties", json_integer(1)},
                    {"additionalProperties", json_boolean(false)},
                    {"properties", std::move(properties)}});
}

Json type_schema(const Field& field, const FieldType& type) {
  switch (type.shape) {
    case FieldType::Shape::boolean:
      return object_of({{"type", json_string("boolean")}});
    case FieldType::Shape::integer:
      return object_of({{"type", json_string("integer")},
                        {"minimum", json_integer(field.least)},
                        {"maximum", json_integer(field.most)}});
    case FieldType::Shape::ratio:
      return object_of({{"type", json_string("number")},
                        {"minimum", json_real(field.low)},
                        {"maximum", json_real(field.high)}});
    case FieldType::Shape::text: {
      Json schema = object_of({{"type", json_string("string")}});
      if (!field.one_of.empty()) {
        schema.add("enum", words_of({field.one_of.begin(), field.one_of.end()}));
      }
      if (!field.item_pattern.empty()) {
        schema.add("pattern", json_string(std::string(field.item_pattern)));
      }
      return schema;
    }
    case FieldType::Shape::quantity:
      return quantity_schema(type.unit, field.positive);
    case FieldType::Shape::choice:
      return object_of({{"type", json_string("string")}, {"enum", words_of(type.words)}});
    case FieldType::Shape::array:
      return object_of(
          {{"type", json_string("array")}, {"items", type_schema(field, type.item.front())}});
    case FieldType::Shape::peak:
      return peak_schema(field);
    case FieldType::Shape::sources:
      return object_of({{"type", json_string("object")},
                        {"propertyNames", object_of({{"pattern", json_string("^(/|$)")}})},
                        {"additionalProperties", object_of({{"type", json_string("string")}})}});
    case FieldType::Shape::table:
      return reference_to(type.table);
  }
  return json_object();
}

Json property_schema(const FieldRow& row) {
  Json schema = type_schema(row.field, row.type);
  if (!row.field.folder.empty()) {
    Json choices = json_array();
    choices.items.push_back(
        object_of({{"type", json_string("string")}, {"pattern", json_string("^[^/\\\\]+$")}}));
    choices.items.push_back(std::move(schema));
    schema = object_of({{"anyOf", std::move(choices)}});
  }
  schema.add("description", json_string(std::string(row.field.doc)));
  if (row.default_value) {
    schema.add("default", *row.default_value);
  }
  return schema;
}

/// Orders and group belong to one schedule each, and every schedule has its chunks.
std::string schedule_rules_json() {
  std::string text =
      R"([{"if": {"properties": {"name": {"const": "explicit"}}, "required": ["name"]},
           "then": {"anyOf": [{"required": ["orders"]}, {"required": ["file"]}]},
           "else": {"properties": {"orders": false, "file": false}}},
          {"if": {"not": {"properties": {"name": {"const": "interleaved-1f1b"}}, "required": ["name"]}},
           "then": {"properties": {"group": false}}},
          {"if": {"not": {"properties": {"name": {"const": "auto"}}, "required": ["name"]}},
           "then": {"properties": {"in_flight_limit": false}}},
          {"if": {"not": {"properties": {"name": {"const": "seq1f1b"}}, "required": ["name"]}},
           "then": {"properties": {"slices": {"const": 1}}}})";
  const ScheduleSpec defaults;
  for (const ScheduleRule& rule : schedule_rules()) {
    const std::string needed = rule.name == defaults.name ? "" : R"(, "required": ["name"])";
    if (rule.least_chunks > 1) {
      text += fmt::format(
          R"(, {{"if": {{"properties": {{"name": {{"const": "{}"}}}}{}}},
               "then": {{"properties": {{"chunks": {{"minimum": {}}}}}, "required": ["chunks"]}}}})",
          rule.spelling, needed, rule.least_chunks);
    }
    if (rule.most_chunks > 0) {
      text += fmt::format(R"(, {{"if": {{"properties": {{"name": {{"const": "{}"}}}}{}}},
               "then": {{"properties": {{"chunks": {{"maximum": {}}}}}}}}})",
                          rule.spelling, needed, rule.most_chunks);
    }
  }
  return text + "]";
}

/// What a table cannot say: which members need which others. Empty for tables without such rules.
std::string_view rules_of(std::string_view table) {
  if (table == "transformer") {
    return R"([{"if": {"properties": {"positions": {"const": "learned"}}},
                "then": {"required": ["max_positions"]},
                "else": {"properties": {"max_positions": false}}}])";
  }
  if (table == "fabric") {
    return R"([{"if": {"properties": {"kind": {"const": "oversubscribed"}}},
                "then": {"required": ["nodes_per_leaf", "oversubscription"]},
                "else": {"properties": {"nodes_per_leaf": false, "oversubscription": false}}}])";
  }
  if (table == "node") {
    return R"([{"if": {"properties": {"interconnect": {"enum": ["nvswitch", "nvlink-pairs"]}}},
                "then": {"required": ["device_bandwidth", "device_latency"]}},
               {"if": {"properties": {"interconnect": {"enum": ["pcie", "nvlink-pairs"]}}},
                "then": {"required": ["pcie_bandwidth", "pcie_latency"]}},
               {"if": {"properties": {"nics": {"minimum": 1}}, "required": ["nics"]},
                "then": {"required": ["nic_bandwidth"]}}])";
  }
  if (table == "cluster") {
    return R"([{"if": {"properties": {"nodes": {"minimum": 2}}, "required": ["nodes"]},
                "then": {"required": ["fabric"]}}])";
  }
  if (table == "schedule") {
    static const std::string rules = schedule_rules_json();
    return rules;
  }
  if (table == "parallel") {
    return R"([{"properties": {"order": {"minItems": 3, "maxItems": 3, "uniqueItems": true}}},
               {"not": {"properties": {"sequence_parallel": {"const": true},
                                       "scatter_gather_p2p": {"const": true}},
                        "required": ["sequence_parallel", "scatter_gather_p2p"]}}])";
  }
  if (table == "layers") {
    return R"([{"properties": {"layers": {"minItems": 1}}}])";
  }
  return "";
}

Json table_schema(const FieldTable& table) {
  const std::string name(table.title.name);
  Json properties = json_object();
  Json required = json_array();
  const std::vector<std::string> kinds = model_kinds();
  for (const std::string& kind : kinds) {
    if (kind == name) {
      properties.add("kind", object_of({{"const", json_string(name)}}));
      required.items.push_back(json_string("kind"));
    }
  }
  if (name == "scenario") {
    properties.add("$schema", object_of({{"type", json_string("string")}}));
  }
  for (const FieldRow& row : table.rows) {
    properties.add(std::string(row.field.key), property_schema(row));
    if (row.field.required) {
      required.items.push_back(json_string(std::string(row.field.key)));
    }
  }
  Json schema = object_of({{"description", json_string(std::string(table.title.doc))},
                           {"type", json_string("object")},
                           {"additionalProperties", json_boolean(false)},
                           {"required", std::move(required)},
                           {"properties", std::move(properties)}});
  const std::string_view rules = rules_of(name);
  if (!rules.empty()) {
    JsonParse parsed = parse_json(rules, -1);
    SIM_CHECK(parsed.syntax.empty(), "the schema rules of " + name + " to be JSON");
    schema.add("allOf", std::move(parsed.value));
  }
  return schema;
}

Json model_schema() {
  // Branching on "kind" instead of anyOf: an editor then shows the mistake, not "no branch fits".
  Json branches = json_array();
  for (const std::string& kind : model_kinds()) {
    branches.items.push_back(object_of(
        {{"if", object_of({{"properties",
                            object_of({{"kind", object_of({{"const", json_string(kind)}})}})},
                           {"required", words_of({"kind"})}})},
         {"then", reference_to(kind)}}));
  }
  return object_of(
      {{"description", json_string("A model, described by its kind.")},
       {"type", json_string("object")},
       {"required", words_of({"kind"})},
       {"properties", object_of({{"kind", object_of({{"enum", words_of(model_kinds())}})}})},
       {"allOf", std::move(branches)}});
}

/// What spans several tables.
constexpr std::string_view kScenarioRules = R"([
  {"if": {"properties": {"model": {"type": "object", "required": ["kind"],
                                   "properties": {"kind": {"const": "transformer"}}}}},
   "then": {"properties": {"batch": {"required": ["sequence"]}}}},
  {"if": {"properties": {"model": {"type": "object", "required": ["kind"],
                                   "properties": {"kind": {"const": "layers"}}}}},
   "then": {"properties": {
     "batch": {"properties": {"sequence": false}},
     "parallel": {"properties": {"tensor": {"const": 1}, "sequence_parallel": {"const": false}}},
     "training": {"properties": {"recompute": {"not": {"const": "selective"}}}}}}},
  {"if": {"properties": {"cluster": {"required": ["nodes", "node"],
                                     "properties": {"nodes": {"minimum": 2},
                                                    "node": {"type": "object"}}}}},
   "then": {"properties": {"cluster": {"properties": {"node": {
     "required": ["nics"], "properties": {"nics": {"minimum": 1}}}}}}}}
])";

}  // namespace

std::string scenario_schema() {
  Json schema = object_of({{"$schema", json_string("https://json-schema.org/draft/2020-12/schema")},
                           {"title", json_string("parsim scenario")}});
  Json definitions = json_object();
  for (const FieldTable& table : field_tables()) {
    Json described = table_schema(table);
    if (table.title.name == "scenario") {
      for (JsonMember& member : described.members) {
        schema.add(member.key, std::move(member.value));
      }
    } else {
      definitions.add(std::string(table.title.name), std::move(described));
    }
  }
  JsonParse rules = parse_json(kScenarioRules, -1);
  SIM_CHECK(rules.syntax.empty(), "the schema rules of the scenario to be JSON");
  schema.add("allOf", std::move(rules.value));
  definitions.add("model", model_schema());
  schema.add("$defs", std::move(definitions));
  return pretty_json(schema);
}

}  // namespace parsim
