#include "sim/schedule/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sim/base/diagnostic.h"
#include "sim/base/text.h"
#include "sim/schedule/cells.h"

namespace parsim {

namespace {

constexpr std::size_t kMostProblems = 20;
constexpr std::int32_t kMostStages = 100'000;
constexpr std::int32_t kMostUnits = 10'000'000;

/// Bytes outside printable ASCII as \xNN, cut to what a message can hold.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte > 0x7E ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return fmt::format("\"{}{}\"", result, text.size() > kMost ? "..." : "");
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// The cell without the blanks that PyTorch's reader passes over: around it, and after a semicolon.
std::string tidied(std::string_view cell) {
  std::string result;
  for (const char c : stripped(cell)) {
    if (!is_blank(c) || (result.back() != ';' && result.back() != '(')) {
      result += c;
    }
  }
  return result;
}

/// A cell of the old dialect in today's letters: B is I there, and BW is B. Applies to each part of
/// a pair.
std::string modernised(const std::string& cell) {
  std::string result;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const bool digit_before = i > 0 && cell[i - 1] >= '0' && cell[i - 1] <= '9';
    if (cell[i] != 'B' || !digit_before) {
      result += cell[i];
    } else if (i + 1 < cell.size() && cell[i + 1] == 'W') {
      result += 'B';
      ++i;
    } else {
      result += 'I';
    }
  }
  return result;
}

std::string aged(const std::string& cell) {
  std::string result;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const bool digit_before = i > 0 && cell[i - 1] >= '0' && cell[i - 1] <= '9';
    result += digit_before && cell[i] == 'B'   ? "BW"
              : digit_before && cell[i] == 'I' ? "B"
                                               : std::string(1, cell[i]);
  }
  return result;
}

/// "BW" between two digits: the old dialect's whole backward.
bool has_old_backward(std::string_view cell) {
  for (std::size_t at = cell.find("BW"); at != std::string_view::npos;
       at = cell.find("BW", at + 1)) {
    if (at > 0 && at + 2 < cell.size() && std::isdigit(cell[at - 1]) != 0 &&
        std::isdigit(cell[at + 2]) != 0) {
      return true;
    }
  }
  return false;
}

/// The letter of a cell that is one plain action, or 0.
char single_letter(std::string_view cell) {
  const auto action = parse_action(cell);
  return action && is_compute(action->kind) ? letters_of(action->kind).front() : '\0';
}

