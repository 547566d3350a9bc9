#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/schedule/schedule.h"

namespace parsim {

/// PyTorch's two kinds of schedule file: F, B, I, W and blanks only, or with transfers, sharding
/// and gradient reduction, and no blanks.
enum class CsvKind : std::uint8_t { compute_only, compute_comms };
/// What the letter B means: today the whole backward (and I its input part); in older files the
/// input part (and BW the whole).
enum class CsvDialect : std::uint8_t { today, old };

/// A schedule file as it stands, one row a rank; blanks are idle actions.
struct ScheduleFile {
  std::vector<std::vector<Action>> rows;
  CsvKind kind = CsvKind::compute_only;
  CsvDialect dialect = CsvDialect::today;
  std::string line_end = "\n";  ///< "\r\n" as Python's csv.writer ends lines
};

/// Reads the text of a file called `name`. Throws InputError with every malformed cell (at most
/// 20): row and column as line and column, what is wrong, a hint.
[[nodiscard]] ScheduleFile read_schedule_csv(std::string_view text, const std::string& name);
/// The text of the file; reading it again gives an equal ScheduleFile.
[[nodiscard]] std::string write_schedule_csv(const ScheduleFile& file);

/// The schedule of a file: placement inferred from where each stage's actions stand, micro-batches
/// counted, blanks dropped. One copy of the model, one slice. Throws InputError when stages or
/// micro-batches have gaps, or a stage stands on two ranks.
[[nodiscard]] Schedule schedule_of(const ScheduleFile& file, const std::string& name);

}  // namespace parsim
