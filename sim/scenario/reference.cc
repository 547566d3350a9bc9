#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/scenario/load.h"
#include "sim/scenario/read_scalars.h"
#include "sim/scenario/tables.h"

namespace parsim {
namespace {

std::string link_to(const std::string& table) {
  return fmt::format("[{0}](#{0})", table);
}

std::string code_words(const std::vector<std::string>& words) {
  std::vector<std::string> marked;
  for (const std::string& word : words) {
    marked.push_back(fmt::format("`\"{}\"`", word));
  }
  return join(marked, ", ");
}

std::string type_text(const Field& field, const FieldType& type) {
  switch (type.shape) {
    case FieldType::Shape::boolean:
      return "`true` or `false`";
    case FieldType::Shape::integer:
      return fmt::format("whole number, {} to {}", grouped(field.least), grouped(field.most));
    case FieldType::Shape::ratio:
      return fmt::format("number, {} to {}", field.low, field.high);
    case FieldType::Shape::text:
      return field.one_of.empty() ? "text" : code_words({field.one_of.begin(), field.one_of.end()});
    case FieldType::Shape::quantity:
      return fmt::format("{}{}, e.g. `\"{}\"`", kind_name(type.unit),
                         field.positive ? " above zero" : "", kind_example(type.unit));
    case FieldType::Shape::choice:
      return code_words(type.words);
    case FieldType::Shape::array:
      return "list of: " + type_text(field, type.item.front());
    case FieldType::Shape::peak:
      return "object: precision → computing rate, e.g. `{\"bf16\": \"312 TFLOP/s\"}`";
    case FieldType::Shape::sources:
      return "object: JSON pointer in this object → text";
    case FieldType::Shape::table:
      return type.table == "model" ? "[transformer](#transformer) or [layers](#layers)"
                                   : link_to(type.table);
  }
  return "";
}

std::string default_of(const FieldRow& row) {
  if (row.field.required) {
    return "**required**";
  }
  if (!row.field.default_text.empty()) {
    return std::string(row.field.default_text);
  }
  if (row.default_value) {
    std::string text = pretty_json(*row.default_value);
    text.pop_back();
    return fmt::format("`{}`", text);
  }
  return row.type.shape == FieldType::Shape::table ? "all defaults" : "none";
}

std::string table_text(const FieldTable& table) {
  std::string text = fmt::format("## {}\n\n{}\n\n", table.title.name, table.title.doc);
  text += "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const std::string& kind : model_kinds()) {
    if (kind == table.title.name) {
      text += fmt::format("| `kind` | `\"{}\"` | **required** | the kind of model |\n", kind);
    }
  }
  for (const FieldRow& row : table.rows) {
    std::string type = type_text(row.field, row.type);
    if (!row.field.folder.empty()) {
      type += fmt::format(", or a name from `models/{}/`", row.field.folder);
    }
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.field.key, type, default_of(row),
                        row.field.doc);
  }
  return text + "\n";
}

constexpr std::string_view kOpening = R"(# Scenario reference

A scenario is one JSON file. This page is generated from the field tables that also drive the reader
and the JSON Schema (`parsim schema`). Unknown and duplicate keys are errors. A top-level `"$schema"`
is allowed and ignored. `parsim run --set a.b=value` replaces one value and is checked like the file.

Quantities are texts with a unit: sizes in `B kB MB GB TB PB` (powers of 1000), `KiB MiB GiB TiB PiB`
(powers of 1024) or bits (`b kb Mb Gb …`); data rates in a size per second (`400 Gb/s` is `50 GB/s`);
times in `ns us ms s`; work in `FLOP kFLOP MFLOP GFLOP TFLOP PFLOP` and the same per second.

)";

}  // namespace

std::string scenario_reference() {
  std::string text(kOpening);
  for (const FieldTable& table : field_tables()) {
    text += table_text(table);
  }
  text.pop_back();
  return text;
}

}  // namespace parsim
