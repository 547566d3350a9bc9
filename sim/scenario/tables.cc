#include "sim/scenario/tables.h"

#include <type_traits>
#include <utility>

#include "sim/scenario/fields_job.h"
#include "sim/scenario/write.h"

namespace parsim {
namespace {

using Shape = FieldType::Shape;

template <class T>
struct Tag {};

FieldType type_of(Tag<bool>) {
  return {Shape::boolean, {}, {}, {}, ""};
}
FieldType type_of(Tag<std::int64_t>) {
  return {Shape::integer, {}, {}, {}, ""};
}
FieldType type_of(Tag<double>) {
  return {Shape::ratio, {}, {}, {}, ""};
}
FieldType type_of(Tag<std::string>) {
  return {Shape::text, {}, {}, {}, ""};
}
FieldType type_of(Tag<Sources>) {
  return {Shape::sources, {}, {}, {}, ""};
}
FieldType type_of(Tag<Model>) {
  return {Shape::table, {}, {}, {}, "model"};
}
FieldType type_of(Tag<std::map<Precision, FlopsPerSecond>>) {
  return {Shape::peak, UnitKind::flop_rate, {}, {}, ""};
}
template <class Unit>
FieldType type_of(Tag<Quantity<Unit>>) {
  return {Shape::quantity, unit_kind(Quantity<Unit>{}), {}, {}, ""};
}
template <class T>
FieldType type_of(Tag<std::optional<T>>) {
  return type_of(Tag<T>{});
}
template <class T>
FieldType type_of(Tag<T>) {
  if constexpr (std::is_enum_v<T>) {
    FieldType type{Shape::choice, {}, {}, {}, ""};
    for (const auto& spelling : spellings(T{})) {
      type.words.emplace_back(spelling.text);
    }
    return type;
  } else {
    return {Shape::table, {}, {}, {}, std::string(title_of(T{}).name)};
  }
}
template <class T>
FieldType type_of(Tag<std::vector<T>>) {
  return {Shape::array, {}, {}, {type_of(Tag<T>{})}, ""};
}

class RowCollector {
 public:
  RowCollector(FieldTable& table, const Json& defaults) : table_(table), defaults_(defaults) {}

  template <class T>
  void field(const Field& row, const T&) {
    FieldRow collected{row, type_of(Tag<T>{}), std::nullopt};
    const Json* value = defaults_.find(row.key);
    if (!row.required && row.default_text.empty() && value != nullptr &&
        value->kind != Json::Kind::object) {
      collected.default_value = *value;
    }
    table_.rows.push_back(std::move(collected));
  }

 private:
  FieldTable& table_;
  const Json& defaults_;
};

template <class Struct>
void add_table(std::vector<FieldTable>& tables, const Json* defaults) {
  Struct value;
  FieldTable table{title_of(value), {}};
  const Json none = json_object();
  RowCollector collector(table, defaults == nullptr ? none : *defaults);
  describe(collector, value);
  tables.push_back(std::move(table));
}

}  // namespace

std::vector<FieldTable> field_tables() {
  // The writer knows the defaults of every struct; a scenario of each kind of model shows them all.
  Scenario with_layers;
  with_layers.model = LayerListModel{"", {LayerSpec{}}, {}};
  with_layers.cluster.fabric = Fabric{};
  with_layers.schedule.stage_factors = {StageFactors{}};
  const Json layers = to_json(with_layers);
  const Json transformer = to_json(Scenario{});

  std::vector<FieldTable> tables;
  add_table<Scenario>(tables, &layers);
  add_table<TransformerModel>(tables, find_pointer(transformer, "/model"));
  add_table<LayerListModel>(tables, find_pointer(layers, "/model"));
  add_table<LayerSpec>(tables, find_pointer(layers, "/model/layers/0"));
  add_table<Cluster>(tables, find_pointer(layers, "/cluster"));
  add_table<Device>(tables, find_pointer(layers, "/cluster/device"));
  add_table<Efficiency>(tables, find_pointer(layers, "/cluster/device/efficiency"));
  add_table<Node>(tables, find_pointer(layers, "/cluster/node"));
  add_table<Fabric>(tables, find_pointer(layers, "/cluster/fabric"));
  add_table<Parallel>(tables, find_pointer(layers, "/parallel"));
  add_table<StageFactors>(tables, find_pointer(layers, "/schedule/stage_factors/0"));
  add_table<ScheduleSpec>(tables, find_pointer(layers, "/schedule"));
  add_table<Batch>(tables, find_pointer(layers, "/batch"));
  add_table<Training>(tables, find_pointer(layers, "/training"));
  add_table<Costs>(tables, find_pointer(layers, "/costs"));
  return tables;
}

std::vector<std::string> model_kinds() {
  return {std::string(title_of(TransformerModel{}).name),
          std::string(title_of(LayerListModel{}).name)};
}

}  // namespace parsim
