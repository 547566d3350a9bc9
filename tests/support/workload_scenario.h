#pragma once

#include <utility>

#include "tests/support/models.h"

namespace parsim::test {

/// `model` on one rank, bf16, unfused attention, 64 micro-batches of one sample.
inline Scenario scenario_of(Model model, std::int64_t sequence = 128) {
  Scenario scenario;
  scenario.name = "test";
  scenario.model = std::move(model);
  scenario.batch.global = 64;
  scenario.batch.micro = 1;
  scenario.batch.sequence = sequence;
  scenario.training.attention = AttentionKernel::unfused;
  return scenario;
}

}  // namespace parsim::test
