#include "sim/scenario/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/text.h"

namespace parsim {
namespace {

std::string number_text(double value) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  SIM_CHECK(error == std::errc(), "a number of at most 64 characters");
  return std::string(buffer.data(), end);
}

bool is_scalar(const Json& value) {
  return value.kind != Json::Kind::array && value.kind != Json::Kind::object;
}

std::string scalar_text(const Json& value) {
  switch (value.kind) {
    case Json::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Json::Kind::integer:
      return fmt::format("{}", value.integer);
    case Json::Kind::real:
      return number_text(value.real);
    case Json::Kind::string:
      return quoted(value.text);
    default:
      return "null";
  }
}

void write_pretty(const Json& value, const std::string& indent, std::string& out) {
  const std::string inner = indent + "  ";
  const bool flat = value.kind == Json::Kind::array &&
                    std::all_of(value.items.begin(), value.items.end(), is_scalar);
  if (is_scalar(value)) {
    out += scalar_text(value);
  } else if (flat) {
    std::vector<std::string> texts;
    for (const Json& item : value.items) {
      texts.push_back(scalar_text(item));
    }
    out += '[' + join(texts) + ']';
  } else if (value.kind == Json::Kind::array) {
    out += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      out += (i == 0 ? "\n" : ",\n") + inner;
      write_pretty(value.items[i], inner, out);
    }
    out += '\n' + indent + ']';
  } else if (value.members.empty()) {
    out += "{}";
  } else {
    out += '{';
    for (std::size_t i = 0; i < value.members.size(); ++i) {
      out += (i == 0 ? "\n" : ",\n") + inner + quoted(value.members[i].key) + ": ";
      write_pretty(value.members[i].value, inner, out);
    }
    out += '\n' + indent + '}';
  }
}

void write_canonical(const Json& value, std::string& out) {
  if (is_scalar(value)) {
    out += scalar_text(value);
  } else if (value.kind == Json::Kind::array) {
    out += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      out += i == 0 ? "" : ",";
      write_canonical(value.items[i], out);
    }
    out += ']';
  } else {
    std::vector<const JsonMember*> members;
    for (const JsonMember& member : value.members) {
      members.push_back(&member);
    }
    std::sort(members.begin(), members.end(),
              [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      out += (i == 0 ? "" : ",") + quoted(members[i]->key) + ':';
      write_canonical(members[i]->value, out);
    }
    out += '}';
  }
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) {
      return &member.value;
    }
  }
  return nullptr;
}

Json* Json::find(std::string_view key) {
  return const_cast<Json*>(std::as_const(*this).find(key));
}

Json& Json::add(std::string key, Json value) {
  members.push_back({std::move(key), value.place, std::move(value)});
  return members.back().value;
}

Json json_null() {
  return {};
}

Json json_boolean(bool value) {
  Json json;
  json.kind = Json::Kind::boolean;
  json.boolean = value;
  return json;
}

Json json_integer(std::int64_t value) {
  Json json;
  json.kind = Json::Kind::integer;
  json.integer = value;
  json.real = static_cast<double>(value);
  return json;
}

Json json_real(double value) {
  Json json;
  json.kind = Json::Kind::real;
  json.real = value;
  return json;
}

Json json_string(std::string value) {
  Json json;
  json.kind = Json::Kind::string;
  json.text = std::move(value);
  return json;
}

Json json_array(std::vector<Json> items) {
  Json json;
  json.kind = Json::Kind::array;
  json.items = std::move(items);
  return json;
}

Json json_object() {
  Json json;
  json.kind = Json::Kind::object;
  return json;
}

std::string pretty_json(const Json& value) {
  std::string out;
  write_pretty(value, "", out);
  return out + '\n';
}

std::string canonical_json(const Json& value) {
  std::string out;
  write_canonical(value, out);
  return out;
}

std::string describe_json(const Json& value) {
  switch (value.kind) {
    case Json::Kind::null:
      return "null";
    case Json::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Json::Kind::integer:
    case Json::Kind::real:
      return fmt::format("the number {}",
                         value.text.size() > 40 ? value.text.substr(0, 37) + "..." : value.text);
    case Json::Kind::string:
      return fmt::format("the string {}", quoted_short(value.text));
    case Json::Kind::array:
      return "an array";
    case Json::Kind::object:
      return "an object";
  }
  return "";
}

std::string child_pointer(const std::string& pointer, std::string_view key) {
  std::string out = pointer + '/';
  for (const char c : key) {
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

std::vector<std::string> pointer_keys(std::string_view pointer) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      keys.emplace_back();
    } else if (keys.empty()) {
      keys.emplace_back();  // not a pointer: it lacks the first slash and names nothing
      keys.back() = std::string(pointer);
      return keys;
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      keys.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      keys.back() += pointer[i];
    }
  }
  return keys;
}

const Json* find_pointer(const Json& root, std::string_view pointer) {
  if (!pointer.empty() && pointer[0] != '/') {
    return nullptr;
  }
  const Json* value = &root;
  for (const std::string& key : pointer_keys(pointer)) {
    if (value->kind == Json::Kind::array) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      const bool whole = error == std::errc() && end == key.data() + key.size();
      value = whole && index < value->items.size() ? &value->items[index] : nullptr;
    } else {
      value = value->find(key);
    }
    if (value == nullptr) {
      return nullptr;
    }
  }
  return value;
}

}  // namespace parsim
