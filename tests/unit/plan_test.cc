#include "sim/plan/plan.h"

#include "tests/catch.h"
#include "tests/support/models.h"

using namespace parsim;
using namespace parsim::test;
using Ranks = std::vector<std::int64_t>;

namespace {

Scenario job(std::int64_t tensor, std::int64_t data, std::int64_t pipeline, std::int64_t layers) {
  Scenario scenario;
  scenario.model = gpt(layers, 1024, 16, 32768, 1024);
  scenario.parallel.tensor = tensor;
  scenario.parallel.data = data;
  scenario.parallel.pipeline = pipeline;
  scenario.batch.global = data * 6;
  scenario.batch.micro = 2;
  scenario.batch.sequence = 1024;
  return scenario;
}

Plan plan_of(const Scenario& scenario) {
  return make_plan(scenario, build_workload(scenario));
}

}  // namespace

TEST_CASE("the first axis of the order varies fastest over the ranks") {
  const Mesh mesh = plan_of(job(2, 3, 4, 4)).mesh;  // tensor, data, pipeline
  CHECK(mesh.ranks() == 24);
  CHECK(mesh.group_of(0, Axis::tensor) == Ranks{0, 1});
  CHECK(mesh.group_of(0, Axis::data) == Ranks{0, 2, 4});
  CHECK(mesh.group_of(0, Axis::pipeline) == Ranks{0, 6, 12, 18});
  // Rank 17 = 1 + 2·2 + 6·2.
  CHECK(mesh.coordinate(17, Axis::tensor) == 1);
  CHECK(mesh.coordinate(17, Axis::data) == 2);
  CHECK(mesh.coordinate(17, Axis::pipeline) == 2);
  CHECK(mesh.with_coordinate(17, Axis::data, 0) == 13);
}

TEST_CASE("another order places the same axes elsewhere") {
  Scenario scenario = job(2, 3, 4, 4);
  scenario.parallel.order = {Axis::pipeline, Axis::tensor, Axis::data};
  const Mesh mesh = plan_of(scenario).mesh;
  CHECK(mesh.group_of(0, Axis::pipeline) == Ranks{0, 1, 2, 3});
  CHECK(mesh.group_of(0, Axis::tensor) == Ranks{0, 4});
  CHECK(mesh.group_of(0, Axis::data) == Ranks{0, 8, 16});
}

TEST_CASE("every rank is in one group an axis, and groups partition the ranks") {
  const Mesh mesh = plan_of(job(2, 3, 4, 4)).mesh;
  for (const Axis axis : {Axis::tensor, Axis::data, Axis::pipeline}) {
    for (std::int64_t rank = 0; rank < mesh.ranks(); ++rank) {
      const Ranks group = mesh.group_of(rank, axis);
      CHECK(group[static_cast<std::size_t>(mesh.coordinate(rank, axis))] == rank);
      for (const std::int64_t other : group) {
        CHECK(mesh.group_of(other, axis) == group);
      }
    }
  }
}

TEST_CASE("micro-batches are what a replica's share of the batch divides into") {
  CHECK(plan_of(job(1, 4, 2, 4)).micro_batches == 3);
}

TEST_CASE("even stages: embedding with the first, head with the last, chunks in a loop") {
  Scenario scenario = job(1, 1, 2, 8);
  scenario.schedule.name = ScheduleName::interleaved_1f1b;
  scenario.schedule.chunks = 2;
  scenario.batch.global = 4;
  const Workload workload = build_workload(scenario);
  const Plan plan = make_plan(scenario, workload);
  REQUIRE(plan.stages.size() == 4);
  // Blocks: embedding, 8 layers, head.
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected = {
      {0, 3}, {3, 2}, {5, 2}, {7, 3}};
  std::int64_t parameters = 0;
  for (std::size_t s = 0; s < 4; ++s) {
    CHECK(plan.stages[s].first_block == expected[s].first);
    CHECK(plan.stages[s].block_count == expected[s].second);
    CHECK(plan.stages[s].pipeline_rank == static_cast<std::int32_t>(s % 2));
    parameters += plan.stages[s].parameters;
  }
  // The last stage holds a copy of the tied embedding.
  CHECK(parameters == workload.total_parameters + 32768 * 1024);
}

TEST_CASE("layers per stage are taken as listed") {
  Scenario scenario = job(1, 1, 3, 8);
  scenario.schedule.layers_per_stage = {4, 3, 1};
  const Plan plan = plan_of(scenario);
  CHECK(plan.stages[0].block_count == 5);
  CHECK(plan.stages[1].first_block == 5);
  CHECK(plan.stages[1].block_count == 3);
  CHECK(plan.stages[2].first_block == 8);
  CHECK(plan.stages[2].block_count == 2);
}
