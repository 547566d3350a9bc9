#include "sim/schedule/schedule.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/support/schedule_rows.h"

using namespace parsim;

TEST_CASE("1F1B of 2 ranks and 4 micro-batches, written out") {
  CHECK(schedule_rows(one_f_one_b_schedule({2, 1, 4, 0})) ==
        std::vector<std::string>{"0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3",
                                 "1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3"});
}

TEST_CASE("naive of 2 ranks and 2 micro-batches, written out") {
  CHECK(schedule_rows(naive_schedule({2, 1, 2, 0})) ==
        std::vector<std::string>{"0F0,0B0,0F1,0B1", "1F0,1B0,1F1,1B1"});
}

TEST_CASE("1F1B with fewer micro-batches than ranks clamps the warm-up") {
  CHECK(schedule_rows(one_f_one_b_schedule({4, 1, 2, 0})) ==
        std::vector<std::string>{"0F0,0F1,0B0,0B1", "1F0,1F1,1B0,1B1", "2F0,2F1,2B0,2B1",
                                 "3F0,3B0,3F1,3B1"});
}

TEST_CASE("interleaved with an uneven last group follows Megatron's table") {
  // P 2, v 2, group 3, 5 micro-batches: micro-batches 0 1 2 0 1 2 3 4 3 4 on chunks 0 0 0 1 1 1 0 0
  // 1 1.
  const Schedule schedule = interleaved_1f1b_schedule({2, 2, 5, 3});
  std::string forwards;
  for (const Action& action : schedule.ranks[0]) {
    if (action.kind == ActionKind::forward) {
      forwards += (forwards.empty() ? "" : ",") + to_text(action);
    }
  }
  CHECK(forwards == "0F0,0F1,0F2,2F0,2F1,2F2,0F3,0F4,2F3,2F4");
}

TEST_CASE("an action's text is read from end to end") {
  CHECK(parse_action("12B34") == Action{ActionKind::backward, 12, 34});
  CHECK(parse_action("3RESHARD") == Action{ActionKind::reshard, 3, kNoMicroBatch});
  for (const char* text : {"1F0", "2I1", "0W3", "0B3", "1UNSHARD", "3RESHARD", "2SEND_B2",
                           "1RECV_F1", "0SEND_F9", "0RECV_B12", "5REDUCE_GRAD"}) {
    CAPTURE(text);
    const auto action = parse_action(text);
    REQUIRE(action);
    CHECK(to_text(*action) == text);
  }
  for (const char* bad : {"",
                          "F",
                          "0F",
                          "F0",
                          "0X0",
                          "0F0 ",
                          " 0F0",
                          "-1F0",
                          "0F-1",
                          "0FF0",
                          "0BW0",
                          "2BW0",
                          "99999999999F0",
                          "0F99999999999",
                          "0F1junk",
                          "0f1",
                          "1UNSHARD2",
                          "UNSHARD",
                          "1SEND_F",
                          "1SEND_F2x",
                          "12",
                          "0OVERLAP_F_B",
                          "(0F0;1B0)OVERLAP_F_B"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_action(bad));
  }
}
