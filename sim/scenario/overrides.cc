#include "sim/scenario/overrides.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/text.h"

namespace parsim {
namespace {

/// "a.b[2].c" → a, b, 2, c; nullopt when a part is empty or a bracket is astray.
std::optional<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> parts(1);
  bool in_brackets = false;
  bool after_brackets = false;
  for (const char c : path) {
    if (c == '[' && !in_brackets) {
      if (parts.back().empty()) {
        return std::nullopt;
      }
      parts.emplace_back();
      in_brackets = true;
    } else if (c == ']' && in_brackets) {
      in_brackets = false;
      after_brackets = true;
      continue;
    } else if (c == '.' && !in_brackets) {
      if (parts.back().empty()) {
        return std::nullopt;
      }
      parts.emplace_back();
    } else if (c == ']' || after_brackets) {
      return std::nullopt;
    } else {
      parts.back() += c;
    }
    after_brackets = false;
  }
  if (in_brackets || parts.back().empty()) {
    return std::nullopt;
  }
  return parts;
}

void place_all(Json& value, Place place) {
  value.place = place;
  for (Json& item : value.items) {
    place_all(item, place);
  }
  for (JsonMember& member : value.members) {
    member.key_place = place;
    place_all(member.value, place);
  }
}

std::optional<std::size_t> index_in(const Json& array, const std::string& text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && index < array.items.size() ? std::optional<std::size_t>(index) : std::nullopt;
}

class Override {
 public:
  Override(Assembly& assembly, const std::string& text) : assembly_(assembly) {
    place_.document = static_cast<int>(assembly.documents.size());
    assembly.documents.push_back({"--set " + text, "", ""});
  }

  /// JSON if it is JSON, else a text; nothing when it is neither.
  std::optional<Json> value_of(const std::string& text) {
    JsonParse parsed = parse_json(text, place_.document);
    if (!parsed.duplicates.empty() && parsed.syntax.empty()) {
      reject(parsed.duplicates.front().pointer, parsed.duplicates.front().message,
             parsed.duplicates.front().hint);
      return std::nullopt;
    }
    if (!parsed.syntax.empty()) {
      parsed = parse_json(quoted(text), place_.document);
    }
    if (!parsed.syntax.empty()) {
      reject("", "the value is not valid UTF-8", "write it in UTF-8");
      return std::nullopt;
    }
    place_all(parsed.value, place_);
    return std::move(parsed.value);
  }

  void set(const std::vector<std::string>& parts, Json value) {
    Json* at = &assembly_.root;
    std::string pointer;
    for (const std::string& part : parts) {
      at = step(at, pointer, part);
      if (at == nullptr) {
        return;
      }
      pointer = child_pointer(pointer, part);
    }
    *at = std::move(value);
  }

  void reject(const std::string& pointer, std::string message, std::string hint) {
    assembly_.mistakes.add({place_, pointer, std::move(message), std::move(hint)});
  }

 private:
  /// The member or element `part` of the value at `pointer`; null when there can be none.
  Json* step(Json* at, const std::string& pointer, const std::string& part) {
    for (const ComponentSite& site : component_sites()) {
      if (site.pointer == pointer) {
        resolve_component(assembly_, site, *at);
      }
    }
    if (assembly_.mistakes.is_spoiled_exactly(pointer)) {
      return nullptr;
    }
    if (at->kind == Json::Kind::array) {
      const auto index = index_in(*at, part);
      if (!index) {
        reject(pointer, fmt::format("has no element {}", quoted_short(part)),
               at->items.empty() ? "it is empty"
                                 : fmt::format("its elements are 0 to {}", at->items.size() - 1));
        return nullptr;
      }
      return &at->items[*index];
    }
    if (at->kind == Json::Kind::null && at->place.document == place_.document) {
      *at = json_object();  // made by an earlier step
      at->place = place_;
    }
    if (at->kind != Json::Kind::object) {
      reject(pointer,
             fmt::format("is {} and has no member {}", describe_json(*at), quoted_short(part)),
             fmt::format("write --set {}=VALUE", join(pointer_keys(pointer), ".")));
      return nullptr;
    }
    for (JsonMember& member : at->members) {
      if (member.key == part) {
        member.key_place = place_;
        return &member.value;
      }
    }
    Json fresh = json_null();
    fresh.place = place_;
    return &at->add(part, std::move(fresh));
  }

  Assembly& assembly_;
  Place place_;
};

}  // namespace

void apply_override(Assembly& assembly, const std::string& text) {
  Override override(assembly, text);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    override.reject("", "there is no \"=\"", "write --set path=value, e.g. parallel.tensor=8");
    return;
  }
  const std::string path = text.substr(0, equals);
  const auto parts = split_path(path);
  if (!parts) {
    override.reject("", fmt::format("{} is not a path", quoted_short(path)),
                    "write keys joined by dots, e.g. parallel.tensor or schedule.orders[0][2]");
    return;
  }
  std::optional<Json> value = override.value_of(text.substr(equals + 1));
  if (value) {
    override.set(*parts, std::move(*value));
  }
}

}  // namespace parsim
