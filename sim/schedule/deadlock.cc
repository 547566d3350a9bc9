// Does an order finish? Nodes are computations (a pair is one) and messages (a send and its receive
// are one: neither ends without the other); an edge says what a node waits for, and why. The order
// finishes exactly when the graph has no cycle.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "sim/schedule/order_check.h"

namespace parsim {

namespace {

using Node = std::int32_t;
constexpr Node kNoNode = -1;

enum class Reason : std::uint8_t { order, data, send, receive, batch };

struct Edge {
  Node to;  ///< what is waited for
  Reason reason;
};

/// What a rank has done up to some point of its program.
struct Progress {
  Node compute = kNoNode;     ///< the last computation
  Node transfer = kNoNode;    ///< the last message, of any kind
  std::vector<Node> awaited;  ///< messages that the next computation waits for
  bool in_pair = false;       ///< the last action overlaps the next
};

class WaitGraph {
 public:
  WaitGraph(const Schedule& program, TransferMode mode) : program_(program), mode_(mode) {
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      Progress progress;
      for (const Action& action : program.ranks[rank]) {
        add(static_cast<std::int32_t>(rank), action, progress);
      }
    }
    add_data_edges();
  }

  /// Nodes that wait for each other, each for the next, the last for the first; empty: none.
  [[nodiscard]] std::vector<std::string> cycle() const {
    const std::vector<bool> finished = finish();
    const auto stuck = std::find(finished.begin(), finished.end(), false);
    if (stuck == finished.end()) {
      return {};
    }
    // Every stuck node waits for a stuck one, so following those must come back.
    std::vector<std::pair<Node, Edge>> path;
    std::unordered_map<Node, std::size_t> position;
    auto node = static_cast<Node>(stuck - finished.begin());
    while (position.emplace(node, path.size()).second) {
      const auto& edges = waits_[static_cast<std::size_t>(node)];
      const Edge next = *std::find_if(edges.begin(), edges.end(), [&finished](const Edge& edge) {
        return !finished[static_cast<std::size_t>(edge.to)];
      });
      path.emplace_back(node, next);
      node = next.to;
    }
    std::vector<std::string> lines;
    for (std::size_t i = position[node]; i < path.size(); ++i) {
      lines.push_back(line(path[i].first, path[i].second));
    }
    return lines;
  }

 private:
  Node new_node(std::int32_t rank, const Action& action) {
    names_.emplace_back(rank, action);
    waits_.emplace_back();
    return static_cast<Node>(names_.size() - 1);
  }
  void wait(Node node, Node to, Reason reason) {
    if (to != kNoNode && to != node) {
      waits_[static_cast<std::size_t>(node)].push_back({to, reason});
    }
  }
  static std::uint64_t key(ActionKind kind, std::int32_t stage, std::int32_t micro_batch) {
    return (static_cast<std::uint64_t>(kind) << 60) | (static_cast<std::uint64_t>(stage) << 32) |
           static_cast<std::uint32_t>(micro_batch);
  }
  Node& node_of(ActionKind kind, std::int32_t stage, std::int32_t micro_batch) {
    return nodes_.try_emplace(key(kind, stage, micro_batch), kNoNode).first->second;
  }

  void add(std::int32_t rank, const Action& action, Progress& progress) {
    if (is_compute(action.kind)) {
      add_compute(rank, action, progress);
    } else if (is_transfer(action.kind)) {
      add_transfer(action, progress);
    }
    progress.in_pair = action.overlaps_next;
  }

  void add_compute(std::int32_t rank, const Action& action, Progress& progress) {
    if (!progress.in_pair) {
      const Node node = new_node(rank, action);
      wait(node, progress.compute, Reason::order);
      for (const Node message : progress.awaited) {
        wait(node, message, Reason::batch);
      }
      progress.awaited.clear();
      progress.compute = node;
    }
    const ActionKind kind =
        action.kind == ActionKind::backward ? ActionKind::input_gradient : action.kind;
    node_of(kind, action.stage, action.micro_batch) = progress.compute;
    const ActionKind input = action.kind == ActionKind::forward ? ActionKind::receive_forward
                                                                : ActionKind::receive_backward;
    if (action.kind != ActionKind::weight_gradient) {
      const auto received = received_.find(key(input, action.stage, action.micro_batch));
      if (received != received_.end()) {
        wait(progress.compute, received->second, Reason::data);
      }
    }
  }

