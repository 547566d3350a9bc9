#include <limits>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/schedule/automatic.h"
#include "sim/schedule/placement.h"
#include "tests/catch.h"

using namespace parsim;

namespace {

ScheduleProblem even(std::int32_t ranks, std::int32_t chunks, std::int32_t micro_batches,
                     double limit) {
  ScheduleProblem problem;
  problem.ranks = ranks;
  problem.chunks = chunks;
  problem.micro_batches = micro_batches;
  problem.times.stages = {{1.0, 1.0, 1.0}};
  problem.limit = {limit};
  return problem;
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

Schedule one_rank(const std::vector<std::string>& actions) {
  Schedule schedule = loop_placement({1, 1, 3});
  for (const std::string& text : actions) {
    schedule.ranks[0].push_back(parse_action(text).value());
  }
  return schedule;
}

}  // namespace

TEST_CASE("1F1B holds as many activations as its warm-up and one more") {
  CHECK(peak_activations(one_f_one_b_schedule({4, 1, 8}), even(4, 1, 8, kNoLimit)) ==
        std::vector<double>{4.0, 3.0, 2.0, 1.0});
}

TEST_CASE("an input gradient gives back what the weight gradient does not need") {
  ScheduleProblem problem = even(1, 1, 3, kNoLimit);
  problem.activations = {4.0};
  problem.kept_for_weights = {1.0};
  // 4, 8, -3 = 5, 9, then 5 less with I1 and W1, 4 more with F0: 9, not more.
  CHECK(peak_activations(one_rank({"0F0", "0F1", "0I0", "0F2", "0I1", "0W1", "0I2"}), problem) ==
        std::vector<double>{9.0});
  CHECK(peak_activations(one_rank({"0F0", "0B0", "0F1", "0B1"}), problem) ==
        std::vector<double>{4.0});
}

TEST_CASE("the parts of a pair hold their activations together") {
  Schedule schedule = one_rank({"0F0", "0B0", "0F1", "0B1"});
  schedule.ranks[0][1].overlaps_next = true;  // B0 with F1
  CHECK(peak_activations(schedule, even(1, 1, 2, kNoLimit)) == std::vector<double>{2.0});
}

TEST_CASE("one rank is never idle") {
  ScheduleProblem problem = even(1, 1, 3, 1.0);
  problem.times.stages = {{1.0, 2.0, 3.0}};
  const AutomaticSchedule found = automatic_schedule(problem);
  CHECK(found.makespan == Approx(18.0));
  CHECK(found.lower_bound == Approx(18.0));
}

TEST_CASE("a single micro-batch takes its critical path") {
  ScheduleProblem problem = even(2, 1, 1, kNoLimit);
  problem.times.stages = {{1.0, 2.0, 0.5}, {3.0, 4.0, 5.0}};
  problem.times.hop = 0.25;
  // Down 1 + 0.25 + 3, back 4 + 0.25 + 2, then W 0.5: 11.0; the last rank's W ends at 8.25 + 5.
  const AutomaticSchedule found = automatic_schedule(problem);
  CHECK(found.makespan == Approx(13.25));
  CHECK(found.lower_bound == Approx(13.25));
}

TEST_CASE("with even stages and 1F1B's memory it is as fast as zero bubble allows") {
  // 3·M of work and P - 1 forwards before the last rank can start (Qi et al. 2023, ZB-H1).
  for (const std::int32_t ranks : {2, 4, 6}) {
    const AutomaticSchedule found = automatic_schedule(even(ranks, 1, 2 * ranks, ranks));
    CHECK(found.makespan == Approx(7.0 * ranks - 1.0));
    CHECK(found.lower_bound == Approx(7.0 * ranks - 1.0));
  }
}

TEST_CASE("with two chunks it is as fast as ZB-V") {
  const AutomaticSchedule found = automatic_schedule(even(2, 2, 4, 4.0));
  CHECK(found.makespan == Approx(25.0));  // 24 of work, one forward before the last rank starts
  CHECK(found.lower_bound == Approx(25.0));
}

TEST_CASE("room for one micro-batch makes each wait for the one before") {
  ScheduleProblem problem = even(2, 1, 2, 1.0);
  // Rank 0: F0 at 0, I0 at 3, W0 at 4, F1 at 5, I1 at 8, W1 at 9.
  CHECK(automatic_schedule(problem).makespan == Approx(10.0));
  CHECK(automatic_schedule(problem).lower_bound == Approx(10.0));
  // With nothing kept for W, F1 follows I0 at 4: I1 at 7, and W1 at 8 is the last.
  problem.kept_for_weights = {0.0};
  CHECK(automatic_schedule(problem).makespan == Approx(9.0));
  CHECK(automatic_schedule(problem).lower_bound == Approx(9.0));
}

TEST_CASE("room for exactly one micro-batch of several chunks is enough") {
  for (const std::int32_t chunks : {2, 3, 4}) {
    ScheduleProblem problem = even(3, chunks, 5, chunks);
    const AutomaticSchedule found = automatic_schedule(problem);
    for (const double peak : peak_activations(found.schedule, problem)) {
      CHECK(peak == chunks);
    }
  }
}

TEST_CASE("what does not fit is said with its rank, its need and its limit") {
  ScheduleProblem problem = even(2, 2, 4, kNoLimit);
  problem.activations = {1.0, 2.0, 3.0, 4.0};  // loop: rank 0 has 1 + 3, rank 1 has 2 + 4
  problem.limit = {100.0, 4.5};                // V: rank 0 has 1 + 4, rank 1 has 2 + 3
  try {
    (void)automatic_schedule(problem);
    FAIL("accepted");
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].message ==
          "pipeline rank 1 needs 6 for the activations of one micro-batch, and its limit is 4.5");
  }
  problem.limit = {100.0, 5.0};  // fits on the V alone
  CHECK(automatic_schedule(problem).schedule.rank_of(3) == 0);
}

TEST_CASE("the same problem gives the same schedule") {
  ScheduleProblem problem = even(4, 1, 9, 5.0);
  problem.times.stages = {{1.0, 1.3, 0.7}, {0.6, 1.4, 1.2}, {1.1, 0.9, 1.4}, {1.2, 0.5, 0.8}};
  problem.times.hop = 0.1;
  CHECK(automatic_schedule(problem).schedule.ranks == automatic_schedule(problem).schedule.ranks);
}

TEST_CASE("a bound holds where overlapped pairs are shorter than their parts") {
  ScheduleProblem problem = even(4, 2, 10, kNoLimit);
  problem.times.pair = 0.7;
  const AutomaticSchedule found = automatic_schedule(problem);
  const auto paired = replay(dualpipev_schedule({4, 2, 10}), problem.times);
  REQUIRE(paired);
  CHECK(found.makespan <= paired->makespan * (1.0 + 1e-9));
  CHECK(found.lower_bound <= paired->makespan);
}
