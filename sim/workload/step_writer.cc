#include "sim/workload/step_writer.h"

#include <cmath>

namespace parsim {

namespace {

std::int64_t whole(double size) {
  return static_cast<std::int64_t>(std::llround(size));
}

}  // namespace

void StepWriter::gemm(const std::string& name, Pass pass, double m, double n, double k) {
  const Bytes operand = element_size(training_.precision);
  const Bytes result = pass == Pass::weight_gradient
                           ? 2.0 * element_size(training_.gradient_precision)
                           : activation_size(training_.precision);
  Operator op;
  op.name = name;
  op.op_class = OperatorClass::gemm;
  op.pass = pass;
  op.precision = training_.precision;
  op.flops = Flops{2.0 * m * n * k};
  op.bytes = operand * (m * k + k * n) + result * (m * n);
  op.shape = GemmShape{whole(m), whole(n), whole(k), 1};
  steps_.emplace_back(std::move(op));
}

void StepWriter::batched_gemm(const std::string& name, Pass pass, double batch, double m, double n,
                              double k) {
  Operator op;
  op.name = name;
  op.op_class = OperatorClass::batched_gemm;
  op.pass = pass;
  op.precision = training_.precision == Precision::fp8 ? Precision::bf16 : training_.precision;
  op.flops = Flops{2.0 * batch * m * n * k};
  op.bytes = activation_size(training_.precision) * (batch * (m * k + k * n + m * n));
  op.shape = GemmShape{whole(m), whole(n), whole(k), whole(batch)};
  steps_.emplace_back(std::move(op));
}

void StepWriter::attention(const std::string& name, const AttentionShape& shape, Flops flops,
                           Bytes bytes) {
  Operator op;
  op.name = name;
  op.op_class = OperatorClass::attention;
  op.pass = shape.backward ? Pass::input_gradient : Pass::forward;
  op.precision = training_.precision == Precision::fp8 ? Precision::bf16 : training_.precision;
  op.flops = flops;
  op.bytes = bytes;
  op.shape = shape;
  steps_.emplace_back(std::move(op));
}

void StepWriter::memory(const std::string& name, OperatorClass op_class, Pass pass, Bytes bytes) {
  Operator op;
  op.name = name;
  op.op_class = op_class;
  op.pass = pass;
  op.precision = training_.precision == Precision::fp8 ? Precision::bf16 : training_.precision;
  op.bytes = bytes;
  steps_.emplace_back(std::move(op));
}

void StepWriter::collective(const std::string& name, CollectiveKind kind, Pass pass, Bytes bytes,
                            int overlapped_operators) {
  if (tensor_ <= 1.0) {
    return;
  }
  TensorCollective step;
  step.name = name;
  step.kind = kind;
  step.pass = pass;
  step.bytes = bytes;
  step.overlapped_operators = parallel_.overlap_tensor_gradient ? overlapped_operators : 0;
  steps_.emplace_back(std::move(step));
}

}  // namespace parsim
