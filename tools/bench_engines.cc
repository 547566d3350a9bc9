// parsim-bench-engines OUTPUT.json [RUNS]: tasks per second through both engines.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "sim/engine/engine.h"
#include "tools/bench_graph.h"

namespace parsim {
namespace {

constexpr std::int32_t kStages = 8;
constexpr std::int32_t kReplicas = 64;
constexpr std::int32_t kMicroBatches = 32;
constexpr double kJitter = 0.01;

using Engine = Timeline (*)(const TaskGraph&);

struct Measurement {
  double wall = -1.0;  ///< seconds, the whole call: set-up, run, tear-down
  double makespan = 0.0;
};

Measurement measure(Engine engine, const TaskGraph& graph) {
  const auto before = std::chrono::steady_clock::now();
  const double makespan = engine(graph).makespan.value();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  return {wall.count(), makespan};
}

/// In a process of its own, as SimGrid runs once a process. A negative wall time: it failed.
Measurement measure_in_child(Engine engine, const TaskGraph& graph) {
  Measurement result;
  int channel[2];
  if (pipe(channel) != 0) {
    return result;
  }
  const pid_t child = fork();
  if (child == 0) {
    const Measurement measured = measure(engine, graph);
    _exit(write(channel[1], &measured, sizeof measured) == sizeof measured ? 0 : 1);
  }
  close(channel[1]);
  if (read(channel[0], &result, sizeof result) != sizeof result) {
    result = {};
  }
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return result;
}

nlohmann::json bench(Engine engine, const TaskGraph& graph, int runs, double target) {
  std::vector<double> rates;
  Measurement last;
  for (int i = 0; i < runs; ++i) {
    last = measure_in_child(engine, graph);
    rates.push_back(graph.size() / last.wall);
  }
  std::sort(rates.begin(), rates.end());
  return {{"tasks_per_s", rates[rates.size() / 2]},
          {"slowest_tasks_per_s", rates.front()},
          {"fastest_tasks_per_s", rates.back()},
          {"target_tasks_per_s", target},
          {"runs", runs},
          {"step_time_s", last.makespan}};
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown";
}

nlohmann::json machine() {
#ifdef NDEBUG
  const char* build = "optimised, no assertions";
#else
  const char* build = "with assertions";
#endif
  return {{"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"compiler", "g++ or compatible " __VERSION__},
          {"build", build},
          {"simgrid", simgrid_version()}};
}

nlohmann::json bench_case(const std::string& name, double jitter, int runs) {
  const TaskGraph graph = bench_pipeline(kStages, kReplicas, kMicroBatches, jitter);
  return {{"name", name},
          {"stages", kStages},
          {"replicas", kReplicas},
          {"micro_batches", kMicroBatches},
          {"jitter", jitter},
          {"tasks", graph.size()},
          {"edges", graph.successors.size()},
          {"graph", bench(run_graph_engine, graph, runs, 5e6)},
          {"simgrid", bench(run_simgrid_engine, graph, runs, 150e3)}};
}

int run(int argc, char** argv) {
  const int runs = argc > 2 ? std::atoi(argv[2]) : 9;
  if (argc < 2 || argc > 3 || runs < 1) {
    std::fprintf(stderr, "usage: parsim-bench-engines OUTPUT.json [RUNS]\n");
    return 2;
  }
  const nlohmann::json report = {
      {"benchmark", "engines"},
      {"machine", machine()},
      {"cases",
       {bench_case("replicas in step", 0.0, runs), bench_case("replicas apart", kJitter, runs)}}};
  std::ofstream file(argv[1]);
  file << report.dump(2) << '\n';
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", argv[1]);
    return 1;
  }
  std::printf("%s\n", report["cases"].dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace parsim

int main(int argc, char** argv) {
  return parsim::run(argc, argv);
}
