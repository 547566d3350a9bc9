#include "sim/base/text.h"
#include "tests/catch.h"

namespace parsim {

TEST_CASE("edit distance counts inserts, deletes, replacements and swaps, not case") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("tensor", "tesnor") == 1);
  CHECK(edit_distance("tensor", "Tensor") == 0);
  CHECK(edit_distance("tensor", "tensors") == 1);
  CHECK(edit_distance("flaw", "lawn") == 2);
}

TEST_CASE("nearest finds the meant word and stays silent for a stranger") {
  const std::vector<std::string> keys = {"data", "tensor", "pipeline", "order"};
  CHECK(nearest("tensr", keys) == "tensor");
  CHECK(nearest("pipelin", keys) == "pipeline");
  CHECK(nearest("DATA", keys) == "data");
  CHECK_FALSE(nearest("expert", keys).has_value());
  CHECK_FALSE(nearest("x", keys).has_value());
  CHECK_FALSE(nearest("tensor", {}).has_value());
  CHECK_FALSE(nearest(std::string(100000, 'x'), keys).has_value());
  CHECK(did_you_mean("ordr", keys) == "did you mean \"order\"?");
  CHECK(did_you_mean("zzz", keys).empty());
}

TEST_CASE("on a tie the first candidate wins") {
  CHECK(nearest("bat", {"cat", "hat"}) == "cat");
  CHECK(nearest("bat", {"hat", "cat"}) == "hat");
}

TEST_CASE("join puts the last separator before the last word only") {
  CHECK(join({}) == "");
  CHECK(join({"a"}, ", ", " or ") == "a");
  CHECK(join({"a", "b"}, ", ", " or ") == "a or b");
  CHECK(join({"a", "b", "c"}, ", ", " or ") == "a, b or c");
}

TEST_CASE("quoted text is a JSON string") {
  CHECK(quoted("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\n\\u0001\"");
  CHECK(quoted("é") == "\"é\"");
  CHECK(quoted_short(std::string(60, 'x')) == "\"" + std::string(60, 'x') + "\"");
  CHECK(quoted_short(std::string(61, 'x')) == "\"" + std::string(57, 'x') + "...\"");
  // 2-byte characters: 57 is inside the 29th one, so 28 are kept.
  std::string accents;
  std::string kept;
  for (int i = 0; i < 40; ++i) {
    accents += "é";
    kept += i < 28 ? "é" : "";
  }
  CHECK(quoted_short(accents) == "\"" + kept + "...\"");
}

TEST_CASE("digits are grouped by three") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-999) == "-999");
}

TEST_CASE("a table aligns columns by characters and leaves no trailing blanks") {
  Table table;
  table.columns = {{"name", false}, {"time [µs]", true}, {"", false}};
  table.rows = {{"é", "1.5", "x"}, {"longer", "12"}, {}};
  CHECK(to_text(table) ==
        "name    time [µs]\n"
        "------  ---------  -\n"
        "é             1.5  x\n"
        "longer         12\n"
        "\n");
}

}  // namespace parsim
