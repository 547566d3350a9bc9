#include <map>
#include <set>
#include <utility>

#include "sim/report/quantities.h"

namespace parsim {

namespace {

/// Bytes of activations that one unit (micro-batch or slice) leaves on a stage, added up once.
class SavedBytes {
 public:
  explicit SavedBytes(const AnalyseInput& input) : input_(input) {}
  Bytes of(std::int32_t stage, std::int32_t unit) {
    const std::int32_t slice = unit % input_.workload.slices;
    const auto [entry, is_new] = known_.try_emplace({stage, slice});
    if (is_new) {
      const Stage& s = input_.plan.stages.at(index_of(stage));
      for (std::int64_t b = s.first_block; b < s.first_block + s.block_count; ++b) {
        entry->second += input_.workload.block(b, slice).saved;
      }
    }
    return entry->second;
  }

 private:
  const AnalyseInput& input_;
  std::map<std::pair<std::int32_t, std::int32_t>, Bytes> known_;
};

/// The most activations kept at one time. The compute lane is serial, so its order is enough: a
/// micro-batch's last task frees before the next task allocates.
Bytes peak_activations(const AnalyseInput& input, const RankLanes& rank) {
  using Key = std::pair<std::int32_t, std::int32_t>;  // stage, micro-batch
  const TaskGraph& graph = input.graph;
  std::map<Key, TaskId> last_use;
  const auto key_of = [&graph](TaskId task) {
    return Key{graph.label[index_of(task)].stage, graph.label[index_of(task)].micro_batch};
  };
  const auto holds = [](const Key& key) { return key.first != kNone && key.second != kNone; };
  for (const TaskId task : graph.tasks_on(rank.compute)) {
    if (holds(key_of(task))) {
      last_use[key_of(task)] = task;
    }
  }
  SavedBytes saved_bytes(input);
  Bytes now{0.0};
  Bytes peak{0.0};
  std::set<Key> kept;
  for (const TaskId task : graph.tasks_on(rank.compute)) {
    const Key key = key_of(task);
    if (!holds(key)) {
      continue;
    }
    const Bytes saved = saved_bytes.of(key.first, key.second);
    if (kept.insert(key).second) {
      now += saved;
      peak = max(peak, now);
    }
    if (last_use[key] == task) {
      now -= saved;
    }
  }
  return peak;
}

}  // namespace

std::vector<StageMemory> stage_memory(const AnalyseInput& input,
                                      const std::vector<RankLanes>& representatives) {
  std::vector<StageMemory> result;
  for (const RankLanes& rank : representatives) {
    StageMemory memory;
    memory.stage = rank.pipeline_rank;
    double parameters = 0.0;
    for (const Stage& stage : input.plan.stages) {
      parameters +=
          stage.pipeline_rank == rank.pipeline_rank ? static_cast<double>(stage.parameters) : 0.0;
    }
    const TrainingState state = training_state(input.scenario, parameters);
    memory.weights = state.weights;
    memory.gradients = state.gradients;
    memory.optimizer = state.optimizer;
    if (rank.compute != kNone) {
      memory.activations = peak_activations(input, rank);
    }
    memory.peak =
        memory.weights + memory.gradients + memory.optimizer + memory.activations + memory.other;
    result.push_back(memory);
  }
  return result;
}

}  // namespace parsim
