#include "sim/schedule/automatic_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "sim/schedule/automatic_windows.h"

// Why no order that fits the limit is faster
// ------------------------------------------
// A B is an I directly followed by its W, whose gradient leaves later: splitting every B gives an
// order that is no slower and holds no more. A pair takes `pair` times the sum of its parts. Where
// that is below one, all times are shortened to it first: the pair's parts one after another in its
// place, forwards first, are then an order without pairs that is no slower than the original.
//
// Windows (their proof is beside them) give least starts and least times to the end for the n-th F,
// I and W of every stage. One rank does one thing at a time; were it allowed to interrupt, the best
// it could do with these windows is Jackson's preemptive schedule (at any time run what is ready
// and has the longest tail), so that schedule's length, for each rank, is a bound.
//
// Memory shared by several stages of a rank does not show in windows of single stages. With the
// rank's stages a < ... < z:
// 1. The first I is one of z, at `first` or later. Only forwards run before, and nothing has been
//    given back, so at most those that fit the limit together; nor more than have arrived. The rank
//    is idle for the rest, and makespan >= idle + all its work. Likewise only forwards of earlier
//    stages run before the first F of stage c can.
// 2. When the last I of a ends, every F and I of the rank is done. Of the W only so many are left
//    as the limit could keep while that I still held its own activations; the others came before:
//    makespan >= idle + work - (longest W work that can be left) + tail of that I.
// 3. Each F holds `activations` until its I and `kept` until its W. So before the n-th F of a stage
//    at least x I and y W of the stage are over, the cheapest numbers with
//    (n+1)·activations - x·(activations - kept) - y·kept <= limit; each of these I had the F and I
//    of its micro-batch on later stages of this rank before it, and each of the n+1 F those on
//    earlier stages. The n-th F starts no earlier than idle (head of the rank if x = 0) plus that
//    work. This goes back into the windows.

namespace parsim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Something a rank has to run, with its window.
struct Job {
  double head, time, tail;
};

/// The length of Jackson's preemptive schedule.
double preemptive_length(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.head < b.head; });
  const auto shorter_tail = [](const Job& a, const Job& b) { return a.tail < b.tail; };
  std::priority_queue<Job, std::vector<Job>, decltype(shorter_tail)> ready(shorter_tail);
  double now = 0.0;
  double length = 0.0;
  std::size_t next = 0;
  while (next < jobs.size() || !ready.empty()) {
    if (ready.empty()) {
      now = std::max(now, jobs[next].head);
    }
    while (next < jobs.size() && jobs[next].head <= now) {
      ready.push(jobs[next++]);
    }
    Job job = ready.top();
    ready.pop();
    const double until = next < jobs.size() ? jobs[next].head : kNever;
    if (now + job.time > until) {
      job.time -= until - now;
      now = until;
      ready.push(job);
    } else {
      now += job.time;
      length = std::max(length, now + job.tail);
    }
  }
  return length;
}

/// Up to `most` pieces of this size and value.
struct Pieces {
  double size, value;
  std::int32_t most;
};

/// At least the greatest value that fits in `room`: exact when all sizes are equal, otherwise with
/// one piece cut.
double most_value(std::vector<Pieces> pieces, double room) {
  std::sort(pieces.begin(), pieces.end(), [](const Pieces& a, const Pieces& b) {
    return a.value * b.size > b.value * a.size;  // value per size, descending
  });
  const bool alike = std::all_of(pieces.begin(), pieces.end(),
                                 [&](const Pieces& p) { return p.size == pieces[0].size; });
  double value = 0.0;
  for (const Pieces& p : pieces) {
    const double number = alike || p.size <= 0.0 ? whole_pieces(room, p.size, p.most)
                                                 : std::clamp(room / p.size, 0.0, 1.0 * p.most);
    value += number * p.value;
    room -= p.size <= 0.0 ? 0.0 : number * p.size;
  }
  return value;
}

/// Parts 1 to 3 for one rank.
class RankBound {
 public:
  RankBound(const PlacedStages& stages, const Windows& windows, std::int32_t rank)
      : stages_(stages),
        windows_(windows),
        own_(&stages.own[at(rank * stages.chunks)]),
        limit_(stages.limit[at(rank)]) {
    for (std::int32_t c = 0; c < stages.chunks; ++c) {
      const StageTimes& t = time(c);
      work_ += (t.forward + t.input_gradient + t.weight_gradient) * stages.micro_batches;
    }
    idle_ = inevitable_idle();
  }

  [[nodiscard]] double value() const {
    return std::max({idle_ + work_, after_last_input(), preemptive_length(jobs())});
  }

  /// Part 3: the least start of the n-th F of this chunk.
  [[nodiscard]] double least_forward(std::int32_t chunk, std::int32_t n) const {
    double work = n * time(chunk).forward;
    for (std::int32_t c = 0; c < chunk; ++c) {
      work += (n + 1) * time(c).forward;
    }
    const double given_back = work_to_give_back(chunk, n);
    return given_back > 0.0 ? idle_ + work + given_back : windows_.forward.head[slot(0, 0)] + work;
  }

 private:
  [[nodiscard]] const StageTimes& time(std::int32_t chunk) const {
    return stages_.times[at(own_[chunk])];
  }
  [[nodiscard]] std::size_t slot(std::int32_t chunk, std::int32_t n) const {
    return at(std::int64_t{own_[chunk]} * stages_.micro_batches + n);
  }

