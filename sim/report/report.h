#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/engine.h"
#include "sim/graph/fold.h"
#include "sim/graph/task_graph.h"
#include "sim/plan/plan.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/workload.h"

namespace parsim {

struct Throughput {
  std::optional<double> tokens_per_s;  ///< absent when the model has no tokens
  double samples_per_s = 0.0;
  double tflops_per_device = 0.0;  ///< model FLOPs, no recomputation, 1e12 per second
  std::optional<double> mfu;  ///< model FLOP/s over the device's peak at the training precision
  std::optional<double> hfu;  ///< the same counting recomputation
};

/// Of the rank that finishes last; adds up to the step time.
struct Breakdown {
  Seconds compute{0.0}, exposed_tensor{0.0}, exposed_data{0.0}, exposed_pipeline{0.0},
      exposed_other{0.0}, bubble{0.0}, optimizer{0.0}, other{0.0};
  std::int64_t rank = 0;
};

/// One pipeline rank's idle time that no communication explains.
struct StageBubble {
  std::int32_t stage = 0;  ///< pipeline rank
  Seconds idle{0.0};
  double fraction = 0.0;  ///< of the step time
  Seconds warmup{0.0};    ///< before the rank's first backward
  Seconds steady{0.0};
  Seconds cooldown{0.0};  ///< after the rank's last forward
};

/// How many (stage, unit) pairs a rank holds activations of, from `time` on.
struct InFlight {
  Seconds time{0.0};
  std::int64_t count = 0;
};

/// One pipeline rank's order of actions, as it went.
struct RankOrder {
  std::int32_t rank = 0;         ///< pipeline rank
  Seconds start{0.0}, end{0.0};  ///< of its forwards and backwards; end - start is its span
  Seconds waiting_data{0.0};     ///< of the bubble: nothing of the rank could have run
  Seconds waiting_turn{0.0};     ///< of the bubble: a later action of the rank could have run
  Seconds finished{0.0};         ///< of the bubble: all its forwards and backwards are done
  std::int64_t peak_in_flight = 0;
  std::vector<InFlight> in_flight;  ///< over time
};

struct StageMemory {
  std::int32_t stage = 0;  ///< pipeline rank
  Bytes peak{0.0}, weights{0.0}, gradients{0.0}, optimizer{0.0}, activations{0.0}, other{0.0};
};

/// A run of consecutive binding tasks of one action on one rank.
struct CriticalStep {
  std::string task;
  Seconds start{0.0}, end{0.0};
  std::string why;  ///< why it could not start earlier, e.g. "waits for micro-batch 3 from stage 2"
  std::string kind;  ///< what is done, whoever does it: "backward", "gradient all-reduce"
};

struct LinkUse {
  std::string name;
  std::string link_class;
  std::int64_t multiplicity = 1;
  double utilisation = 0.0;  ///< bytes carried / (bandwidth · step time)
  Bytes bytes{0.0};
};

struct ClassTime {
  std::string name;   ///< operator class or communication kind
  Seconds time{0.0};  ///< on the rank that finishes last
};

struct SimulationFacts {
  std::int64_t tasks = 0, ranks = 0, ranks_simulated = 0;
  double wall_s = 0.0,
         tasks_per_s = 0.0;  ///< left out of the JSON unless asked for: they vary from run to run
};

struct Report {
  std::string scenario;
  std::string engine;
  std::string scenario_hash;
  Seconds step_time{0.0};
  Throughput throughput;
  Breakdown breakdown;
  double bubble_fraction = 0.0;  ///< mean over pipeline ranks of StageBubble::fraction
  std::vector<StageBubble> bubbles;
  std::vector<RankOrder> orders;  ///< per pipeline rank
  Seconds longest_span{0.0};      ///< of the pipeline ranks' spans
  std::int64_t messages = 0;      ///< between pipeline ranks, of all ranks
  bool fits = true;
  Bytes device_memory{0.0};
  Bytes peak_memory{0.0};
  std::vector<StageMemory> memory;
  std::vector<CriticalStep> critical_path;
  std::vector<ClassTime> bound_by;  ///< what limits the step; adds up to it, largest first
  std::vector<ClassTime> time_by_class;
  std::vector<LinkUse> links;        ///< by utilisation, highest first
  std::optional<Seconds> low, high;  ///< absent without a calibrated error
  std::vector<std::string> assumptions;
  std::map<std::string, std::string> versions;  ///< program -> version, e.g. "parsim" -> "0.1.0"
  SimulationFacts simulation;
};

struct AnalyseInput {
  const Scenario& scenario;
  const Workload& workload;
  const Plan& plan;
  const TaskGraph& graph;
  const Timeline& timeline;
  std::string engine = "simgrid";  ///< which engine made the timeline
};

[[nodiscard]] Report analyse(const AnalyseInput& input);

/// For people, at most `width` columns. `colour` adds ANSI colours.
[[nodiscard]] std::string text_report(const Report& report, int width, bool colour);

/// The stable JSON of docs/report.md. `resolved_scenario` is embedded as it is (a JSON text).
[[nodiscard]] std::string json_report(const Report& report, const std::string& resolved_scenario);

/// Text timeline: one row a pipeline rank (compute lane), `width` columns; cells show the
/// micro-batch.
[[nodiscard]] std::string text_timeline(const TaskGraph& graph, const Timeline& timeline,
                                        int width);

struct TraceOptions {
  std::vector<std::int64_t> ranks;  ///< representative ranks to write; empty: all simulated
  std::int64_t size_budget =
      256'000'000;  ///< bytes; what does not fit is left out, latest tasks first, and said
};
struct TraceResult {
  std::int64_t bytes = 0;
  std::int64_t events = 0;
  std::int64_t tasks_left_out = 0;
};
/// Streams a Chrome/Perfetto trace to `path` (whole or not at all). Throws RunError when it cannot
/// be written.
TraceResult write_chrome_trace(const std::string& path, const TaskGraph& graph,
                               const Timeline& timeline, const TraceOptions& options);

}  // namespace parsim
