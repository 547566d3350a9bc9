#include "sim/workload/dimensions.h"
#include "sim/workload/workload.h"

namespace parsim {

namespace {

Operator pass_over(const char* name, double parameters, Bytes bytes_per_parameter) {
  Operator op;
  op.name = name;
  op.op_class = OperatorClass::optimizer;
  op.pass = Pass::optimizer;
  op.precision = Precision::fp32;
  op.bytes = bytes_per_parameter * parameters;
  return op;
}

}  // namespace

/// Per parameter, g = bytes of its gradient, e = bytes of the weight the model uses:
///   zero the gradient: write g; its norm for clipping: read g; scaling by it: read and write g;
///   Adam: read g; read and write fp32 master weight, momentum and variance (24); write e when it
///   is not fp32; SGD: read g; read and write fp32 master weight and momentum (16); write e when
///   it is not fp32. SGD clips nothing.
/// Master weights: Micikevicius et al. 2017 (arXiv:1710.03740), section 3.1. Adam: Kingma & Ba 2014
/// (arXiv:1412.6980), algorithm 1.
std::vector<Operator> optimizer_step(const Training& training, std::int64_t parameters) {
  if (training.optimizer == OptimizerKind::none || parameters == 0) {
    return {};
  }
  const auto count = static_cast<double>(parameters);
  const Bytes gradient = element_size(training.gradient_precision);
  const Bytes weight = activation_size(training.precision);
  const Bytes copy = weight < Bytes{4.0} ? weight : Bytes{0.0};
  const bool adam = training.optimizer == OptimizerKind::adam;
  std::vector<Operator> operators = {pass_over("gradient.zero", count, gradient)};
  if (adam) {
    operators.push_back(pass_over("gradient.norm", count, gradient));
    operators.push_back(pass_over("gradient.clip", count, 2.0 * gradient));
  }
  operators.push_back(pass_over(adam ? "optimizer.adam" : "optimizer.sgd", count,
                                gradient + Bytes{adam ? 24.0 : 16.0} + copy));
  return operators;
}

TrainingState training_state(const Scenario& scenario, double parameters) {
  const Training& training = scenario.training;
  TrainingState state;
  state.weights = element_size(training.precision) * parameters;
  if (scenario.schedule.forward_only) {
    return state;
  }
  state.gradients = element_size(training.gradient_precision) * parameters;
  const Bytes moments{training.optimizer == OptimizerKind::adam ? 8.0 : 4.0};  // fp32, Adam: two
  const Bytes master{element_size(training.precision) < Bytes{4.0} ? 4.0 : 0.0};
  if (training.optimizer != OptimizerKind::none) {
    state.optimizer = (moments + master) * parameters;
  }
  return state;
}

}  // namespace parsim
