#include <cstdlib>
#include <stdexcept>

#include "sim/base/check.h"
#include "sim/base/workers.h"
#include "tests/catch.h"

namespace parsim {

TEST_CASE("jobs run in processes of their own and come back in order") {
  int here = 0;
  std::size_t last = 0;
  JobOptions options;
  options.at_once = 3;
  options.finished = [&last](std::size_t done) { last = done; };
  const auto results = run_jobs(
      10,
      [&here](std::size_t job) {
        ++here;  // of this process only
        return std::string(job * 40'000, 'x') + std::to_string(job) + "/" + std::to_string(here);
      },
      options);
  REQUIRE(results.size() == 10);
  for (std::size_t job = 0; job < results.size(); ++job) {
    CHECK(results[job].error.empty());
    CHECK(results[job].output == std::string(job * 40'000, 'x') + std::to_string(job) + "/1");
  }
  CHECK(here == 0);
  CHECK(last == 10);
}

TEST_CASE("a job that fails or dies says so and disturbs no other") {
  const auto results = run_jobs(4, [](std::size_t job) -> std::string {
    if (job == 0) {
      throw std::runtime_error("no luck");
    }
    if (job == 1) {
      throw BugError("never");
    }
    if (job == 2) {
      std::_Exit(7);
    }
    return "fine";
  });
  CHECK((results[0].error == "no luck" && !results[0].bug));
  CHECK((results[1].error == "never" && results[1].bug));
  CHECK((results[2].error == "its process ended without a result" && results[2].bug));
  CHECK((results[3].error.empty() && results[3].output == "fine"));
}

TEST_CASE("no jobs, no processes") {
  CHECK(run_jobs(0, [](std::size_t) { return std::string("x"); }).empty());
}

}  // namespace parsim
