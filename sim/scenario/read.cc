#include "sim/scenario/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "sim/base/text.h"
#include "sim/scenario/fields_job.h"
#include "sim/scenario/read_scalars.h"

namespace parsim {
namespace {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsQuantity : std::false_type {};
template <class Tag>
struct IsQuantity<Quantity<Tag>> : std::true_type {};

using Peak = std::map<Precision, FlopsPerSecond>;

template <class T>
void read_value(const Slot& slot, Mistakes& mistakes, T& out);

/// Reads one object: a field at a time, then whatever is left is unknown.
class ObjectReader {
 public:
  ObjectReader(const Json& object, const std::string& pointer, Mistakes& mistakes)
      : object_(object), pointer_(pointer), mistakes_(mistakes) {}

  template <class T>
  void field(const Field& row, T& member) {
    known_.emplace_back(row.key);
    const Json* value = object_.find(row.key);
    const std::string pointer = child_pointer(pointer_, row.key);
    if (value == nullptr) {
      if (row.required) {
        missing_.push_back(row);
        mistakes_.spoil(pointer);
      }
      return;
    }
    if constexpr (std::is_same_v<T, Sources>) {
      read_sources({*value, pointer, row}, member);
    } else {
      read_value({*value, pointer, row}, mistakes_, member);
    }
  }

  /// A key that is allowed but read elsewhere.
  void allow(std::string_view key) { known_.emplace_back(key); }

  /// Reports the keys that no field asked for, then the required ones that are not there; one that
  /// is there with a slip of the pen is reported once, as unknown.
  void finish() {
    std::set<std::string> meant_keys;
    for (const JsonMember& member : object_.members) {
      if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) {
        continue;
      }
      if (mistakes_.full()) {
        mistakes_.add({});  // only counted: no more suggestions are looked for
        continue;
      }
      const auto meant = nearest(member.key, known_);
      if (meant) {
        meant_keys.insert(*meant);
        mistakes_.spoil(child_pointer(pointer_, *meant));
      }
      mistakes_.add(
          {member.key_place, child_pointer(pointer_, member.key),
           fmt::format("unknown key {}", quoted_short(member.key)),
           meant ? fmt::format("did you mean \"{}\"?", *meant) : "known keys: " + join(known_)});
    }
    for (const Field& row : missing_) {
      if (meant_keys.count(std::string(row.key)) == 0) {
        mistakes_.add({object_.place, pointer_, fmt::format("the key \"{}\" is missing", row.key),
                       fmt::format("\"{}\": {}", row.key, row.doc)});
      }
    }
  }

 private:
  /// Provenance: each key is a pointer to a value in this very object.
  void read_sources(const Slot& slot, Sources& out) {
    if (!expect_kind(slot, Json::Kind::object, "an object of texts", mistakes_)) {
      return;
    }
    for (const JsonMember& member : slot.json.members) {
      const std::string pointer = child_pointer(slot.pointer, member.key);
      if (find_pointer(object_, member.key) == nullptr) {
        mistakes_.add({member.key_place, pointer,
                       fmt::format("{} names no value here", quoted_short(member.key)),
                       "a source's key is a JSON pointer such as \"/memory\" or \"/peak/bf16\""});
        continue;
      }
      if (const auto text = read_string({member.value, pointer, slot.field}, mistakes_)) {
        out[member.key] = *text;
      }
    }
  }