/// Why a cell is not an action, in the order of what is most likely meant.
std::pair<std::string, std::string> explain(std::string_view cell) {
  const std::string example = "stage, letters, micro-batch: 0F3, 2I1, 1SEND_B0; 1UNSHARD";
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (cell.starts_with("\xEF\xBB\xBF")) {
    return {"begins with a byte order mark", "save the file as plain ASCII"};
  }
  if (cell.find('"') != std::string_view::npos || cell.find('\'') != std::string_view::npos) {
    return {"is quoted", "write actions without quotes"};
  }
  if (cell.find('\t') != std::string_view::npos) {
    return {"holds a tab", "separate cells by commas"};
  }
  if (cell.front() == '(') {
    const std::size_t close = cell.find(')');
    if (close == std::string_view::npos) {
      return {"opens a pair and does not close it", "write (0F1;3B0)OVERLAP_F_B"};
    }
    if (cell.find('(', 1) < close) {
      return {"nests a pair in a pair", "pairs hold F, B, I and W only"};
    }
    if (cell.substr(close) != ")OVERLAP_F_B") {
      return {"is not followed by OVERLAP_F_B", "write (0F1;3B0)OVERLAP_F_B"};
    }
    if (cell.substr(0, close).find(';') == std::string_view::npos) {
      return {"pairs a single action", "a pair holds two or more, separated by semicolons"};
    }
    return {"holds something that is not F, B, I or W with stage and micro-batch",
            "write (0F1;3B0)OVERLAP_F_B"};
  }
  if (cell.find(';') != std::string_view::npos) {
    return {"holds a semicolon outside a pair", "separate cells by commas"};
  }
  if (std::any_of(cell.begin(), cell.end(), is_lower)) {
    std::string upper(cell);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [&](char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; });
    return {"is not an action",
            parse_action(upper) ? "letters are capital: " + upper : "write " + example};
  }
  const std::size_t begin = cell.find_first_not_of("0123456789");
  if (begin == std::string_view::npos) {
    return {"is a bare number", "write " + example};
  }
  const std::size_t last = cell.find_last_not_of("0123456789");
  const std::string_view letters = cell.substr(begin, last + 1 - begin);
  std::vector<std::string> known;
  for (int kind = 0; kind < static_cast<int>(ActionKind::idle); ++kind) {
    known.emplace_back(letters_of(static_cast<ActionKind>(kind)));
  }
  const auto found = std::find(known.begin(), known.end(), letters);
  if (found == known.end()) {
    const std::string meant = did_you_mean(std::string(letters), known);
    return {"is not an action", meant.empty() ? "write " + example : meant};
  }
  if (begin == 0) {
    return {"names no stage", "write " + example};
  }
  const bool has_number = last + 1 < cell.size();
  const bool needs = has_micro_batch(static_cast<ActionKind>(found - known.begin()));
  if (needs != has_number) {
    return {
        needs ? "names no micro-batch" : "names a micro-batch, but concerns the stage as a whole",
        "write " + example};
  }
  return {"holds a number beyond 2,147,483,647", "stages and micro-batches count from 0"};
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : name_(name) { split(text); }

  ScheduleFile read() {
    if (cells_.empty()) {
      report(1, 1, "the file is empty", "one row of actions per pipeline rank");
    }
    find_dialect();
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      file_.rows.emplace_back();
      for (std::size_t column = 0; column < cells_[row].size(); ++column) {
        read_cell(row, column);
      }
    }
    check_kind();
    if (!problems_.empty()) {
      throw InputError(std::move(problems_));
    }
    return std::move(file_);
  }

 private:
  void report(std::size_t line, std::size_t column, std::string message, std::string hint) {
    if (problems_.size() < kMostProblems) {
      problems_.push_back({name_, static_cast<int>(line), static_cast<int>(column), "",
                           std::move(message), std::move(hint)});
    }
  }

  /// Rows end with LF or CRLF (all alike, else a stray CR is part of a cell); a last line end is
  /// not a row. An empty row is a rank without actions.
  void split(std::string_view text) {
    file_.line_end = text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (file_.line_end == "\r\n" && line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      std::vector<std::string> row;
      while (!line.empty()) {
        const std::size_t comma = line.find(',');
        row.push_back(tidied(line.substr(0, comma)));
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
        if (comma != std::string_view::npos && line.empty()) {
          row.emplace_back();  // a comma at the end: one more blank
        }
      }
      cells_.push_back(std::move(row));
    }
  }

  /// A file with BW, or with W but no I, speaks the old dialect.
  void find_dialect() {
    bool input = false;
    bool weight = false;
    std::optional<std::pair<std::size_t, std::size_t>> old_backward;
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      for (std::size_t column = 0; column < cells_[row].size(); ++column) {
        const std::string& cell = cells_[row][column];
        input = input || single_letter(cell) == 'I';
        weight = weight || single_letter(cell) == 'W';
        if (!old_backward && has_old_backward(cell)) {
          old_backward = {row, column};
        }
      }
    }
    if (old_backward && input) {
      report(old_backward->first + 1, old_backward->second + 1,
             fmt::format("cell {} is of the old dialect (BW), but others use I",
                         shown(cells_[old_backward->first][old_backward->second])),
             "today: B is the whole backward, I its input part; before: BW and B");
    }
    file_.dialect = (old_backward || (weight && !input)) && !(old_backward && input)
                        ? CsvDialect::old
                        : CsvDialect::today;
  }

  void read_cell(std::size_t row, std::size_t column) {
    const std::string& text = cells_[row][column];
    const std::string cell = file_.dialect == CsvDialect::old ? modernised(text) : text;
    const auto actions = parse_cell(cell);
    if (!actions) {
      if (problems_.size() < kMostProblems && !has_old_backward(text)) {
        const auto [reason, hint] = explain(text);
        report(row + 1, column + 1, fmt::format("cell {} {}", shown(text), reason), hint);
      }
      return;
    }
    for (const Action& action : *actions) {
      if (action.stage >= kMostStages || action.micro_batch >= kMostUnits) {
        report(row + 1, column + 1, fmt::format("cell {} is out of range", shown(text)),
               fmt::format("at most {} stages and {} micro-batches", grouped(kMostStages),
                           grouped(kMostUnits)));
        return;
      }
      file_.rows[row].push_back(action);
    }
  }

  void check_kind() {
    const auto communicates = [](const Action& action) {
      return !is_compute(action.kind) && action.kind != ActionKind::idle;
    };
    for (const auto& row : file_.rows) {
      if (std::any_of(row.begin(), row.end(), communicates)) {
        file_.kind = CsvKind::compute_comms;
      }
    }
    if (file_.kind == CsvKind::compute_only) {
      return;
    }
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      for (std::size_t column = 0; column < cells_[row].size(); ++column) {
        if (cells_[row][column].empty()) {
          report(row + 1, column + 1, "a blank cell in a file with communication",
                 "blanks are time slots of computation only; leave them out");
        }
      }
    }
  }

  const std::string& name_;
  std::vector<std::vector<std::string>> cells_;
  ScheduleFile file_;
  std::vector<Diagnostic> problems_;
};

