#include "sim/scenario/check.h"

#include <algorithm>

#include "sim/base/text.h"
#include "sim/scenario/load.h"

namespace parsim {

Findings all_findings(const Scenario& scenario) {
  Findings findings;
  check_model(scenario, findings);
  check_cluster(scenario, findings);
  check_parallel(scenario, findings);
  check_schedule(scenario, findings);
  check_explicit_orders(scenario, findings);
  check_batch(scenario, findings);
  return findings;
}

std::vector<Diagnostic> check_scenario(const Scenario& scenario) {
  std::vector<Diagnostic> diagnostics;
  for (Finding& finding : all_findings(scenario)) {
    diagnostics.push_back({"", 0, 0, finding.pointer, finding.message, finding.hint});
  }
  return diagnostics;
}

std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (factor <= 0 || __builtin_mul_overflow(result, factor, &result)) {
      return std::nullopt;
    }
  }
  return result;
}

bool divides(std::int64_t part, std::int64_t whole) {
  return part <= 0 || whole % part == 0;
}

std::int64_t layer_count(const Model& model) {
  if (const auto* transformer = std::get_if<TransformerModel>(&model)) {
    return transformer->layers;
  }
  std::int64_t count = 0;
  for (const LayerSpec& layer : std::get<LayerListModel>(model).layers) {
    if (__builtin_add_overflow(count, layer.repeat, &count)) {
      return kNoLayerCount;
    }
  }
  return count;
}

std::optional<std::int64_t> micro_batch_count(const Scenario& scenario) {
  const auto per_round = product({scenario.parallel.data, scenario.batch.micro});
  if (!per_round || scenario.batch.global <= 0 || scenario.batch.global % *per_round != 0) {
    return std::nullopt;
  }
  return scenario.batch.global / *per_round;
}

std::string common_divisors(std::initializer_list<std::int64_t> numbers, std::int64_t most) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> found;
  for (std::int64_t d = 1; d <= most && found.size() < kShown; ++d) {
    if (std::all_of(numbers.begin(), numbers.end(),
                    [d](std::int64_t number) { return number % d == 0; })) {
      found.push_back(std::to_string(d));
    }
  }
  return join(found, ", ", " or ");
}

}  // namespace parsim
