#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/unit_text.h"
#include "sim/scenario/field.h"
#include "sim/scenario/json_value.h"

namespace parsim {

/// What a field's member type means in JSON, as data: for the schema and the reference page.
struct FieldType {
  enum class Shape { boolean, integer, ratio, text, quantity, choice, array, peak, sources, table };
  Shape shape = Shape::text;
  UnitKind unit = UnitKind::size;  ///< quantity
  std::vector<std::string> words;  ///< choice
  std::vector<FieldType> item;     ///< array: one element
  std::string table;               ///< table: the name of its table; "model" is one of two
};

struct FieldRow {
  Field field;
  FieldType type;
  std::optional<Json> default_value;  ///< none: required, or derived (field.default_text)
};

struct FieldTable {
  TableTitle title;
  std::vector<FieldRow> rows;
};

/// Every table, the scenario first, then in the order in which they are met.
[[nodiscard]] std::vector<FieldTable> field_tables();

/// Names of the tables that a "model" may be; their objects carry "kind" with this name.
[[nodiscard]] std::vector<std::string> model_kinds();

}  // namespace parsim
