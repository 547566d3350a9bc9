#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"

namespace parsim {

/// A broken rule between values. It says nothing when one of the values it rests upon was itself
/// rejected.
struct Finding {
  std::string pointer;
  std::string message;
  std::string hint;
  std::vector<std::string> needs;  ///< pointers of the values it rests upon
};
using Findings = std::vector<Finding>;

// One function an area; each adds what it finds. Sizes are zero or in the range of their field
// table (what the reader rejects keeps its default), so sums of a few do not overflow; products are
// checked.
void check_model(const Scenario& scenario, Findings& findings);
void check_cluster(const Scenario& scenario, Findings& findings);
void check_parallel(const Scenario& scenario, Findings& findings);
void check_schedule(const Scenario& scenario, Findings& findings);
void check_explicit_orders(const Scenario& scenario, Findings& findings);
void check_batch(const Scenario& scenario, Findings& findings);

/// All of the above, in this order.
[[nodiscard]] Findings all_findings(const Scenario& scenario);

// Shared by the checks.

/// The product, or nothing when it leaves 64 bits or a factor is not positive.
[[nodiscard]] std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors);
/// True when `whole` is a multiple of `part`; also when `part` is not positive (reported
/// elsewhere).
[[nodiscard]] bool divides(std::int64_t part, std::int64_t whole);
/// The layers that can be spread over stages, repeats counted; kNoLayerCount beyond 64 bits.
[[nodiscard]] std::int64_t layer_count(const Model& model);
inline constexpr std::int64_t kNoLayerCount = std::numeric_limits<std::int64_t>::max();
/// Parameters of the whole model, roughly; never too few.
[[nodiscard]] double estimated_parameters(const Model& model);
/// Micro-batches per replica and step, or nothing when the batch does not divide.
[[nodiscard]] std::optional<std::int64_t> micro_batch_count(const Scenario& scenario);
/// "1, 2, 4 or 8": the divisors of all the numbers up to `most`, at most eight of them.
[[nodiscard]] std::string common_divisors(std::initializer_list<std::int64_t> numbers,
                                          std::int64_t most);

}  // namespace parsim
