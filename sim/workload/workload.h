#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/units.h"
#include "sim/scenario/scenario.h"

namespace parsim {

enum class OperatorClass {
  gemm,          ///< dense matrix product
  batched_gemm,  ///< attention's batched products, unfused
  attention,     ///< fused attention core
  softmax,       ///< mask + softmax (+ dropout on the probabilities), unfused
  norm,
  activation,
  elementwise,  ///< residual + dropout, bias, rotary, add
  embedding,
  loss,
  optimizer,
  launch,  ///< the host's work to launch one action
  layer    ///< a layer known only by its totals
};

/// m×k times k×n, `batch` times.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
};
struct AttentionShape {
  std::int64_t batch = 0, query_heads = 0, kv_heads = 0, sequence = 0, head_size = 0;
  bool causal = false, backward = false;
  std::int64_t keys = 0;  ///< attended to by the last query; `sequence` unless it is a slice
};

enum class Pass { forward, input_gradient, weight_gradient, optimizer };

/// One kernel as one rank runs it for one micro-batch: true local shapes.
struct Operator {
  std::string name;  ///< e.g. "qkv.forward", "mlp.down.weight_gradient"
  OperatorClass op_class = OperatorClass::gemm;
  Pass pass = Pass::forward;
  Precision precision = Precision::bf16;
  Flops flops{0.0};  ///< executed
  Bytes bytes{0.0};  ///< read + written in device memory, each tensor once
  std::variant<std::monostate, GemmShape, AttentionShape> shape;
  std::optional<Seconds> given_time;  ///< stated by the scenario; replaces the cost model
};

enum class CollectiveKind { all_reduce, all_gather, reduce_scatter, broadcast, all_to_all };

/// A collective over the rank's tensor group between two operators.
/// `bytes` is the full buffer S as nccl-tests defines it: all-reduce: the buffer; all-gather: the
/// gathered output; reduce-scatter: the unreduced input; broadcast: the buffer; all-to-all: the
/// send buffer.
struct TensorCollective {
  std::string name;
  CollectiveKind kind = CollectiveKind::all_reduce;
  Pass pass = Pass::forward;
  Bytes bytes{0.0};
  int overlapped_operators = 0;  ///< this many following operators do not need its result
};

using Step = std::variant<Operator, TensorCollective>;

/// A part of the model that cannot be cut by a stage boundary: embedding, one transformer layer,
/// head. All numbers are what one rank of the tensor group does for one micro-batch (or one slice
/// of it).
struct Block {
  std::string name;  ///< "embedding", "layer", "head", or the layer's own name
  std::vector<Step> forward;
  std::vector<Step> recompute;  ///< run again before the backward; empty without recomputation
  std::vector<Step> backward;
  std::int64_t parameters = 0;  ///< on one rank
  std::int64_t shared_parameters =
      0;              ///< of these, a copy of the tied embedding (head on another stage)
  Bytes output{0.0};  ///< tensor handed to the next block, whole (before any 1/tensor split)
  Bytes saved{0.0};   ///< activations kept from forward to backward
  Flops model_flops{
      0.0};  ///< forward + backward per micro-batch of the whole tensor group, no recomputation
  Flops hardware_flops{0.0};  ///< the same with recomputation
};

/// The model as the blocks one rank of a tensor group runs, in order. Equal blocks share a type.
struct Workload {
  std::vector<Block> types;  ///< of slice 0, then of slice 1, ...: as many for each
  std::vector<int> blocks;   ///< sequence of indexes into `types`
  std::int64_t first_layer =
      0;  ///< blocks[first_layer .. first_layer+layer_count) can be spread over
  std::int64_t layer_count =
      0;  ///<   stages; blocks before belong to the first stage, after to the last
  std::int64_t total_parameters = 0;   ///< of the whole model, exact, tied parameters once
  std::int64_t tokens_per_sample = 0;  ///< 0 when the model has no notion of tokens
  bool tied_embeddings = false;        ///< first and last stage hold a copy and sum its gradients
  std::int32_t slices = 1;             ///< parts of the sequence; a unit of work is one of them

  /// The block at `index`, as it works on slice `slice`.
  [[nodiscard]] const Block& block(std::int64_t index, std::int32_t slice = 0) const {
    const std::size_t each = types.size() / static_cast<std::size_t>(slices);
    return types[static_cast<std::size_t>(slice) * each +
                 static_cast<std::size_t>(blocks[static_cast<std::size_t>(index)])];
  }
};

/// Builds the blocks for one rank: sizes from the model, partition from `parallel`, kernels from
/// `training`. Precondition: check_scenario found nothing. FLOP formulas: 2·m·n·k per product;
/// sources in workload/*.cc.
[[nodiscard]] Workload build_workload(const Scenario& scenario);

/// The optimizer step over `parameters` parameters held by one rank (empty for OptimizerKind::none
/// or 0).
[[nodiscard]] std::vector<Operator> optimizer_step(const Training& training,
                                                   std::int64_t parameters);

/// What a rank keeps from step to step for `parameters` parameters (A22).
struct TrainingState {
  Bytes weights{0.0}, gradients{0.0}, optimizer{0.0};
  [[nodiscard]] Bytes total() const { return weights + gradients + optimizer; }
};
[[nodiscard]] TrainingState training_state(const Scenario& scenario, double parameters);

/// Exact parameter count of the whole model, tied parameters once.
[[nodiscard]] std::int64_t parameter_count(const Model& model);

/// Bytes of one element.
[[nodiscard]] Bytes element_size(Precision precision);

}  // namespace parsim
