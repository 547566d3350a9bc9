#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/report.h"

namespace parsim {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

/// JSON has no NaN and no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}
template <class Tag>
Json number(Quantity<Tag> value) {
  return number(value.value());
}
/// Wall times vary from run to run, so they are null unless someone measured and gave them.
Json measured(double value) {
  return value > 0.0 ? number(value) : Json(nullptr);
}

Json throughput_json(const Throughput& throughput) {
  return {{"tokens_per_s", number(throughput.tokens_per_s)},
          {"samples_per_s", number(throughput.samples_per_s)},
          {"tflops_per_device", number(throughput.tflops_per_device)},
          {"mfu", number(throughput.mfu)},
          {"hfu", number(throughput.hfu)}};
}

Json breakdown_json(const Breakdown& breakdown) {
  return {{"compute", number(breakdown.compute)},
          {"exposed_tensor", number(breakdown.exposed_tensor)},
          {"exposed_data", number(breakdown.exposed_data)},
          {"exposed_pipeline", number(breakdown.exposed_pipeline)},
          {"exposed_other", number(breakdown.exposed_other)},
          {"bubble", number(breakdown.bubble)},
          {"optimizer", number(breakdown.optimizer)},
          {"other", number(breakdown.other)}};
}

/// Times and counts of a rank's activations in flight; beyond this many changes only the peak.
constexpr std::size_t kMostInFlight = 4096;

Json orders_json(const Report& report) {
  Json orders = Json::array();
  for (const RankOrder& order : report.orders) {
    Json entry = {{"rank", order.rank},
                  {"start_s", number(order.start)},
                  {"end_s", number(order.end)},
                  {"span_s", number(order.end - order.start)},
                  {"waiting_data_s", number(order.waiting_data)},
                  {"waiting_turn_s", number(order.waiting_turn)},
                  {"finished_s", number(order.finished)},
                  {"peak_in_flight", order.peak_in_flight}};
    if (order.in_flight.size() <= kMostInFlight) {
      Json changes = Json::array();
      for (const InFlight& change : order.in_flight) {
        changes.push_back({number(change.time), change.count});
      }
      entry["in_flight"] = std::move(changes);
    } else {
      entry["in_flight_left_out"] = order.in_flight.size();
    }
    orders.push_back(std::move(entry));
  }
  return orders;
}

Json bubble_json(const Report& report) {
  Json stages = Json::array();
  for (const StageBubble& bubble : report.bubbles) {
    stages.push_back({{"stage", bubble.stage},
                      {"idle_s", number(bubble.idle)},
                      {"fraction", number(bubble.fraction)},
                      {"warmup_s", number(bubble.warmup)},
                      {"steady_s", number(bubble.steady)},
                      {"cooldown_s", number(bubble.cooldown)}});
  }
  return {{"fraction", number(report.bubble_fraction)},
          {"longest_span_s", number(report.longest_span)},
          {"per_stage", stages}};
}

Json memory_json(const Report& report) {
  Json stages = Json::array();
  for (const StageMemory& memory : report.memory) {
    stages.push_back({{"stage", memory.stage},
                      {"peak_bytes", number(memory.peak)},
                      {"weights", number(memory.weights)},
                      {"gradients", number(memory.gradients)},
                      {"optimizer", number(memory.optimizer)},
                      {"activations", number(memory.activations)},
                      {"other", number(memory.other)}});
  }
  return {{"fits", report.fits},
          {"peak_bytes", number(report.peak_memory)},
          {"device_bytes", number(report.device_memory)},
          {"per_stage", stages}};
}

Json critical_path_json(const Report& report) {
  Json steps = Json::array();
  for (const CriticalStep& step : report.critical_path) {
    steps.push_back({{"task", step.task},
                     {"start_s", number(step.start)},
                     {"end_s", number(step.end)},
                     {"why", step.why}});
  }
  return steps;
}

Json links_json(const Report& report) {
  Json links = Json::array();
  for (const LinkUse& link : report.links) {
    links.push_back({{"name", link.name},
                     {"class", link.link_class},
                     {"multiplicity", link.multiplicity},
                     {"utilisation", number(link.utilisation)},
                     {"bytes", number(link.bytes)}});
  }
  return links;
}

Json bound_by_json(const Report& report) {
  Json json = Json::object();
  for (const ClassTime& entry : report.bound_by) {
    json[entry.name] = number(entry.time);
  }
  return json;
}

Json time_by_class_json(const Report& report) {
  Json times = Json::object();
  for (const ClassTime& entry : report.time_by_class) {
    times[entry.name] = number(entry.time);
  }
  return times;
}

Json uncertainty_json(const Report& report) {
  Json bounds = Json::object();
  bounds["low_s"] = report.low ? number(*report.low) : Json(nullptr);
  bounds["high_s"] = report.high ? number(*report.high) : Json(nullptr);
  return bounds;
}

Json simulation_json(const SimulationFacts& facts) {
  return {{"tasks", facts.tasks},
          {"ranks", facts.ranks},
          {"ranks_simulated", facts.ranks_simulated},
          {"wall_s", measured(facts.wall_s)},
          {"tasks_per_s", measured(facts.tasks_per_s)}};
}

}  // namespace

std::string json_report(const Report& report, const std::string& resolved_scenario) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["scenario"] = report.scenario;
  json["engine"] = report.engine;
  json["scenario_hash"] = report.scenario_hash;
  json["versions"] = report.versions;
  json["step_time_s"] = number(report.step_time);
  json["throughput"] = throughput_json(report.throughput);
  json["breakdown_s"] = breakdown_json(report.breakdown);
  json["breakdown_rank"] = report.breakdown.rank;
  json["bubble"] = bubble_json(report);
  json["orders"] = orders_json(report);
  json["messages"] = report.messages;
  json["memory"] = memory_json(report);
  json["critical_path"] = critical_path_json(report);
  json["uncertainty"] = uncertainty_json(report);
  json["assumptions"] = report.assumptions;
  json["simulation"] = simulation_json(report.simulation);
  json["bound_by_s"] = bound_by_json(report);
  json["time_by_class_s"] = time_by_class_json(report);
  json["links"] = links_json(report);
  json["seed"] = nullptr;  // nothing is drawn at random yet
  json["resolved_scenario"] =
      resolved_scenario.empty() ? Json(nullptr) : Json::parse(resolved_scenario);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parsim
