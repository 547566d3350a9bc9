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
        tensor_(tensor),
        steps_(steps) {}

  /// m×k by k×n: 2·m·n·k flops; every operand and the result cross memory once. A weight gradient
  /// is accumulated: its m×n result is read and written in the gradient's precision.
  void gemm(const std::string& name, Pass pass, double m, double n, double k);
  /// `batch` such products of 16-bit operands (attention without a fused kernel).
  void batched_gemm(const std::string& name, Pass pass, double batch, double m, double n, double k);
  void attention(const std::string& name, const AttentionShape& shape, Flops flops, Bytes bytes);
  /// An operator bound by memory.
  void memory(const std::string& name, OperatorClass op_class, Pass pass, Bytes bytes);

  /// Collectives over the tensor group; nothing for a group of one.
  void collective(const std::string& name, CollectiveKind kind, Pass pass, Bytes bytes,
                  int overlapped_operators = 0);

 private:
  const Training& training_;
  const Parallel& parallel_;
  double tensor_;
  std::vector<Step>& steps_;
};

}  // namespace parsim
