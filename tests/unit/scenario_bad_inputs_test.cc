#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/scenario_fixture.h"

namespace parsim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> stems(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kBadInputs)) {
    if (entry.path().extension() == extension) {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("every bad input gives its exact message and position") {
  fs::current_path(kBadInputs);
  const std::vector<std::string> names = stems(".json");
  CHECK(names.size() >= 45);
  CHECK(names == stems(".expected"));
  for (const std::string& name : names) {
    INFO(name);
    CHECK("exit 2\n" + outcome(name + ".json", {}, "models") + "\n" ==
          read_file(name + ".expected"));
  }
}

TEST_CASE("every mistake of a bad input carries a hint") {
  for (const std::string& name : stems(".json")) {
    INFO(name);
    try {
      static_cast<void>(load_scenario({kBadInputs + "/" + name + ".json", {}, kBadInputs}));
      FAIL("accepted");
    } catch (const InputError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) {
        CHECK_FALSE(diagnostic.hint.empty());
      }
    }
  }
}

TEST_CASE("files that cannot be scenarios are refused in words") {
  const TestFolder folder;
  CHECK(outcome(folder.path()) ==
        folder.path() + ": is a folder, not a file\nhint: name a file in it");
  CHECK_THAT(outcome(folder.path() + "/none.json"),
             Catch::Contains("cannot be read: No such file or directory"));
  const std::string big = folder.write("big.json", "{");
  fs::resize_file(big, 50'000'000);
  CHECK_THAT(outcome(big), Catch::Contains("the file is larger than 16 MiB"));
  const std::string deep = folder.write("deep.json", std::string(100'000, '['));
  CHECK(outcome(deep) == deep +
                             ":1:65: nesting deeper than 64 levels\nhint: a scenario needs "
                             "fewer than ten");
  if (::geteuid() != 0) {
    const std::string secret = folder.write("secret.json", "{}");
    fs::permissions(secret, fs::perms::none);
    CHECK(outcome(secret) ==
          secret + ": cannot be read: Permission denied\nhint: its permissions do not allow it");
  }
}

TEST_CASE("thousands of mistakes end in a list that can be read, quickly") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += "\"key" + std::to_string(i % 150'000) + "\": 1,\n";
  }
  const TestFolder folder;
  const std::string file = folder.write("many.json", text + "\"last\": 1}");
  const std::string printed = outcome(file);
  CHECK(std::count(printed.begin(), printed.end(), '\n') < 450);
  CHECK_THAT(printed, Catch::EndsWith(file + ": and 150004 more mistakes"));
}

TEST_CASE("a byte order mark is accepted and does not shift columns of later lines") {
  const TestFolder folder;
  const std::string good = read_file(kGoodScenarios + "/transformer.json");
  CHECK(outcome(folder.write("bom.json", "\xEF\xBB\xBF" + good)) == "ok");
  const std::string bad = folder.write("bad.json", "\xEF\xBB\xBF{\n  \"model\": 3}");
  CHECK_THAT(
      outcome(bad),
      Catch::Contains(bad + ":2:12: /model: must be an object or a name from models/networks/"));
}

}  // namespace parsim
