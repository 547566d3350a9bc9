#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parsim {

/// Where a value was written: a document (see documents.h) and a byte offset in its text.
struct Place {
  int document = -1;  ///< -1: nowhere, made by the program
  std::size_t offset = 0;
};

struct JsonMember;

/// A JSON value that knows where it came from. Objects keep the order of their members.
struct Json {
  enum class Kind { null, boolean, integer, real, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;  ///< also set for integers
  std::string text;   ///< string: its value; number: as it was written
  std::vector<Json> items;
  std::vector<JsonMember> members;
  Place place;

  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] Json* find(std::string_view key);
  /// Appends a member (the key must be new) and returns its value.
  Json& add(std::string key, Json value);
};

struct JsonMember {
  std::string key;
  Place key_place;
  Json value;
};

[[nodiscard]] Json json_null();
[[nodiscard]] Json json_boolean(bool value);
[[nodiscard]] Json json_integer(std::int64_t value);
[[nodiscard]] Json json_real(double value);
[[nodiscard]] Json json_string(std::string value);
[[nodiscard]] Json json_array(std::vector<Json> items = {});
[[nodiscard]] Json json_object();

/// One thing wrong with a text as JSON.
struct JsonMistake {
  std::size_t offset = 0;
  std::string pointer;
  std::string message;
  std::string hint;
};

struct JsonParse {
  Json value;
  std::vector<JsonMistake> syntax;      ///< at most one; then `value` is not to be used
  std::vector<JsonMistake> duplicates;  ///< keys given twice; the first one is kept
};

/// Reads a text as JSON (RFC 8259, nothing more), at most kDeepestNesting levels deep. Places get
/// `document`. Never throws for any bytes.
[[nodiscard]] JsonParse parse_json(std::string_view text, int document);
inline constexpr std::size_t kDeepestNesting = 64;

/// Two blanks a level; arrays of scalars on one line; ended by a newline.
[[nodiscard]] std::string pretty_json(const Json& value);
/// No blanks, members sorted by key: equal values give equal texts.
[[nodiscard]] std::string canonical_json(const Json& value);

/// "the string "x"", "the number 8", "an object", … for messages.
[[nodiscard]] std::string describe_json(const Json& value);

/// `pointer` one level down; the key is escaped as RFC 6901 asks.
[[nodiscard]] std::string child_pointer(const std::string& pointer, std::string_view key);
/// The keys of a pointer, unescaped.
[[nodiscard]] std::vector<std::string> pointer_keys(std::string_view pointer);
/// The value a pointer names, or null.
[[nodiscard]] const Json* find_pointer(const Json& root, std::string_view pointer);

}  // namespace parsim
