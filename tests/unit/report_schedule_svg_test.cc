#include <string>

#include "sim/report/schedule_svg.h"
#include "tests/catch.h"

namespace parsim {
namespace {

SchedulePicture two_bars() {
  SchedulePicture picture;
  picture.title = "a<b";
  picture.subtitle = "4 s";
  picture.rows = {{{BarKind::forward, 0, Seconds{0.0}, Seconds{1.0}},
                   {BarKind::backward, 0, Seconds{2.0}, Seconds{4.0}}},
                  {{BarKind::weight_gradient, 0, Seconds{1.0}, Seconds{2.0}}}};
  picture.makespan = Seconds{4.0};
  return picture;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a bar's place and width are its times on a common axis of 1000 pixels") {
  const std::string svg = schedule_svg({two_bars()});
  CHECK(contains(svg, "<path class=\"f\" d=\"M0.0 0h250.0v14h-250.0z\"/>"));
  CHECK(contains(svg, "<path class=\"b\" d=\"M500.0 0h500.0v14h-500.0z\"/>"));
  CHECK(contains(svg, "<path class=\"w\" d=\"M250.0 0h250.0v14h-250.0z\"/>"));
  CHECK(contains(svg, "a&lt;b"));
  SchedulePicture slower = two_bars();
  slower.makespan = Seconds{8.0};
  CHECK(contains(schedule_svg({two_bars(), slower}),
                 "<path class=\"f\" d=\"M0.0 0h125.0v14h-125.0z\"/>"));
}

TEST_CASE("the terminal's picture has one column a share of the longest") {
  CHECK(contains(schedule_text({two_bars()}, 8 + 16), "a<b  4 s\n"));
  const std::string text = schedule_text({two_bars()}, 8 + 16);
  CHECK(contains(text, "rank 0  0---....b0======\n"));
  CHECK(contains(text, "rank 1  ....w0ww........\n"));
}

TEST_CASE("bars too short to be seen are joined, bars of different kinds never") {
  const std::vector<Bar> bars = {{BarKind::forward, 0, Seconds{0.0}, Seconds{1.0}},
                                 {BarKind::forward, 1, Seconds{1.0}, Seconds{1.001}},
                                 {BarKind::backward, 0, Seconds{1.001}, Seconds{1.002}},
                                 {BarKind::forward, 2, Seconds{3.0}, Seconds{4.0}}};
  const auto result = joined(bars, Seconds{0.01});
  REQUIRE(result.size() == 3);
  CHECK((result[0].end == Seconds{1.001} && result[0].micro_batch == kNone));
  CHECK(joined(bars, Seconds{0.0}).size() == 4);
}

}  // namespace parsim
