#include "sim/scenario/write.h"

#include <type_traits>
#include <utility>

#include "sim/base/unit_text.h"
#include "sim/scenario/fields_job.h"

namespace parsim {
namespace {

Json to_value(bool value) {
  return json_boolean(value);
}
Json to_value(std::int64_t value) {
  return json_integer(value);
}
Json to_value(double value) {
  return json_real(value);
}
Json to_value(const std::string& value) {
  return json_string(value);
}

template <class Tag>
Json to_value(Quantity<Tag> value) {
  return json_string(exact_text(value));
}

template <class Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
Json to_value(Enum value) {
  return json_string(std::string(spelling_of(value)));
}

template <class Struct, std::enable_if_t<std::is_class_v<Struct>, int> = 0>
Json to_value(const Struct& value);

template <class Item>
Json to_value(const std::vector<Item>& values) {
  Json array = json_array();
  for (const Item& value : values) {
    array.items.push_back(to_value(value));
  }
  return array;
}

Json to_value(const std::map<Precision, FlopsPerSecond>& peak) {
  Json object = json_object();
  for (const auto& [precision, rate] : peak) {
    object.add(std::string(spelling_of(precision)), to_value(rate));
  }
  return object;
}

Json to_value(const Sources& sources) {
  Json object = json_object();
  for (const auto& [pointer, text] : sources) {
    object.add(pointer, json_string(text));
  }
  return object;
}

Json to_value(const Model& model) {
  Json object = json_object();
  object.add("kind", json_string(std::holds_alternative<TransformerModel>(model) ? "transformer"
                                                                                 : "layers"));
  Json fields = std::visit([](const auto& kind) { return to_value(kind); }, model);
  for (JsonMember& member : fields.members) {
    object.add(member.key, std::move(member.value));
  }
  return object;
}

/// True for what stands for "not given".
bool is_absent(const Field&, const std::string& text) {
  return text.empty();
}
bool is_absent(const Field&, const Sources& sources) {
  return sources.empty();
}
bool is_absent(const Field& row, std::int64_t number) {
  return number == 0 && !row.default_text.empty();
}
template <class Item>
bool is_absent(const Field&, const std::vector<Item>& items) {
  return items.empty();
}
template <class T>
bool is_absent(const Field&, const T&) {
  return false;
}

class Writer {
 public:
  template <class T>
  void field(const Field& row, const T& member) {
    if (!is_absent(row, member)) {
      object_.add(std::string(row.key), to_value(member));
    }
  }
  template <class T>
  void field(const Field& row, const std::optional<T>& member) {
    if (member) {
      object_.add(std::string(row.key), to_value(*member));
    }
  }
  [[nodiscard]] Json take() { return std::move(object_); }

 private:
  Json object_ = json_object();
};

template <class Struct, std::enable_if_t<std::is_class_v<Struct>, int>>
Json to_value(const Struct& value) {
  Writer writer;
  // A table takes its struct by reference so that the reader can fill it; the writer only looks.
  Struct copy = value;
  describe(writer, copy);
  return writer.take();
}

}  // namespace

Json to_json(const Scenario& scenario) {
  return to_value(scenario);
}

}  // namespace parsim
