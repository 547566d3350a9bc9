#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/schedule/csv.h"
#include "sim/schedule/rules.h"
#include "tests/catch.h"

namespace parsim {
namespace {

const std::filesystem::path kData =
    std::filesystem::path(PARSIM_SOURCE_DIR) / "../shared/data/schedules";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("every file of PyTorch's and every derived order comes back byte for byte") {
  if (!std::filesystem::exists(kData)) {
    WARN("skipped: shared data not present");
    return;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kData)) {
    if (entry.path().extension() == ".csv") {
      CAPTURE(entry.path().string());
      const std::string text = text_of(entry.path());
      CHECK(write_schedule_csv(read_schedule_csv(text, "file")) == text);
      ++files;
    }
  }
  CHECK(files == 26);
}

TEST_CASE("both dialects say the same") {
  if (!std::filesystem::exists(kData)) {
    WARN("skipped: shared data not present");
    return;
  }
  for (const std::string kind : {"compute", "comms"}) {
    const std::string stem = "zb1p_2rank_2stagep_" + kind + ".csv";
    const ScheduleFile today = read_schedule_csv(text_of(kData / stem), "today");
    const ScheduleFile old = read_schedule_csv(text_of(kData / ("old-dialect_" + stem)), "old");
    CHECK(today.dialect == CsvDialect::today);
    CHECK(old.dialect == CsvDialect::old);
    CHECK(today.rows == old.rows);
    CHECK(today.kind == (kind == "comms" ? CsvKind::compute_comms : CsvKind::compute_only));
  }
}

TEST_CASE("pairs, blanks, line ends and spaces are read") {
  const ScheduleFile file =
      read_schedule_csv("0F0, (0F1; 1B0)OVERLAP_F_B ,,0B1\r\n,1F0\r\n", "file");
  CHECK(file.line_end == "\r\n");
  REQUIRE(file.rows.size() == 2);
  CHECK(file.rows[0] == std::vector<Action>{{ActionKind::forward, 0, 0},
                                            {ActionKind::forward, 0, 1, true},
                                            {ActionKind::backward, 1, 0},
                                            {ActionKind::idle, 0, kNoMicroBatch},
                                            {ActionKind::backward, 0, 1}});
  CHECK(file.rows[1].size() == 2);
  CHECK(write_schedule_csv(file) == "0F0,(0F1;1B0)OVERLAP_F_B,,0B1\r\n,1F0\r\n");
}

TEST_CASE("generated schedules survive the file") {
  for (const ScheduleName name : {ScheduleName::one_f_one_b, ScheduleName::zb_h2}) {
    const Schedule made = generate(name, {4, 1, 6});
    ScheduleFile file;
    file.rows = made.ranks;
    const Schedule read = schedule_of(read_schedule_csv(write_schedule_csv(file), "x"), "x");
    CHECK(read.ranks == made.ranks);
    CHECK(read.stage_rank == made.stage_rank);
    CHECK(read.micro_batches == 6);
  }
  const Schedule v = generate(ScheduleName::dualpipev, {2, 2, 4});
  ScheduleFile file;
  file.rows = v.ranks;
  CHECK(schedule_of(read_schedule_csv(write_schedule_csv(file), "x"), "x").ranks == v.ranks);
}

TEST_CASE("a file's stages and micro-batches have no gaps, and a stage has one row") {
  const auto message = [](const std::string& text) {
    try {
      (void)schedule_of(read_schedule_csv(text, "f"), "f");
    } catch (const InputError& error) {
      return error.diagnostics().front().message;
    }
    return std::string();
  };
  CHECK(message("0F0,0B0\n1F0,1B0\n").empty());
  CHECK(message("0F0,0B0\n2F0,2B0\n") == "stage 1 does nothing");
  CHECK(message("0F0,0F2,0B0,0B2\n") == "micro-batch 1 has no forward");
  CHECK(message("0F0,0B0\n1F0,1B0,0F1\n") == "\"0F1\" stands in row 2, but stage 0 is in row 1");
  CHECK(message("0B0\n") == "there is no forward action");
  CHECK(message("0F0,0B7\n") == "\"0B7\" is of a micro-batch without a forward");
}

}  // namespace parsim
