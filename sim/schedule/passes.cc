#include "sim/schedule/passes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace parsim {

namespace {

Actions without_blanks(const Actions& actions) {
  Actions result;
  std::copy_if(actions.begin(), actions.end(), std::back_inserter(result),
               [](const Action& action) { return action.kind != ActionKind::idle; });
  return result;
}

/// The distinct stages of the next computations from `begin` on, in program order, at most `most`.
std::vector<std::int32_t> next_stages(const Actions& actions, std::size_t begin, std::size_t most) {
  std::vector<std::int32_t> stages;
  for (std::size_t i = begin; i < actions.size() && stages.size() < most; ++i) {
    if (is_compute(actions[i].kind) &&
        std::find(stages.begin(), stages.end(), actions[i].stage) == stages.end()) {
      stages.push_back(actions[i].stage);
    }
  }
  return stages;
}

bool contains(const std::vector<std::int32_t>& stages, std::int32_t stage) {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

}  // namespace

Actions merge_backward(const Actions& actions) {
  Actions result;
  for (const Action& action : without_blanks(actions)) {
    const bool completes =
        action.kind == ActionKind::weight_gradient && !result.empty() &&
        result.back().kind == ActionKind::input_gradient && result.back().stage == action.stage &&
        result.back().micro_batch == action.micro_batch && !result.back().overlaps_next;
    if (completes) {
      result.back().kind = ActionKind::backward;
      result.back().overlaps_next = action.overlaps_next;
    } else {
      result.push_back(action);
    }
  }
  return result;
}

Actions add_unshard_reshard(const Actions& actions, std::int32_t most_active) {
  const Actions program = without_blanks(actions);
  Actions result;
  std::vector<std::int32_t> active;  // in the order in which they were gathered
  bool in_pair = false;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (is_compute(program[i].kind) && !in_pair) {
      const auto wanted = next_stages(program, i, static_cast<std::size_t>(most_active));
      for (const std::int32_t stage : std::vector<std::int32_t>(active)) {
        if (!contains(wanted, stage)) {
          result.push_back({ActionKind::reshard, stage, kNoMicroBatch});
          std::erase(active, stage);
        }
      }
      for (const std::int32_t stage : wanted) {
        if (!contains(active, stage)) {
          result.push_back({ActionKind::unshard, stage, kNoMicroBatch});
          active.push_back(stage);
        }
      }
    }
    in_pair = program[i].overlaps_next;
    result.push_back(program[i]);
  }
  for (const std::int32_t stage : active) {
    result.push_back({ActionKind::reshard, stage, kNoMicroBatch});
  }
  return result;
}

Actions add_reduce_gradient(const Actions& actions, std::int32_t micro_batches) {
  Actions result;
  std::unordered_map<std::int32_t, std::int32_t> done;
  std::vector<std::int32_t> complete;  // inside a pair: until the pair is over
  for (const Action& action : without_blanks(actions)) {
    result.push_back(action);
    const bool ends =
        action.kind == ActionKind::backward || action.kind == ActionKind::weight_gradient;
    if (ends && ++done[action.stage] == micro_batches) {
      complete.push_back(action.stage);
    }
    if (!action.overlaps_next) {
      for (const std::int32_t stage : complete) {
        result.push_back({ActionKind::reduce_gradient, stage, kNoMicroBatch});
      }
      complete.clear();
    }
  }
  return result;
}

}  // namespace parsim