  [[nodiscard]] std::vector<Job> jobs() const {
    std::vector<Job> result;
    const auto add = [&](const Windows::Kind& kind, std::size_t index, double took) {
      result.push_back({kind.head[index], took, kind.tail[index]});
    };
    for (std::int32_t c = 0; c < stages_.chunks; ++c) {
      for (std::int32_t n = 0; n < stages_.micro_batches; ++n) {
        add(windows_.forward, slot(c, n), time(c).forward);
        add(windows_.input, slot(c, n), time(c).input_gradient);
        add(windows_.weight, slot(c, n), time(c).weight_gradient);
      }
    }
    return result;
  }

  /// The most forward work of chunks before `chunks` that can be over at `until` when nothing is
  /// given back before.
  [[nodiscard]] double forwards_before(double until, std::int32_t chunks) const {
    std::vector<Pieces> pieces;
    std::vector<Job> arriving;
    for (std::int32_t c = 0; c < chunks; ++c) {
      const double size = stages_.activations[at(own_[c])];
      pieces.push_back({size, time(c).forward, stages_.micro_batches});
      const std::int32_t most = whole_pieces(limit_, size, stages_.micro_batches);
      for (std::int32_t n = 0; n < most; ++n) {
        arriving.push_back({windows_.forward.head[slot(c, n)], time(c).forward, 0.0});
      }
    }
    std::sort(arriving.begin(), arriving.end(),
              [](const Job& a, const Job& b) { return a.head < b.head; });
    double now = 0.0;
    double done = 0.0;
    for (const Job& job : arriving) {
      const double start = std::max(now, job.head);
      now = start + job.time;
      done += std::max(0.0, std::min(now, until) - start);
    }
    return std::min(done, most_value(std::move(pieces), limit_));
  }

  /// Part 1.
  [[nodiscard]] double inevitable_idle() const {
    double idle = windows_.forward.head[slot(0, 0)];
    for (std::int32_t c = 1; c < stages_.chunks; ++c) {
      const double start = windows_.forward.head[slot(c, 0)];
      idle = std::max(idle, start - forwards_before(start, c));
    }
    const double first = windows_.input.head[slot(stages_.chunks - 1, 0)];
    return std::max(idle, first - forwards_before(first, stages_.chunks));
  }

  /// Part 2.
  [[nodiscard]] double after_last_input() const {
    std::vector<Pieces> left;
    for (std::int32_t c = 0; c < stages_.chunks; ++c) {
      left.push_back({stages_.kept[at(own_[c])], time(c).weight_gradient,
                      stages_.micro_batches - (c == 0 ? 1 : 0)});
    }
    const double longest = time(0).weight_gradient +
                           most_value(std::move(left), limit_ - stages_.activations[at(own_[0])]);
    return idle_ + work_ - longest + windows_.input.tail[slot(0, stages_.micro_batches - 1)];
  }

  /// The least I, W and later stages' work before the n-th F of a stage; zero: none is needed.
  [[nodiscard]] double work_to_give_back(std::int32_t chunk, std::int32_t n) const {
    const double activations = stages_.activations[at(own_[chunk])];
    const double kept = stages_.kept[at(own_[chunk])];
    const double needed = (n + 1) * activations - limit_;
    if (needed <= 0.0) {
      return 0.0;
    }
    double per_input = time(chunk).input_gradient;
    for (std::int32_t c = chunk + 1; c < stages_.chunks; ++c) {
      per_input += time(c).forward + time(c).input_gradient;
    }
    double least = kNever;
    const auto fewest = static_cast<std::int32_t>(std::ceil(needed / activations));
    for (std::int32_t inputs = std::max(1, fewest); inputs <= n; ++inputs) {
      const double rest = needed - inputs * (activations - kept);
      const double weights = rest <= 0.0 ? 0.0 : std::ceil(rest / kept);
      if (weights <= inputs) {
        least = std::min(least, inputs * per_input + weights * time(chunk).weight_gradient);
      }
      if (weights == 0.0 || kept >= activations) {
        break;  // more I only cost more
      }
    }
    return least;
  }

  const PlacedStages& stages_;
  const Windows& windows_;
  const std::int32_t* own_;
  double limit_;
  double work_ = 0.0;
  double idle_ = 0.0;
};

/// Part 3 for all stages.
std::vector<double> least_forwards(const PlacedStages& stages, const Windows& windows) {
  std::vector<double> result(windows.forward.head.size());
  for (std::int32_t r = 0; r < stages.ranks; ++r) {
    const RankBound rank(stages, windows, r);
    for (std::int32_t c = 0; c < stages.chunks; ++c) {
      const std::int64_t stage = stages.own[at(r * stages.chunks + c)];
      for (std::int32_t n = 0; n < stages.micro_batches; ++n) {
        result[at(stage * stages.micro_batches + n)] = rank.least_forward(c, n);
      }
    }
  }
  return result;
}

}  // namespace

double placed_lower_bound(PlacedStages stages, double pair) {
  const double shorter = std::min(1.0, pair);
  for (StageTimes& t : stages.times) {
    t = {t.forward * shorter, t.input_gradient * shorter, t.weight_gradient * shorter};
  }
  const Windows apart = windows_of(stages, {});
  const Windows windows = windows_of(stages, least_forwards(stages, apart));
  double bound = 0.0;
  for (std::int32_t r = 0; r < stages.ranks; ++r) {
    bound = std::max(bound, RankBound(stages, windows, r).value());
  }
  return bound;
}

}  // namespace parsim
