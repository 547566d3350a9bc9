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
  const Bytes result = activation_size(training_.precision);
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

bool StepWriter::accumulates() const {
  return !one_unit_ ||
         element_size(training_.gradient_precision) != activation_size(training_.precision);
}

void StepWriter::weight_gradient(const std::string& name, double rows, double columns,
                                 double tokens) {
  gemm(name + ".weight_gradient", Pass::weight_gradient, rows, columns, tokens);
  accumulate(name, rows * columns);
}

void StepWriter::accumulate(const std::string& name, double weights) {
  if (accumulates()) {
    memory(
        name + ".accumulate", OperatorClass::elementwise, Pass::weight_gradient,
        (activation_size(training_.precision) + 2.0 * element_size(training_.gradient_precision)) *
            weights);
  }
}

void StepWriter::bias_gradient(const std::string& name, double tokens, double columns) {
  memory(name + ".bias_gradient", OperatorClass::elementwise, Pass::weight_gradient,
         activation_size(training_.precision) * (tokens * columns));
}

void StepWriter::batched_gemm(const std::string& name, Pass pass, double batch, double m, double n,
                              double k) {
  Operator op;
  op.name = name;
  op.op_class = OperatorClass::batched_gemm;
  op.pass = pass;
  op.precision = core_precision_;
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
  op.precision = core_precision_;
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
  op.precision = core_precision_;
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
