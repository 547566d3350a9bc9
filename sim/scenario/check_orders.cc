// Explicit orders: every cell is well formed, every action stands on its stage's rank, and nothing
// is missing or in an order that cannot be right. Whether the order can finish is asked by
// make_plan.
#include <fmt/format.h>

#include "sim/base/text.h"
#include "sim/scenario/check.h"
#include "sim/scenario/orders.h"
#include "sim/schedule/cells.h"

namespace parsim {
namespace {

constexpr std::int64_t kMostCells = 50'000'000;
constexpr std::size_t kMostFindings = 20;

struct Limits {
  std::int64_t stages = 0;
  std::int64_t micro_batches = 0;
};

/// What is wrong with one action, taken by itself; empty message: nothing.
Finding check_action(const Action& action, const Limits& limits) {
  const std::string text = quoted_short(to_text(action));
  if (action.stage >= limits.stages) {
    return {"",
            fmt::format("{} names stage {}, but the last one is {}", text, action.stage,
                        limits.stages - 1),
            "stages are pipeline x chunks, counted from 0",
            {}};
  }
  if (has_micro_batch(action.kind) && action.micro_batch >= limits.micro_batches) {
    return {"",
            fmt::format("{} names micro-batch {}, but the last one is {}", text, action.micro_batch,
                        limits.micro_batches - 1),
            "micro-batches are global / (data x micro), counted from 0",
            {}};
  }
  return {};
}

/// Cells that cannot be read, or name what does not exist.
void check_cells(const Scenario& scenario, const Limits& limits,
                 const std::vector<std::string>& needs, Findings& findings) {
  const std::size_t limit = findings.size() + kMostFindings;
  const auto& orders = scenario.schedule.orders;
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    for (std::size_t i = 0; i < orders[rank].size() && findings.size() < limit; ++i) {
      const std::string pointer = fmt::format("/schedule/orders/{}/{}", rank, i);
      const auto actions = parse_cell(orders[rank][i]);
      if (!actions) {
        findings.push_back({pointer,
                            fmt::format("{} is not an action", quoted_short(orders[rank][i])),
                            "write stage, F, B, I or W, micro-batch, e.g. \"0F1\"", needs});
        continue;
      }
      for (const Action& action : *actions) {
        Finding finding =
            action.kind == ActionKind::idle ? Finding{} : check_action(action, limits);
        if (!finding.message.empty()) {
          finding.pointer = pointer;
          finding.needs = needs;
          findings.push_back(std::move(finding));
          break;
        }
      }
    }
  }
}

/// What is wrong with the order; with bad cells, only what is wrong with the other ones.
void check_order(const Scenario& scenario, const Limits& limits,
                 const std::vector<std::string>& needs, Findings& findings) {
  const auto stages = static_cast<std::int32_t>(limits.stages);
  const auto micro_batches = static_cast<std::int32_t>(limits.micro_batches);
  const Schedule schedule = schedule_of_orders(scenario.schedule, stages, micro_batches);
  OrderCheckOptions options{scenario.schedule.forward_only, !findings.empty(), kMostFindings};
  for (std::size_t stage = 0; stage < schedule.stage_rank.size() && !options.parts_only; ++stage) {
    if (schedule.stage_rank[stage] < 0) {
      findings.push_back({"/schedule/orders", fmt::format("stage {} stands on no rank", stage),
                          "stages are pipeline x chunks, counted from 0", needs});
      options.parts_only = true;  // one missing stage says enough
    }
  }
  const auto cell_of = cells_of_orders(scenario.schedule, stages, micro_batches);
  for (const OrderProblem& problem : order_problems(schedule, options)) {
    const auto rank = static_cast<std::size_t>(problem.rank);
    const std::string pointer =
        problem.position < 0
            ? fmt::format("/schedule/orders/{}", rank)
            : fmt::format("/schedule/orders/{}/{}", rank,
                          cell_of[rank][static_cast<std::size_t>(problem.position)]);
    findings.push_back({pointer, problem.message, problem.hint, needs});
  }
}

/// `orders` and `file` belong to "explicit", which needs one of them. True: there are orders.
bool check_presence(const ScheduleSpec& schedule, Findings& findings) {
  const bool wanted = schedule.name == ScheduleName::explicit_order;
  for (const auto& [pointer, given] : {std::pair{"/schedule/orders", !schedule.orders.empty()},
                                       std::pair{"/schedule/file", !schedule.file.empty()}}) {
    if (!wanted && given) {
      findings.push_back({pointer,
                          "is for the schedule \"explicit\" only",
                          "remove it, or set name to \"explicit\"",
                          {"/schedule/name", pointer}});
    }
  }
  if (wanted && schedule.orders.empty()) {
    findings.push_back({"/schedule",
                        "the schedule \"explicit\" needs \"orders\" or \"file\"",
                        "one list of actions per pipeline rank, e.g. [[\"0F0\", \"0B0\"]]",
                        {"/schedule/name", "/schedule/orders", "/schedule/file"}});
  }
  return wanted && !schedule.orders.empty();
}

}  // namespace

void check_explicit_orders(const Scenario& scenario, Findings& findings) {
  const ScheduleSpec& schedule = scenario.schedule;
  if (!check_presence(schedule, findings)) {
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
  const std::vector<std::string> needs = {"/schedule", "/parallel/pipeline", "/parallel/data",
                                          "/batch/global", "/batch/micro"};
  Findings found;
  check_cells(scenario, {*stages, *micro_batches}, needs, found);
  check_order(scenario, {*stages, *micro_batches}, needs, found);
  findings.insert(findings.end(), found.begin(), found.end());
}

}  // namespace parsim
