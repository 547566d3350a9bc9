#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/random.h"
#include "sim/schedule/csv.h"
#include "tests/catch.h"

namespace parsim {
namespace {

std::vector<Diagnostic> problems_of(const std::string& text) {
  try {
    (void)schedule_of(read_schedule_csv(text, "f.csv"), "f.csv");
  } catch (const InputError& error) {
    return error.diagnostics();
  }
  return {};
}

}  // namespace

TEST_CASE("malformed files name row, column and reason") {
  struct Row {
    std::string text;
    int line, column;
    std::string reason;
  };
  const std::vector<Row> table = {
      {"", 1, 1, "the file is empty"},
      {"0F0,0X0\n", 1, 2, "\"0X0\" is not an action"},
      {"0F0\n1F\n", 2, 1, "\"1F\" names no micro-batch"},
      {"0F0,0UNSHARD2\n", 1, 2, "concerns the stage as a whole"},
      {"0F0,((0F1;1B0)OVERLAP_F_B;1F2)OVERLAP_F_B\n", 1, 2, "nests a pair in a pair"},
      {"0F0,(0F1;1B0\n", 1, 2, "opens a pair and does not close it"},
      {"0F0,(0F1)OVERLAP_F_B\n", 1, 2, "pairs a single action"},
      {"0F0,(0F1;1B0)OVERLAP_FB\n", 1, 2, "is not followed by OVERLAP_F_B"},
      {"0F0,(0F1;1SEND_B0)OVERLAP_F_B\n", 1, 2, "holds something that is not F, B, I or W"},
      {"0F0;0B0\n", 1, 1, "holds a semicolon outside a pair"},
      {"rank,action\n0,0F0\n", 1, 1, "\"rank\" is not an action"},
      {"0F99999999999\n", 1, 1, "beyond 2,147,483,647"},
      {"2000000000F2000000000\n", 1, 1, "is out of range"},
      {std::string("0F0,0\0F1\n", 9), 1, 2, "\"0\\x00F1\" is not an action"},
      {"\xEF\xBB\xBF"
       "0F0,0B0\n",
       1, 1, "begins with a byte order mark"},
      {"0F0\t0B0\n", 1, 1, "holds a tab"},
      {"\"0F0\",0B0\n", 1, 1, "is quoted"},
      {"0F0,0SEND_F0,,0B0\n", 1, 3, "a blank cell in a file with communication"},
      {"0F0,1F0junk\n", 1, 2, "\"1F0junk\" is not an action"},
      {"0F0,-1B0\n", 1, 2, "\"-1B0\" is not an action"},
      {"0F0,0F 1\n", 1, 2, "\"0F 1\" is not an action"},
      {"0f0,0B0\n", 1, 1, "\"0f0\" is not an action"},
      {"0F0,0I0,0BW1\n", 1, 3, "is of the old dialect (BW), but others use I"},
      {"0F0,F1\n", 1, 2, "\"F1\" names no stage"},
      {"0F0,17\n", 1, 2, "\"17\" is a bare number"},
  };
  CHECK(table.size() >= 20);
  for (const Row& row : table) {
    CAPTURE(row.text, row.reason);
    const auto problems = problems_of(row.text);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front().file == "f.csv");
    CHECK(problems.front().line == row.line);
    CHECK(problems.front().column == row.column);
    CHECK(problems.front().message.find(row.reason) != std::string::npos);
    CHECK_FALSE(problems.front().hint.empty());
  }
  CHECK(problems_of("0f3\n").front().hint == "letters are capital: 0F3");
  CHECK(problems_of("0F0,1SND_F0\n").front().hint == "did you mean \"SEND_F\"?");
}

TEST_CASE("all mistakes of a file are told at once, at most twenty") {
  CHECK(problems_of("0X0,0F0,0Y0\n1Z1\n").size() == 3);
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "0X0,";
  }
  CHECK(problems_of(many).size() == 20);
}

TEST_CASE("mutated files are read or refused with row, column and reason") {
  const auto folder = std::filesystem::path(PARSIM_SOURCE_DIR) / "../shared/data/schedules";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: shared data not present");
    return;
  }
  Random random(20'261'204);
  const auto draw = [&random] { return random.next(); };
  int mutations = 0;
  int refused = 0;
  for (const char* name :
       {"dualpipev_4rank_10mb.csv", "zb1p_2rank_2stagep_comms.csv",
        "zb1p_2rank_2stagep_compute.csv", "old-dialect_zb1p_2rank_2stagep_comms.csv",
        "old-dialect_zb1p_2rank_2stagep_compute.csv"}) {
    std::ifstream file(folder / name, std::ios::binary);
    const std::string good(std::istreambuf_iterator<char>(file), {});
    for (int round = 0; round < 20; ++round, ++mutations) {
      std::string text = good;
      const auto place = [&] { return static_cast<std::size_t>(draw() % text.size()); };
      for (std::uint64_t change = draw() % 4 + 1; change > 0; --change) {
        switch (draw() % 5) {
          case 0:
            text[place()] = static_cast<char>(draw() % 256);
            break;
          case 1:
            text.erase(place(), 1 + draw() % 3);
            break;
          case 2:
            text.insert(place(), 1, "0FBIW,;()\n_"[draw() % 11]);
            break;
          case 3:
            text.resize(place() + 1);
            break;
          default:
            std::swap(text[place()], text[place()]);
        }
      }
      CAPTURE(name, round);
      const auto problems = problems_of(text);
      refused += problems.empty() ? 0 : 1;
      for (const Diagnostic& problem : problems) {
        CHECK(problem.line >= 1);
        CHECK(problem.column >= 1);
        CHECK_FALSE(problem.message.empty());
      }
    }
  }
  CHECK(mutations == 100);
  CHECK(refused > 50);
}

}  // namespace parsim
