#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/schedule/rules.h"

/// The vocabulary of the field tables (fields_*.h). A table is a function
///   template <class Visitor> void describe(Visitor& visit, Struct& value)
/// that calls `visit.field(Field, member)` once per JSON key. Reader, writer, schema and reference
/// page are visitors; nothing else knows the keys.
namespace parsim {

inline constexpr std::int64_t kMostRanks = 16'777'216;  ///< 2^24
inline constexpr std::int64_t kMostLayers = 100'000;
inline constexpr std::int64_t kLargestWidth = 16'777'216;
inline constexpr std::int64_t kLargestBatch = std::int64_t{1} << 40;
inline constexpr std::int64_t kMostParameters = 1'000'000'000'000'000;

/// One row of a field table. The member's type says the rest: its JSON type and its kind of unit.
struct Field {
  std::string_view key;
  std::string_view doc;  ///< one line: meaning, then what is special
  bool required = false;
  std::int64_t least = 1;  ///< whole numbers
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool positive = false;  ///< quantities: zero is a mistake
  double low = 0.001;     ///< ratios: both ends included
  double high = 1.0;
  std::string_view default_text = "";         ///< the default in words, where it is derived
  std::vector<std::string_view> one_of = {};  ///< strings: the allowed ones
  std::string_view folder = "";               ///< may be a name from models/<folder>/
  std::string_view item_pattern = "";         ///< strings in arrays: regular expression
};

/// What a table is called in the reference page and in the schema's `$defs`.
struct TableTitle {
  std::string_view name;
  std::string_view doc;
};

/// The spelling of one enumerator.
template <class Enum>
struct Spelling {
  Enum value;
  std::string_view text;
};

inline std::vector<Spelling<Activation>> spellings(Activation) {
  return {{Activation::gelu, "gelu"},
          {Activation::relu, "relu"},
          {Activation::squared_relu, "squared-relu"},
          {Activation::swiglu, "swiglu"}};
}
inline std::vector<Spelling<Normalisation>> spellings(Normalisation) {
  return {{Normalisation::layernorm, "layernorm"}, {Normalisation::rmsnorm, "rmsnorm"}};
}
inline std::vector<Spelling<Positions>> spellings(Positions) {
  return {{Positions::learned, "learned"},
          {Positions::rope, "rope"},
          {Positions::alibi, "alibi"},
          {Positions::none, "none"}};
}
inline std::vector<Spelling<Precision>> spellings(Precision) {
  return {{Precision::fp32, "fp32"},
          {Precision::tf32, "tf32"},
          {Precision::fp16, "fp16"},
          {Precision::bf16, "bf16"},
          {Precision::fp8, "fp8"}};
}
inline std::vector<Spelling<NodeInterconnect>> spellings(NodeInterconnect) {
  return {{NodeInterconnect::nvswitch, "nvswitch"},
          {NodeInterconnect::nvlink_pairs, "nvlink-pairs"},
          {NodeInterconnect::pcie, "pcie"}};
}
inline std::vector<Spelling<FabricKind>> spellings(FabricKind) {
  return {{FabricKind::non_blocking, "non-blocking"},
          {FabricKind::oversubscribed, "oversubscribed"}};
}
inline std::vector<Spelling<Axis>> spellings(Axis) {
  return {{Axis::data, "data"}, {Axis::tensor, "tensor"}, {Axis::pipeline, "pipeline"}};
}
inline std::vector<Spelling<ScheduleName>> spellings(ScheduleName) {
  std::vector<Spelling<ScheduleName>> result;
  for (const ScheduleRule& rule : schedule_rules()) {
    result.push_back({rule.name, rule.spelling});
  }
  return result;
}
inline std::vector<Spelling<TransferMode>> spellings(TransferMode) {
  return {{TransferMode::eager, "eager"},
          {TransferMode::posted, "posted"},
          {TransferMode::batched, "batched"},
          {TransferMode::blocking, "blocking"}};
}
inline std::vector<Spelling<GradientNorm>> spellings(GradientNorm) {
  return {{GradientNorm::none, "none"},
          {GradientNorm::blocking, "blocking"},
          {GradientNorm::post_validated, "post-validated"}};
}
inline std::vector<Spelling<Recompute>> spellings(Recompute) {
  return {
      {Recompute::none, "none"}, {Recompute::selective, "selective"}, {Recompute::full, "full"}};
}
inline std::vector<Spelling<AttentionKernel>> spellings(AttentionKernel) {
  return {{AttentionKernel::fused, "fused"}, {AttentionKernel::unfused, "unfused"}};
}
inline std::vector<Spelling<OptimizerKind>> spellings(OptimizerKind) {
  return {
      {OptimizerKind::adam, "adam"}, {OptimizerKind::sgd, "sgd"}, {OptimizerKind::none, "none"}};
}
inline std::vector<Spelling<GradientReduction>> spellings(GradientReduction) {
  return {{GradientReduction::mean, "mean"}, {GradientReduction::sum, "sum"}};
}

/// The spelling of a value, e.g. "1f1b".
template <class Enum>
[[nodiscard]] std::string_view spelling_of(Enum value) {
  for (const Spelling<Enum>& spelling : spellings(value)) {
    if (spelling.value == value) {
      return spelling.text;
    }
  }
  return "";
}

}  // namespace parsim