/// The column of each action of a row, from 1; a pair is one cell.
std::vector<int> columns_of(const std::vector<Action>& row) {
  std::vector<int> columns;
  int column = 1;
  for (const Action& action : row) {
    columns.push_back(column);
    column += action.overlaps_next ? 0 : 1;
  }
  return columns;
}

}  // namespace

ScheduleFile read_schedule_csv(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

std::string write_schedule_csv(const ScheduleFile& file) {
  std::string text;
  for (const auto& row : file.rows) {
    std::string line;
    bool first = true;
    for (const std::string& cell : cell_texts(row)) {
      line += first ? "" : ",";
      line += file.dialect == CsvDialect::old ? aged(cell) : cell;
      first = false;
    }
    text += line + file.line_end;
  }
  return text;
}

Schedule schedule_of(const ScheduleFile& file, const std::string& name) {
  std::vector<Diagnostic> problems;
  std::map<std::int32_t, std::int32_t> rank_of;  // only of stages that are there
  std::set<std::int32_t> units;
  std::set<std::int32_t> told;
  Schedule schedule;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    const std::vector<int> columns = columns_of(file.rows[row]);
    schedule.ranks.emplace_back();
    for (std::size_t i = 0; i < file.rows[row].size(); ++i) {
      const Action& action = file.rows[row][i];
      if (action.kind == ActionKind::idle) {
        continue;
      }
      const auto rank = static_cast<std::int32_t>(row);
      const auto [place, is_new] = rank_of.emplace(action.stage, rank);
      if (place->second != rank && told.insert(action.stage).second &&
          problems.size() < kMostProblems) {
        problems.push_back({name, rank + 1, columns[i], "",
                            fmt::format("\"{}\" stands in row {}, but stage {} is in row {}",
                                        to_text(action), row + 1, action.stage, place->second + 1),
                            "all actions of a stage stand in one row"});
      }
      if (action.kind == ActionKind::forward) {
        units.insert(action.micro_batch);
      }
      schedule.ranks.back().push_back(action);
    }
  }
  const auto gap = [](const auto& sorted, const auto& number_of) {
    std::int32_t next = 0;
    for (const auto& entry : sorted) {
      if (number_of(entry) != next) {
        return std::optional(next);
      }
      ++next;
    }
    return std::optional<std::int32_t>();
  };
  if (const auto stage = gap(rank_of, [](const auto& entry) { return entry.first; })) {
    problems.push_back({name, 1, 1, "", fmt::format("stage {} does nothing", *stage),
                        "stages count from 0 without gaps"});
  }
  if (const auto unit = gap(units, [](std::int32_t m) { return m; })) {
    problems.push_back({name, 1, 1, "", fmt::format("micro-batch {} has no forward", *unit),
                        "micro-batches count from 0 without gaps"});
  }
  if (units.empty()) {
    problems.push_back({name, 1, 1, "", "there is no forward action", "write actions such as 0F0"});
  }
  if (!problems.empty()) {
    throw InputError(std::move(problems));
  }
  for (const auto& [stage, rank] : rank_of) {
    schedule.stage_rank.push_back(rank);
  }
  schedule.micro_batches = static_cast<std::int32_t>(units.size());
  for (std::size_t row = 0; row < schedule.ranks.size(); ++row) {
    for (std::size_t i = 0; i < schedule.ranks[row].size(); ++i) {
      const Action& action = schedule.ranks[row][i];
      if (has_micro_batch(action.kind) && action.micro_batch >= schedule.micro_batches) {
        throw InputError(Diagnostic{
            name, static_cast<int>(row) + 1, 1, "",
            fmt::format("\"{}\" is of a micro-batch without a forward", to_text(action)),
            fmt::format("the forwards are of micro-batches 0 to {}", schedule.micro_batches - 1)});
      }
    }
  }
  return schedule;
}

}  // namespace parsim
