// Explicit orders: every action is well formed, stands on its stage's rank, and stands there once.
// Whether the order can finish is not asked here: a deadlock is found, and explained, by the run.
#include <fmt/format.h>

#include <charconv>

#include "sim/base/text.h"
#include "sim/scenario/check.h"

namespace parsim {
namespace {

constexpr std::int64_t kMostCells = 50'000'000;
constexpr std::size_t kMostFindings = 20;

struct ParsedAction {
  std::int64_t stage = 0;
  bool backward = false;
  std::int64_t micro_batch = 0;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole =
      !text.empty() && text[0] != '-' && error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<std::int64_t>(value) : std::nullopt;
}

/// ^\d+[FB]\d+$
std::optional<ParsedAction> parse(std::string_view text) {
  const std::size_t letter = text.find_first_of("FB");
  if (letter == std::string_view::npos) {
    return std::nullopt;
  }
  const auto stage = whole_number(text.substr(0, letter));
  const auto micro_batch = whole_number(text.substr(letter + 1));
  if (!stage || !micro_batch) {
    return std::nullopt;
  }
  return ParsedAction{*stage, text[letter] == 'B', *micro_batch};
}

/// Which (stage, micro-batch, direction) have been seen.
class Seen {
 public:
  Seen(std::int64_t stages, std::int64_t micro_batches)
      : micro_batches_(micro_batches),
        cells_(static_cast<std::size_t>(2 * stages * micro_batches), false) {}
  [[nodiscard]] bool has(const ParsedAction& action) const { return cells_[index(action)]; }
  void add(const ParsedAction& action) { cells_[index(action)] = true; }

 private:
  [[nodiscard]] std::size_t index(const ParsedAction& action) const {
    return static_cast<std::size_t>(2 * (action.stage * micro_batches_ + action.micro_batch) +
                                    (action.backward ? 1 : 0));
  }
  std::int64_t micro_batches_;
  std::vector<bool> cells_;
};

struct Shape {
  std::int64_t ranks = 0;
  std::int64_t stages = 0;
  std::int64_t micro_batches = 0;
};

/// What is wrong with one action; empty message: nothing.
Finding check_action(const std::string& text, std::int64_t rank, const Shape& shape, Seen& seen) {
  const auto action = parse(text);
  if (!action) {
    return {"",
            fmt::format("{} is not an action", quoted_short(text)),
            "write stage, F or B, micro-batch, e.g. \"0F1\"",
            {}};
  }
  if (action->stage >= shape.stages) {
    return {"",
            fmt::format("{} names stage {}, but the last one is {}", quoted_short(text),
                        action->stage, shape.stages - 1),
            "stages are pipeline x chunks, counted from 0",
            {}};
  }
  if (action->micro_batch >= shape.micro_batches) {
    return {"",
            fmt::format("{} names micro-batch {}, but the last one is {}", quoted_short(text),
                        action->micro_batch, shape.micro_batches - 1),
            "micro-batches are global / (data x micro), counted from 0",
            {}};
  }
  if (action->stage % shape.ranks != rank) {
    return {"",
            fmt::format("{} stands on rank {}, but stage {} is on rank {}", quoted_short(text),
                        rank, action->stage, action->stage % shape.ranks),
            "stage s is on pipeline rank s mod pipeline",
            {}};
  }
  if (seen.has(*action)) {
    return {"",
            fmt::format("{} stands here a second time", quoted_short(text)),
            "each action is done once",
            {}};
  }
  seen.add(*action);
  return {};
}

/// The first action that rank `rank` lacks, and how many it lacks.
Finding missing_actions(std::int64_t rank, const Shape& shape, bool forward_only,
                        const Seen& seen) {
  std::int64_t missing = 0;
  std::string first;
  for (std::int64_t stage = rank; stage < shape.stages; stage += shape.ranks) {
    for (const bool backward : {false, true}) {
      for (std::int64_t m = 0; m < shape.micro_batches && !(backward && forward_only); ++m) {
        if (!seen.has({stage, backward, m})) {
          first = missing == 0 ? fmt::format("{}{}{}", stage, backward ? 'B' : 'F', m) : first;
          ++missing;
        }
      }
    }
  }
  if (missing == 0) {
    return {};
  }
  return {"",
          missing == 1 ? fmt::format("\"{}\" is missing", first)
                       : fmt::format("\"{}\" and {} more are missing", first, missing - 1),
          "every stage of the rank needs F and B of every micro-batch",
          {}};
}

void check_ranks(const Scenario& scenario, const Shape& shape,
                 const std::vector<std::string>& needs, Findings& findings) {
  Seen seen(shape.stages, shape.micro_batches);
  const std::size_t limit = findings.size() + kMostFindings;
  const auto& orders = scenario.schedule.orders;
  for (std::size_t rank = 0; rank < orders.size() && findings.size() < limit; ++rank) {
    const std::string pointer = fmt::format("/schedule/orders/{}", rank);
    const std::size_t before = findings.size();
    for (std::size_t i = 0; i < orders[rank].size() && findings.size() < limit; ++i) {
      Finding finding = check_action(orders[rank][i], static_cast<std::int64_t>(rank), shape, seen);
      if (!finding.message.empty()) {
        finding.pointer = fmt::format("{}/{}", pointer, i);
        finding.needs = needs;
        findings.push_back(std::move(finding));
      }
    }
    Finding missing = missing_actions(static_cast<std::int64_t>(rank), shape,
                                      scenario.schedule.forward_only, seen);
    // A misspelt action is also a missing one; saying it once is enough.
    if (!missing.message.empty() && findings.size() == before) {
      missing.pointer = pointer;
      missing.needs = needs;
      findings.push_back(std::move(missing));
    }
  }
}

}  // namespace

void check_explicit_orders(const Scenario& scenario, Findings& findings) {
  const ScheduleSpec& schedule = scenario.schedule;
  const bool wanted = schedule.name == ScheduleName::explicit_order;
  if (!wanted && !schedule.orders.empty()) {
    findings.push_back({"/schedule/orders",
                        "is for the schedule \"explicit\" only",
                        "remove it, or set name to \"explicit\"",
                        {"/schedule/name", "/schedule/orders"}});
  }
  if (!wanted) {
    return;
  }
  if (schedule.orders.empty()) {
    findings.push_back({"/schedule",
                        "the schedule \"explicit\" needs \"orders\"",
                        "one list of actions per pipeline rank, e.g. [[\"0F0\", \"0B0\"]]",
                        {"/schedule/name", "/schedule/orders"}});
    return;
  }
  const std::int64_t pipeline = scenario.parallel.pipeline;
  const auto given = static_cast<std::int64_t>(schedule.orders.size());
  if (given != pipeline) {
    findings.push_back(
        {"/schedule/orders",
         fmt::format("the number of lists is {}, but the pipeline has {} ranks", given, pipeline),
         "give one list of actions per pipeline rank",
         {"/schedule/orders", "/schedule/name", "/parallel/pipeline"}});
    return;
  }
  const auto stages = product({pipeline, schedule.chunks});
  const auto micro_batches = micro_batch_count(scenario);
  const auto cells = stages && micro_batches ? product({*stages, *micro_batches}) : std::nullopt;
  if (!cells || *cells > kMostCells) {
    return;  // the batch's own findings say why
  }
  check_ranks(
      scenario, {pipeline, *stages, *micro_batches},
      {"/schedule", "/parallel/pipeline", "/parallel/data", "/batch/global", "/batch/micro"},
      findings);
}

}  // namespace parsim
