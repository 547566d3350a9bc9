#pragma once

#include <string>
#include <vector>

#include "sim/workload/dimensions.h"
#include "sim/workload/workload.h"

namespace parsim {

/// Appends operators and collectives with their flops and device-memory bytes to a list of steps.
class StepWriter {
 public:
  StepWriter(const Scenario& scenario, double tensor, std::vector<Step>& steps)
      : training_(scenario.training),
        parallel_(scenario.parallel),
        core_precision_(core_precision(scenario)),
        one_unit_(scenario.batch.global <= scenario.batch.micro * scenario.parallel.data &&
                  scenario.schedule.slices == 1),
        tensor_(tensor),
        steps_(steps) {}

  /// m×k by k×n: 2·m·n·k flops; every operand and the result cross memory once.
  void gemm(const std::string& name, Pass pass, double m, double n, double k);
  /// `batch` such products of 16-bit operands (attention without a fused kernel).
  void batched_gemm(const std::string& name, Pass pass, double batch, double m, double n, double k);
  void attention(const std::string& name, const AttentionShape& shape, Flops flops, Bytes bytes);
  /// dW = Xᵀ·dY of a linear layer, and its accumulation.
  void weight_gradient(const std::string& name, double rows, double columns, double tokens);
  /// Adds a gradient just computed to the accumulated one, in a kernel of its own: read it, read
  /// and write the sum. Nothing when the step is one micro-batch and both have the same precision.
  void accumulate(const std::string& name, double weights);
  /// The gradient of a bias: a sum over all tokens of the output gradient.
  void bias_gradient(const std::string& name, double tokens, double columns);
  /// Operators that `weight_gradient` appends.
  [[nodiscard]] int weight_gradient_operators() const { return accumulates() ? 2 : 1; }

  /// An operator bound by memory.
  void memory(const std::string& name, OperatorClass op_class, Pass pass, Bytes bytes);

  /// Collectives over the tensor group; nothing for a group of one.
  void collective(const std::string& name, CollectiveKind kind, Pass pass, Bytes bytes,
                  int overlapped_operators = 0);

 private:
  [[nodiscard]] bool accumulates() const;

  const Training& training_;
  const Parallel& parallel_;
  Precision core_precision_;
  bool one_unit_;  ///< a single micro-batch, uncut: nothing to accumulate
  double tensor_;
  std::vector<Step>& steps_;
};

}  // namespace parsim