  /// A message is named by its send, whoever is seen first.
  void add_transfer(const Action& action, Progress& progress) {
    const bool send = is_send(action.kind);
    const bool forward =
        action.kind == ActionKind::send_forward || action.kind == ActionKind::receive_forward;
    const std::int32_t sender = send ? action.stage : action.stage + (forward ? -1 : 1);
    const ActionKind kind = forward ? ActionKind::send_forward : ActionKind::send_backward;
    Node& known = node_of(kind, sender, action.micro_batch);
    if (known == kNoNode) {
      known = new_node(program_.rank_of(sender), {kind, sender, action.micro_batch});
    }
    const Node message = known;
    if (!send) {
      received_[key(action.kind, action.stage, action.micro_batch)] = message;
    }
    if (send || mode_ != TransferMode::eager) {
      wait(message, progress.compute, send ? Reason::send : Reason::receive);
    }
    if (mode_ == TransferMode::blocking) {
      wait(message, progress.transfer, send ? Reason::send : Reason::receive);
    }
    if (mode_ == TransferMode::batched || mode_ == TransferMode::blocking) {
      progress.awaited.push_back(message);
    }
    progress.transfer = message;
  }

  /// What a computation needs from a neighbouring stage on its own rank, and from its forward.
  /// Needs from other ranks come with the messages.
  void add_data_edges() {
    for (const auto& actions : program_.ranks) {
      for (const Action& action : actions) {
        if (!is_compute(action.kind)) {
          continue;
        }
        const std::int32_t s = action.stage;
        const std::int32_t m = action.micro_batch;
        const bool forward = action.kind == ActionKind::forward;
        const ActionKind kind =
            action.kind == ActionKind::backward ? ActionKind::input_gradient : action.kind;
        const Node node = node_of(kind, s, m);
        if (forward && !program_.is_first(s) && same_rank(s, s - 1)) {
          wait(node, node_of(ActionKind::forward, s - 1, m), Reason::data);
        }
        if (kind == ActionKind::input_gradient) {
          wait(node, node_of(ActionKind::forward, s, m), Reason::data);
          if (!program_.is_last(s) && same_rank(s, s + 1)) {
            wait(node, node_of(ActionKind::input_gradient, s + 1, m), Reason::data);
          }
        }
        if (kind == ActionKind::weight_gradient) {
          wait(node, node_of(ActionKind::input_gradient, s, m), Reason::data);
        }
      }
    }
  }
  [[nodiscard]] bool same_rank(std::int32_t one, std::int32_t other) const {
    return program_.rank_of(one) == program_.rank_of(other);
  }

  /// Which nodes get done (Kahn's algorithm).
  [[nodiscard]] std::vector<bool> finish() const {
    std::vector<std::int32_t> open(waits_.size(), 0);
    std::vector<std::vector<Node>> waited_by(waits_.size());
    std::vector<Node> ready;
    for (std::size_t node = 0; node < waits_.size(); ++node) {
      open[node] = static_cast<std::int32_t>(waits_[node].size());
      for (const Edge& edge : waits_[node]) {
        waited_by[static_cast<std::size_t>(edge.to)].push_back(static_cast<Node>(node));
      }
      if (open[node] == 0) {
        ready.push_back(static_cast<Node>(node));
      }
    }
    std::vector<bool> finished(waits_.size(), false);
    while (!ready.empty()) {
      const auto node = static_cast<std::size_t>(ready.back());
      ready.pop_back();
      finished[node] = true;
      for (const Node next : waited_by[node]) {
        if (--open[static_cast<std::size_t>(next)] == 0) {
          ready.push_back(next);
        }
      }
    }
    return finished;
  }

  [[nodiscard]] std::string name(Node node) const {
    const auto& [rank, action] = names_[static_cast<std::size_t>(node)];
    return fmt::format("{} of rank {}", to_text(action), rank);
  }
  [[nodiscard]] std::string line(Node node, const Edge& edge) const {
    const std::string what = name(edge.to);
    switch (edge.reason) {
      case Reason::order:
        return fmt::format("{} comes after {}", name(node), what);
      case Reason::data:
        return fmt::format("{} needs {}", name(node), what);
      case Reason::send:
        return fmt::format("{} is sent after {}", name(node), what);
      case Reason::receive:
        return fmt::format("{} is received after {}", name(node), what);
      case Reason::batch:
        return fmt::format("{} comes after the blocking {}", name(node), what);
    }
    return "";
  }

  const Schedule& program_;
  TransferMode mode_;
  std::vector<std::pair<std::int32_t, Action>> names_;
  std::vector<std::vector<Edge>> waits_;
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::unordered_map<std::uint64_t, Node> received_;
};

}  // namespace

std::vector<std::string> find_deadlock(const Schedule& schedule, TransferMode mode) {
  return WaitGraph(with_transfers(schedule), mode).cycle();
}

}  // namespace parsim