  const Json& object_;
  const std::string& pointer_;
  Mistakes& mistakes_;
  std::vector<std::string> known_;
  std::vector<Field> missing_;
};

std::string object_needed(const Field& field) {
  return field.folder.empty() ? std::string("an object")
                              : fmt::format("an object or a name from models/{}/", field.folder);
}

template <class T>
void read_object(const Slot& slot, Mistakes& mistakes, T& out) {
  if (!expect_kind(slot, Json::Kind::object, object_needed(slot.field), mistakes)) {
    return;
  }
  ObjectReader reader(slot.json, slot.pointer, mistakes);
  describe(reader, out);
  if constexpr (std::is_same_v<T, Scenario>) {
    reader.allow("$schema");
  }
  if constexpr (std::is_same_v<T, TransformerModel> || std::is_same_v<T, LayerListModel>) {
    reader.allow("kind");
  }
  reader.finish();
}

void read_model(const Slot& slot, Mistakes& mistakes, Model& out) {
  if (!expect_kind(slot, Json::Kind::object, object_needed(slot.field), mistakes)) {
    return;
  }
  const std::string pointer = child_pointer(slot.pointer, "kind");
  const Field row = {.key = "kind", .doc = "the kind of model", .required = true};
  const Json* kind = slot.json.find(row.key);
  if (kind == nullptr) {
    mistakes.spoil(slot.pointer);
    mistakes.add({slot.json.place, slot.pointer, "the key \"kind\" is missing",
                  "\"kind\": \"transformer\" or \"layers\""});
    return;
  }
  const auto choice = read_choice({*kind, pointer, row}, {"transformer", "layers"}, mistakes);
  if (!choice) {
    mistakes.spoil(slot.pointer);
  } else if (*choice == 0) {
    read_object(slot, mistakes, out.emplace<TransformerModel>());
  } else {
    read_object(slot, mistakes, out.emplace<LayerListModel>());
  }
}

void read_peak(const Slot& slot, Mistakes& mistakes, Peak& out) {
  if (!expect_kind(slot, Json::Kind::object, "an object of rates by precision", mistakes)) {
    return;
  }
  if (slot.json.members.empty()) {
    reject(slot, "is empty", "give at least one, e.g. {\"bf16\": \"312 TFLOP/s\"}", mistakes);
  }
  std::vector<std::string> names;
  for (const auto& spelling : spellings(Precision{})) {
    names.emplace_back(spelling.text);
  }
  for (const JsonMember& member : slot.json.members) {
    const std::string pointer = child_pointer(slot.pointer, member.key);
    const auto name = std::find(names.begin(), names.end(), member.key);
    if (name == names.end()) {
      const std::string meant = did_you_mean(member.key, names);
      mistakes.spoil(pointer);
      mistakes.add({member.key_place, pointer,
                    fmt::format("unknown precision {}", quoted_short(member.key)),
                    meant.empty() ? "known precisions: " + join(names) : meant});
    } else if (const auto rate = read_quantity({member.value, pointer, slot.field},
                                               UnitKind::flop_rate, mistakes)) {
      const auto index = static_cast<std::size_t>(name - names.begin());
      out[spellings(Precision{})[index].value] = FlopsPerSecond{*rate};
    }
  }
}

template <class Item>
void read_array(const Slot& slot, Mistakes& mistakes, std::vector<Item>& out) {
  if (!expect_kind(slot, Json::Kind::array, "an array", mistakes)) {
    return;
  }
  out.clear();
  for (std::size_t i = 0; i < slot.json.items.size() && !mistakes.full(); ++i) {
    const std::string pointer = child_pointer(slot.pointer, std::to_string(i));
    read_value({slot.json.items[i], pointer, slot.field}, mistakes, out.emplace_back());
  }
}

template <class Enum>
void read_enum(const Slot& slot, Mistakes& mistakes, Enum& out) {
  std::vector<std::string_view> words;
  for (const auto& spelling : spellings(out)) {
    words.push_back(spelling.text);
  }
  if (const auto choice = read_choice(slot, words, mistakes)) {
    out = spellings(out)[*choice].value;
  }
}

template <class T>
void keep(const std::optional<T>& read, T& out) {
  if (read) {
    out = *read;
  }
}

template <class T>
void read_value(const Slot& slot, Mistakes& mistakes, T& out) {
  if (mistakes.is_spoiled_exactly(slot.pointer)) {
    return;  // reported already
  }
  if constexpr (std::is_same_v<T, bool>) {
    keep(read_boolean(slot, mistakes), out);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    keep(read_integer(slot, mistakes), out);
  } else if constexpr (std::is_same_v<T, double>) {
    keep(read_ratio(slot, mistakes), out);
  } else if constexpr (std::is_same_v<T, std::string>) {
    keep(read_string(slot, mistakes), out);
  } else if constexpr (IsQuantity<T>::value) {
    if (const auto value = read_quantity(slot, unit_kind(out), mistakes)) {
      out = T{*value};
    }
  } else if constexpr (std::is_enum_v<T>) {
    read_enum(slot, mistakes, out);
  } else if constexpr (IsOptional<T>::value) {
    typename T::value_type value{};
    const std::size_t before = mistakes.total();
    read_value(slot, mistakes, value);
    // A scalar with a mistake stays absent; an object keeps what could be read.
    if (std::is_same_v<typename T::value_type, Fabric> || mistakes.total() == before) {
      out = std::move(value);
    }
  } else if constexpr (IsVector<T>::value) {
    read_array(slot, mistakes, out);
  } else if constexpr (std::is_same_v<T, Model>) {
    read_model(slot, mistakes, out);
  } else if constexpr (std::is_same_v<T, Peak>) {
    read_peak(slot, mistakes, out);
  } else {
    read_object(slot, mistakes, out);
  }
}

}  // namespace

template <class T>
T read_json(const Json& value, const std::string& pointer, Mistakes& mistakes) {
  T out;
  const Field whole = {.key = "", .doc = ""};
  read_value(Slot{value, pointer, whole}, mistakes, out);
  return out;
}

template Scenario read_json<Scenario>(const Json&, const std::string&, Mistakes&);
template Model read_json<Model>(const Json&, const std::string&, Mistakes&);
template Device read_json<Device>(const Json&, const std::string&, Mistakes&);
template Node read_json<Node>(const Json&, const std::string&, Mistakes&);
template Fabric read_json<Fabric>(const Json&, const std::string&, Mistakes&);

}  // namespace parsim
