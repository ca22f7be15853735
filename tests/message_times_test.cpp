// Times of collectives against bytes: the line through them by hand, and the chart that draws it.
#include <cmath>
#include <string>
#include <vector>

#include "common/core/format.h"
#include "common/stats/line_fit.h"
#include "common/view/chart/message_times.h"
#include "tests/catch.h"
#include "tests/chart_scene.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::chart;

TEST_CASE("a line through times: exact ones, the nearest in shares, and neither part below 0") {
  std::vector<stats::Point> exact;
  for (const double x : {4096.0, 65'536.0, 1'048'576.0}) exact.push_back({x, 1.2e-3 + 1.5e-9 * x});
  const auto found = stats::fit_line(exact);
  REQUIRE(found);
  CHECK(found->at_zero == Approx(1.2e-3));
  CHECK(found->slope == Approx(1.5e-9));
  CHECK(found->at(2e6) == Approx(1.2e-3 + 3e-3));
  // A tenth too much at the largest size weighs as much as one at the smallest: the delay is hardly moved.
  exact.back().y *= 1.1;
  CHECK(stats::fit_line(exact)->at_zero == Approx(1.2e-3).epsilon(0.02));
  const std::vector<stats::Point> steep = {{1, 1}, {2, 4}}, falling = {{1, 4}, {2, 1}};
  CHECK(stats::fit_line(steep)->at_zero == 0);
  CHECK(stats::fit_line(steep)->slope > 0);
  CHECK(stats::fit_line(falling)->slope == 0);
  CHECK(stats::fit_line(falling)->at_zero > 0);
  CHECK_FALSE(stats::fit_line({}));
  CHECK_FALSE(stats::fit_line(std::vector<stats::Point>{{3, 1}, {3, 2}}));
  CHECK_FALSE(stats::fit_line(std::vector<stats::Point>{{1, 1}, {2, 0}}));
}

TEST_CASE("the chart of messages draws each rung's points and the line that fits them") {
  std::vector<Series> all;
  for (const int64_t bytes : {4096, 262'144, 16'777'216}) {
    for (const bool tree : {false, true}) {
      const double ns = tree ? 1.2e6 + 6.0 * double(bytes) : 2.8e6 + 1.75 * double(bytes);
      Series one = test::measured(1, static_cast<int>(all.size()),
                                  tree ? "collectives.cpu.tree" : "collectives.cpu.ring", ns);
      one.params = {{"bytes", bytes}, {"ranks", int64_t{8}}, {"delay_us", int64_t{200}}};
      one.size_param = "bytes", one.flop = 0, one.bytes_min = 64.0 * double(bytes);
      all.push_back(one);
    }
  }
  Series other = test::measured(1, 9, "gemm.cpu.naive_o1", 1e6);
  std::vector<LadderRow> rows = {{.label = "other", .series = &other}};
  for (const Series& one : all)
    rows.push_back({.label = one.kernel.ends_with("tree") ? "tree" : "ring", .series = &one});
  const ChartModel model = message_times_chart(rows);
  REQUIRE(model.plot);
  CHECK(model.plot->empty_reason.empty());
  REQUIRE(model.plot->curves.size() == 4);  // each rung's points, and its line
  CHECK(model.plot->curves[0].dashed);
  CHECK_FALSE(model.plot->curves[1].dashed);
  CHECK(model.plot->curves[1].data.size() == 3);
  const auto says_dashed = [](const ChartModel& made) {
    return std::any_of(made.legend.begin(), made.legend.end(),
                       [](const std::string& one) { return one.starts_with("dashed"); });
  };
  CHECK(says_dashed(model));
  CHECK_FALSE(says_dashed(message_times_chart({rows.data(), 3})));  // a size each: no line
  // Two sizes each lie on a line whatever they are: none is drawn.
  const ChartModel pair = message_times_chart({rows.data(), 5});
  CHECK(pair.plot->curves.size() == 2);
  CHECK_FALSE(says_dashed(pair));
  const Scene scene = layout(model, {.width = 640, .height = 360});
  CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                    [](const Primitive& one) { return one.text == format_count(16'777'216); }));
  REQUIRE(model.table.rows.size() == 2);
  CHECK(model.table.rows[0].back() == "2.80 ms + 1.75 ms/MB");
  CHECK(model.table.rows[1].back() == "1.20 ms + 6.00 ms/MB");
  // The ring's line lies above the tree's at the small end, and below it at the large one.
  const Curve &ring = model.plot->curves[0], &tree = model.plot->curves[2];
  CHECK(ring.data.front().y > tree.data.front().y);
  CHECK(ring.data.back().y < tree.data.back().y);
  test::check_scene(layout(model, {.width = 900, .height = 520}));
  // One size has no line; nothing of collectives has a reason.
  const ChartModel one = message_times_chart(std::span(rows).subspan(1, 2));
  CHECK(one.plot->curves.size() == 2);
  CHECK_FALSE(message_times_chart(std::span(rows).first(1)).plot->empty_reason.empty());
}
