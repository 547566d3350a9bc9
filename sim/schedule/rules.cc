#include "sim/schedule/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/check.h"

namespace parsim {

namespace {

constexpr std::array kRules = {
    ScheduleRule{ScheduleName::naive, "naive", Placement::loop, 1, 1, false,
                 "one micro-batch, one rank at a time"},
    ScheduleRule{ScheduleName::gpipe, "gpipe", Placement::loop, 1, 1, false,
                 "all forward, then all backward"},
    ScheduleRule{ScheduleName::one_f_one_b, "1f1b", Placement::loop, 1, 1, false,
                 "one forward, one backward in turn (PipeDream-flush, DAPPLE)"},
    ScheduleRule{ScheduleName::interleaved_1f1b, "interleaved-1f1b", Placement::loop, 2, 0, false,
                 "1f1b over several stages a rank, in rounds"},
    ScheduleRule{ScheduleName::looped_bfs, "looped-bfs", Placement::loop, 1, 0, false,
                 "breadth first: all micro-batches of a chunk before the next chunk"},
    ScheduleRule{ScheduleName::zb_h1, "zb-h1", Placement::loop, 1, 1, true,
                 "zero bubble with 1f1b's memory: weight gradients fill the end"},
    ScheduleRule{ScheduleName::zb_h2, "zb-h2", Placement::loop, 1, 1, true,
                 "zero bubble with twice the memory"},
    ScheduleRule{ScheduleName::interleaved_zb, "interleaved-zb", Placement::loop, 2, 0, true,
                 "zero bubble over several stages a rank"},
    ScheduleRule{ScheduleName::zb_v, "zb-v", Placement::wave, 2, 2, true,
                 "zero bubble on a V of two stages a rank, with 1f1b's memory"},
    ScheduleRule{ScheduleName::v_half, "v-half", Placement::wave, 2, 2, true,
                 "half of 1f1b's activations"},
    ScheduleRule{ScheduleName::v_min, "v-min", Placement::wave, 2, 2, true,
                 "a third of 1f1b's activations"},
    ScheduleRule{ScheduleName::dualpipe, "dualpipe", Placement::bidirectional, 1, 1, true,
                 "two copies of the model, fed from both ends, forward and backward overlapped"},
    ScheduleRule{ScheduleName::dualpipev, "dualpipev", Placement::wave, 2, 2, true,
                 "dualpipe folded into a V: one copy of the model"},
    ScheduleRule{ScheduleName::chimera, "chimera", Placement::bidirectional, 1, 1, false,
                 "two copies of the model in opposite directions"},
    ScheduleRule{ScheduleName::hanayo, "hanayo", Placement::wave, 2, 0, false,
                 "waves: an even number of stages a rank in zig-zag"},
    ScheduleRule{ScheduleName::seq1f1b, "seq1f1b", Placement::loop, 1, 1, false,
                 "1f1b over slices of the sequence"},
    ScheduleRule{ScheduleName::automatic, "auto", Placement::loop, 1, 0, true,
                 "an order found from the stages' times and the memory limit"},
    ScheduleRule{ScheduleName::explicit_order, "explicit", Placement::loop, 1, 0, true,
                 "the order is written out, or read from a CSV file"},
};

/// The one-stage schedule to use instead of one that needs several stages a rank, and so on.
std::optional<ShapeProblem> chunks_problem(const ScheduleRule& rule, const ScheduleShape& shape) {
  if (shape.chunks < rule.least_chunks) {
    return ShapeProblem{
        ShapePart::chunks,
        rule.most_chunks == rule.least_chunks
            ? fmt::format("{} needs \"chunks\" of {}", rule.spelling, rule.least_chunks)
            : fmt::format("{} needs \"chunks\" of {} or more", rule.spelling, rule.least_chunks),
        "set chunks (stages per pipeline rank), or use \"1f1b\""};
  }
  if (rule.most_chunks > 0 && shape.chunks > rule.most_chunks) {
    return ShapeProblem{
        ShapePart::chunks,
        rule.most_chunks == 1 ? fmt::format("schedule \"{}\" has one stage per rank, not {}",
                                            rule.spelling, shape.chunks)
                              : fmt::format("schedule \"{}\" has {} stages per rank, not {}",
                                            rule.spelling, rule.most_chunks, shape.chunks),
        rule.most_chunks == 1 ? "remove chunks, or use \"interleaved-1f1b\"" : "set chunks to 2"};
  }
  return std::nullopt;
}

/// Megatron-LM: the group is between the pipeline size and the number of micro-batches, and the
/// last round is empty or at least as long as the pipeline. PyTorch's group is allowed as well.
std::optional<ShapeProblem> group_problem(const ScheduleShape& shape) {
  const std::int32_t p = shape.ranks;
  const std::int32_t m = shape.micro_batches;
  if (shape.group == 0) {
    if (m % p == 0) {
      return std::nullopt;
    }
    const bool pytorch = !pytorch_rounds_problem(shape);
    return ShapeProblem{
        ShapePart::micro_batches,
        fmt::format("interleaved-1f1b over {} ranks cannot run {} micro-batches in rounds of {}", p,
                    m, p),
        pytorch
            ? fmt::format("make the micro-batches a multiple of {}, or set schedule.group to {}", p,
                          pytorch_group(shape))
        : m > p ? fmt::format(
                      "make the micro-batches a multiple of {}, or set schedule.group to {}", p, m)
                : fmt::format("make the micro-batches a multiple of {}", p)};
  }
  if (!pytorch_rounds_problem(shape) && shape.group == pytorch_group(shape)) {
    return std::nullopt;
  }
  if (shape.group < p || shape.group > m) {
    return ShapeProblem{
        ShapePart::group,
        fmt::format("a group of {} is not between the pipeline size {} and the {} micro-batches",
                    shape.group, p, m),
        m < p ? fmt::format("with fewer micro-batches than ranks the group is {}", m)
              : "leave it out for the pipeline size"};
  }
  if (m % shape.group != 0 && m % shape.group < p) {
    return ShapeProblem{
        ShapePart::group,
        fmt::format("{} micro-batches in groups of {} leave a last round of {}, shorter than the "
                    "pipeline of {}",
                    m, shape.group, m % shape.group, p),
        "use a group that divides the micro-batches"};
  }
  return std::nullopt;
}

std::optional<ShapeProblem> even_ranks(const ScheduleRule& rule, const ScheduleShape& shape) {
  if (shape.ranks % 2 == 0) {
    return std::nullopt;
  }
  return ShapeProblem{
      ShapePart::ranks,
      fmt::format("{} needs an even number of pipeline ranks, not {}", rule.spelling, shape.ranks),
      "its two directions meet in the middle"};
}

std::optional<ShapeProblem> at_least(const ScheduleRule& rule, const ScheduleShape& shape,
                                     std::int32_t least) {
  if (shape.micro_batches >= least) {
    return std::nullopt;
  }
  return ShapeProblem{ShapePart::micro_batches,
                      fmt::format("{} on {} ranks needs {} or more micro-batches, not {}",
                                  rule.spelling, shape.ranks, least, shape.micro_batches),
                      "make batch.global larger or batch.micro smaller"};
}

std::optional<ShapeProblem> multiple_of(const ScheduleRule& rule, const ScheduleShape& shape,
                                        std::int32_t factor) {
  if (shape.micro_batches % factor == 0) {
    return std::nullopt;
  }
  return ShapeProblem{ShapePart::micro_batches,
                      fmt::format("{} needs a multiple of {} micro-batches, not {}", rule.spelling,
                                  factor, shape.micro_batches),
                      "its two directions take half each"};
}

std::optional<ShapeProblem> own_problem(const ScheduleRule& rule, const ScheduleShape& shape) {
  switch (rule.name) {
    case ScheduleName::interleaved_1f1b:
      if (shape.ranks < 2) {
        return ShapeProblem{ShapePart::ranks,
                            "interleaved-1f1b needs a pipeline of 2 or more ranks",
                            "set parallel.pipeline, or use \"1f1b\""};
      }
      return group_problem(shape);
    case ScheduleName::interleaved_zb:
      return pytorch_rounds_problem(shape);
    case ScheduleName::dualpipe:
      if (auto problem = even_ranks(rule, shape)) {
        return problem;
      }
      if (auto problem = at_least(rule, shape, 2 * shape.ranks)) {
        return problem;
      }
      return multiple_of(rule, shape, 2);
    case ScheduleName::dualpipev:
      return at_least(rule, shape, 2 * shape.ranks);
    case ScheduleName::chimera:
      if (auto problem = even_ranks(rule, shape)) {
        return problem;
      }
      return multiple_of(rule, shape, shape.ranks);
    case ScheduleName::hanayo:
      if (shape.chunks % 2 != 0) {
        return ShapeProblem{
            ShapePart::chunks,
            fmt::format("hanayo needs an even number of chunks, not {}", shape.chunks),
            "a wave goes down the ranks and comes back: two chunks a wave"};
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::span<const ScheduleRule> schedule_rules() {
  return kRules;
}

const ScheduleRule& rule_of(ScheduleName name) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(),
                                   [name](const ScheduleRule& rule) { return rule.name == name; });
  SIM_CHECK(found != kRules.end(), "every schedule has a row in kRules");
  return *found;
}

std::int32_t pytorch_group(const ScheduleShape& shape) {
  return shape.micro_batches / std::max(1, shape.micro_batches / shape.ranks);
}

std::optional<ShapeProblem> pytorch_rounds_problem(const ScheduleShape& shape) {
  const std::int32_t rounds = std::max(1, shape.micro_batches / shape.ranks);
  if (shape.micro_batches % rounds == 0) {
    return std::nullopt;
  }
  return ShapeProblem{
      ShapePart::micro_batches,
      fmt::format("{} micro-batches do not divide into {} equal rounds", shape.micro_batches,
                  rounds),
      fmt::format("make the micro-batches a multiple of the {} ranks", shape.ranks)};
}

std::optional<ShapeProblem> shape_problem(ScheduleName name, const ScheduleShape& shape) {
  const ScheduleRule& rule = rule_of(name);
  if (auto problem = chunks_problem(rule, shape)) {
    return problem;
  }
  if (shape.group > 0 && name != ScheduleName::interleaved_1f1b) {
    return ShapeProblem{ShapePart::group, "is for interleaved-1f1b only", "remove it"};
  }
  if (shape.slices > 1 && name != ScheduleName::seq1f1b) {
    return ShapeProblem{ShapePart::slices, "are for seq1f1b only", "remove slices"};
  }
  return own_problem(rule, shape);
}

Schedule generate(ScheduleName name, const ScheduleShape& shape) {
  switch (name) {
    case ScheduleName::naive:
      return naive_schedule(shape);
    case ScheduleName::gpipe:
      return gpipe_schedule(shape);
    case ScheduleName::one_f_one_b:
      return one_f_one_b_schedule(shape);
    case ScheduleName::interleaved_1f1b:
      return interleaved_1f1b_schedule(shape);
    case ScheduleName::looped_bfs:
      return looped_bfs_schedule(shape);
    case ScheduleName::zb_h1:
      return zb_h1_schedule(shape);
    case ScheduleName::zb_h2:
      return zb_h2_schedule(shape);
    case ScheduleName::interleaved_zb:
      return interleaved_zb_schedule(shape);
    case ScheduleName::zb_v:
      return zb_v_schedule(shape);
    case ScheduleName::v_half:
      return v_half_schedule(shape);
    case ScheduleName::v_min:
      return v_min_schedule(shape);
    case ScheduleName::dualpipe:
      return dualpipe_schedule(shape);
    case ScheduleName::dualpipev:
      return dualpipev_schedule(shape);
    case ScheduleName::chimera:
      return chimera_schedule(shape);
    case ScheduleName::hanayo:
      return hanayo_schedule(shape);
    case ScheduleName::seq1f1b:
      return seq1f1b_schedule(shape);
    case ScheduleName::automatic:
    case ScheduleName::explicit_order:
      break;
  }
  throw BugError("a generated schedule");
}

}  // namespace parsim
