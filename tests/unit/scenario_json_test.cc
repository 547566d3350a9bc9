#include "sim/scenario/json_value.h"
#include "tests/catch.h"

namespace parsim {
namespace {

/// The text at a value's place, as far as `length`.
std::string text_at(const std::string& text, const Json& value, std::size_t length) {
  return text.substr(value.place.offset, length);
}

}  // namespace

TEST_CASE("every value and key knows where it begins") {
  const std::string text =
      "{ \"a\\\"b\" : [1, -2.5e3 ,\"x\\\\\",\n true,false, null, {}, []], \"c\":{\"d\":\"e\"} }";
  const JsonParse parsed = parse_json(text, 3);
  REQUIRE(parsed.syntax.empty());
  const Json& list = *parsed.value.find("a\"b");
  CHECK(text_at(text, list, 3) == "[1,");
  CHECK(text_at(text, list.items[0], 2) == "1,");
  CHECK(text_at(text, list.items[1], 6) == "-2.5e3");
  CHECK(list.items[1].text == "-2.5e3");
  CHECK(text_at(text, list.items[2], 5) == "\"x\\\\\"");
  CHECK(text_at(text, list.items[3], 4) == "true");
  CHECK(text_at(text, list.items[4], 5) == "false");
  CHECK(text_at(text, list.items[5], 4) == "null");
  CHECK(text_at(text, list.items[6], 2) == "{}");
  CHECK(text_at(text, list.items[7], 2) == "[]");
  CHECK(text_at(text, *find_pointer(parsed.value, "/c/d"), 3) == "\"e\"");
  CHECK(text.substr(parsed.value.find("c")->members[0].key_place.offset, 3) == "\"d\"");
  CHECK(list.place.document == 3);
}

TEST_CASE("duplicate keys are found at any depth, and the first value is kept") {
  const JsonParse parsed = parse_json("{\"a\": {\"k\": 1,\n \"k\": {\"z\": 2}, \"m\": 3}}", 0);
  REQUIRE(parsed.duplicates.size() == 1);
  CHECK(parsed.duplicates[0].pointer == "/a/k");
  CHECK(parsed.duplicates[0].offset == 16);
  CHECK(find_pointer(parsed.value, "/a/k")->integer == 1);
  CHECK(find_pointer(parsed.value, "/a/m")->integer == 3);
}

TEST_CASE("64 levels are read, 65 are not") {
  CHECK(parse_json(std::string(64, '[') + std::string(64, ']'), 0).syntax.empty());
  CHECK(parse_json(std::string(65, '[') + std::string(65, ']'), 0).syntax.size() == 1);
}

TEST_CASE("integers keep 64 bits; larger ones keep their text") {
  const JsonParse parsed =
      parse_json("[9223372036854775807, -9223372036854775808, 9223372036854775808, 2.0]", 0);
  CHECK(parsed.value.items[0].integer == INT64_MAX);
  CHECK(parsed.value.items[1].integer == INT64_MIN);
  CHECK(parsed.value.items[2].kind == Json::Kind::real);
  CHECK(parsed.value.items[2].text == "9223372036854775808");
  CHECK(parsed.value.items[3].kind == Json::Kind::real);
}

TEST_CASE("pointers escape and unescape as RFC 6901 says") {
  CHECK(child_pointer("/a", "b/c~d") == "/a/b~1c~0d");
  CHECK(pointer_keys("/a/b~1c~0d") == std::vector<std::string>{"a", "b/c~d"});
  CHECK(pointer_keys("").empty());
  CHECK(pointer_keys("/") == std::vector<std::string>{""});
  const Json root = parse_json("{\"a\": [10, {\"b/c\": 20}]}", 0).value;
  CHECK(find_pointer(root, "") == &root);
  CHECK(find_pointer(root, "/a/0")->integer == 10);
  CHECK(find_pointer(root, "/a/1/b~1c")->integer == 20);
  for (const char* nowhere : {"a", "/b", "/a/2", "/a/-1", "/a/x", "/a/0/y", "/"}) {
    CHECK(find_pointer(root, nowhere) == nullptr);
  }
}

TEST_CASE("canonical text sorts keys and drops blanks; pretty text reads back to the same") {
  const std::string text = "{\"b\": [1, 2.5], \"a\": {\"d\": null, \"c\": \"x\\ny\"}}";
  const Json value = parse_json(text, 0).value;
  CHECK(canonical_json(value) == "{\"a\":{\"c\":\"x\\ny\",\"d\":null},\"b\":[1,2.5]}");
  CHECK(canonical_json(parse_json(pretty_json(value), 0).value) == canonical_json(value));
  CHECK(pretty_json(value) ==
        "{\n  \"b\": [1, 2.5],\n  \"a\": {\n    \"d\": null,\n    \"c\": \"x\\ny\"\n  }\n}\n");
}

}  // namespace parsim
