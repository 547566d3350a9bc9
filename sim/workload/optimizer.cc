#include <string>

#include "sim/workload/workload.h"

/// Bytes a parameter moves in the step, g = gradient element, w = weight element:
///
/// | operator         | Adam                                         | SGD, no momentum    |
/// | ---------------- | -------------------------------------------- | ------------------- |
/// | gradient norm    | g read                                       | none                |
/// | gradient clip    | g read and written                           | none                |
/// | update           | g read; fp32 weight and two fp32 moments     | g read; fp32 weight |
/// |                  | read and written: 24; + w written when w < 4 | 8; + w when w < 4   |
/// | gradient clear   | g written                                    | g written           |
/// Mixed precision keeps an fp32 master weight beside the weight (Micikevicius et al. 2017,
/// arXiv:1710.03740, section 3.1); Adam: Kingma & Ba 2014, arXiv:1412.6980, algorithm 1. The norm
/// for clipping is a pass of its own, because the update needs its result.

namespace parsim {
namespace {

constexpr double kFloatReadAndWritten = 8.0;

Operator pass_over_parameters(std::string name, std::int64_t parameters, double bytes_each) {
  Operator op;
  op.name = std::move(name);
  op.op_class = OperatorClass::optimizer;
  op.pass = Pass::optimizer;
  op.precision = Precision::fp32;
  op.bytes = Bytes{static_cast<double>(parameters) * bytes_each};
  return op;
}

}  // namespace

std::vector<Operator> optimizer_step(const Training& training, std::int64_t parameters) {
  if (training.optimizer == OptimizerKind::none || parameters == 0) {
    return {};
  }
  const double gradient = element_size(training.gradient_precision).value();
  const double weight = element_size(training.precision).value();
  const double low_precision_write = weight < 4.0 ? weight : 0.0;
  const bool adam = training.optimizer == OptimizerKind::adam;
  const double state = (adam ? 3.0 : 1.0) * kFloatReadAndWritten;
  std::vector<Operator> operators;
  if (adam) {
    operators.push_back(pass_over_parameters("gradient.norm", parameters, gradient));
    operators.push_back(pass_over_parameters("gradient.clip", parameters, 2.0 * gradient));
  }
  operators.push_back(pass_over_parameters(adam ? "adam.update" : "sgd.update", parameters,
                                           gradient + state + low_precision_write));
  operators.push_back(pass_over_parameters("gradient.clear", parameters, gradient));
  return operators;
}

}  // namespace parsim
