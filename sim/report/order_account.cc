#include "sim/report/order_account.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace parsim {

namespace {

/// Consecutive tasks of one (kind, stage, unit) on the compute lane. A pair's parts take turns
/// there; they count where each starts first.
struct ActionSpan {
  TaskPhase phase = TaskPhase::forward;
  std::int32_t stage = 0;
  std::int32_t unit = 0;
  Seconds start{0.0}, end{0.0};
  Seconds ready{0.0};  ///< when everything it needs is there
};

using Key = std::tuple<TaskPhase, std::int32_t, std::int32_t>;

Seconds end_of(const std::map<Key, std::size_t>& index, const std::vector<ActionSpan>& actions,
               const Key& key) {
  const auto found = index.find(key);
  return found == index.end() ? Seconds{0.0} : actions[found->second].end;
}

/// The rank's actions in the order of their first tasks, with what each waited for: the messages
/// its first task depends upon, and what the rank itself has to have computed.
std::vector<ActionSpan> actions_of(const TaskGraph& graph, const Timeline& timeline,
                                   const RankLanes& rank) {
  std::vector<ActionSpan> actions;
  std::map<Key, std::size_t> index;
  for (const TaskId task : graph.tasks_on(rank.compute)) {
    const TaskLabel& label = graph.label[index_of(task)];
    if (label.stage == kNone || label.micro_batch == kNone) {
      continue;
    }
    const Key key{action_phase(label.phase), label.stage, label.micro_batch};
    const auto [entry, is_new] = index.try_emplace(key, actions.size());
    if (is_new) {
      actions.push_back({std::get<0>(key), label.stage, label.micro_batch,
                         timeline.start[index_of(task)], timeline.end[index_of(task)],
                         Seconds{0.0}});
      for (const TaskId on : graph.dependencies_of(task)) {
        if (graph.kind[index_of(on)] != TaskKind::compute) {
          actions.back().ready = max(actions.back().ready, timeline.end[index_of(on)]);
        }
      }
    }
    actions[entry->second].end = timeline.end[index_of(task)];
  }
  for (ActionSpan& action : actions) {
    const auto need = [&](TaskPhase phase, std::int32_t stage) {
      action.ready = max(action.ready, end_of(index, actions, {phase, stage, action.unit}));
    };
    if (action.phase == TaskPhase::forward) {
      need(TaskPhase::forward, action.stage - 1);
    } else if (action.phase == TaskPhase::backward) {
      need(TaskPhase::forward, action.stage);
      need(TaskPhase::backward, action.stage + 1);
    } else {
      need(TaskPhase::backward, action.stage);
    }
  }
  return actions;
}

/// +1 at each forward, -1 at the end of the action that frees it.
void count_in_flight(const std::vector<ActionSpan>& actions, RankOrder& order) {
  std::map<std::pair<std::int32_t, std::int32_t>, Seconds> freed;  // by (stage, unit): last use
  for (const ActionSpan& action : actions) {
    Seconds& last = freed[{action.stage, action.unit}];
    last = max(last, action.end);
  }
  std::vector<std::pair<Seconds, int>> changes;
  for (const ActionSpan& action : actions) {
    if (action.phase == TaskPhase::forward) {
      changes.emplace_back(action.start, 1);
      changes.emplace_back(freed[{action.stage, action.unit}], -1);
    }
  }
  std::sort(changes.begin(), changes.end());  // at one moment, freed before taken
  std::int64_t now = 0;
  for (const auto& [time, change] : changes) {
    now += change;
    if (!order.in_flight.empty() && order.in_flight.back().time == time) {
      order.in_flight.back().count = now;
    } else {
      order.in_flight.push_back({time, now});
    }
    order.peak_in_flight = std::max(order.peak_in_flight, now);
  }
}

}  // namespace

RankOrder rank_order(const TaskGraph& graph, const Timeline& timeline, const RankLanes& rank,
                     const std::vector<Span>& spans) {
  RankOrder order;
  order.rank = rank.pipeline_rank;
  if (rank.compute == kNone) {
    return order;
  }
  const std::vector<ActionSpan> actions = actions_of(graph, timeline, rank);
  if (actions.empty()) {
    return order;
  }
  order.start = actions.front().start;
  for (const ActionSpan& action : actions) {
    order.end = max(order.end, action.end);
  }
  // earliest[k]: when the first of the actions k, k+1, ... could have run.
  std::vector<Seconds> earliest(actions.size() + 1,
                                Seconds{std::numeric_limits<double>::infinity()});
  for (std::size_t k = actions.size(); k-- > 0;) {
    earliest[k] = min(earliest[k + 1], actions[k].ready);
  }
  std::size_t next = 0;  // the first action that starts at or after the span
  for (const Span& span : spans) {
    if (span.spending != Spending::bubble) {
      continue;
    }
    while (next < actions.size() && actions[next].start < span.end) {
      ++next;
    }
    const Seconds length = span.end - span.start;
    if (next == actions.size()) {
      order.finished += length;
      continue;
    }
    const Seconds runnable = max(span.start, earliest[next + 1]);
    const Seconds turn = runnable < span.end ? span.end - runnable : Seconds{0.0};
    order.waiting_turn += turn;
    order.waiting_data += length - turn;
  }
  count_in_flight(actions, order);
  return order;
}

}  // namespace parsim
