#include <algorithm>
#include <set>

#include "sim/scenario/json_value.h"
#include "tests/catch.h"
#include "tests/unit/scenario_fixture.h"

namespace parsim {
namespace {

/// Every object key below `value` that is not inside a map of the user's own keys.
void collect_keys(const Json& value, std::set<std::string>& keys) {
  for (const JsonMember& member : value.members) {
    if (member.key != "sources") {
      keys.insert(member.key);
      collect_keys(member.value, keys);
    }
  }
  for (const Json& item : value.items) {
    collect_keys(item, keys);
  }
}

}  // namespace

TEST_CASE("the schema is JSON, names its draft and refuses unknown keys in every object") {
  const JsonParse parsed = parse_json(scenario_schema(), 0);
  REQUIRE(parsed.syntax.empty());
  CHECK(parsed.duplicates.empty());
  CHECK(parsed.value.find("$schema")->text == "https://json-schema.org/draft/2020-12/schema");
  for (const JsonMember& table : parsed.value.find("$defs")->members) {
    INFO(table.key);
    if (table.key != "model") {
      CHECK_FALSE(table.value.find("additionalProperties")->boolean);
    }
  }
}

TEST_CASE("every key of a resolved scenario stands in the schema and in the reference page") {
  std::set<std::string> keys;
  for (const std::string name : {"transformer", "layers"}) {
    collect_keys(parse_json(load_good(name).resolved_json, 0).value, keys);
  }
  REQUIRE(keys.size() > 60);
  const std::string schema = scenario_schema();
  const std::string reference = scenario_reference();
  for (const std::string& key : keys) {
    INFO(key);
    CHECK(schema.find("\"" + key + "\"") != std::string::npos);
    CHECK(reference.find(key) != std::string::npos);
  }
}

TEST_CASE("the reference page gives type, default and meaning of each key") {
  const std::string reference = scenario_reference();
  CHECK_THAT(reference, Catch::Contains("| `micro` | whole number, 1 to 1,099,511,627,776 | `1` | "
                                        "samples per micro-batch and replica |"));
  CHECK_THAT(reference, Catch::Contains("| `bucket` | a size above zero, e.g. `\"80 GiB\"` | "
                                        "`\"25 MiB\"` |"));
  CHECK_THAT(reference, Catch::Contains("| `order` | list of: `\"data\"`, `\"tensor\"`, "
                                        "`\"pipeline\"` | `[\"tensor\", \"data\", \"pipeline\"]`"));
  CHECK_THAT(reference, Catch::Contains("or a name from `models/devices/` | **required** |"));
}

TEST_CASE("the catalogue lists files with their key figures and sources, sorted") {
  const std::vector<CatalogueEntry> entries = list_catalogue(kBadInputs + "/models");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].kind == "fabric");
  CHECK(entries[0].name == "flat");
  CHECK(entries[0].summary == "non-blocking, 1 us");
  CHECK(entries[1].kind == "network");
  CHECK(entries[1].summary == "96 layers, hidden 12288, 96 heads, vocabulary 51200, gelu");
  CHECK(entries[1].sources.at("/layers") == "arXiv:2005.14165 table 2.1");
}

TEST_CASE("a broken model file stops the catalogue with its place") {
  const TestFolder folder;
  const std::string file =
      folder.write("devices/x.json", "{\"kind\": \"gpu\",\n \"memory\": 80, \"sources\": {}}");
  CHECK_THROWS_WITH(list_catalogue(folder.path()),
                    Catch::Contains(file + ":2:12: /memory: 80 has no unit") &&
                        Catch::Contains(file + ":1:1: the key \"peak\" is missing"));
}

TEST_CASE("PARSIM_MODELS chooses the models folder, else the source tree is the last resort") {
  ::setenv("PARSIM_MODELS", "/some/where", 1);
  CHECK(default_models_folder() == "/some/where");
  ::unsetenv("PARSIM_MODELS");
  CHECK(default_models_folder() == PARSIM_SOURCE_DIR "/models");
}

}  // namespace parsim
