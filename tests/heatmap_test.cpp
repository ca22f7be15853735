// The heatmap, the distribution function, the ramp of values, and the table behind every chart.
#include "common/view/chart/heatmap.h"

#include "common/record/derive.h"
#include "common/view/chart/distribution.h"
#include "common/view/chart/ecdf.h"
#include "common/view/chart/forest.h"
#include "common/view/chart/frontier.h"
#include "common/view/chart/ramp.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/speed_error.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/table.h"
#include "common/view/chart/theme.h"
#include "tests/golden.h"
#include "tests/plot_cases.h"

using namespace ridge;
using namespace ridge::chart;
using namespace ridge::test;

namespace {

/// Sizes by threads: measured but for one that failed and one that was not run.
struct Map {
  std::vector<Series> series;
  std::vector<HeatCell> cells;
  HeatmapOptions options{"n", "threads", "packed", "dtype = fp32"};
  explicit Map(int across = 5, int up = 3) {
    series.reserve(static_cast<size_t>(across * up));
    for (int y = 0; y < up; ++y) {
      for (int x = 0; x < across; ++x) {
        const int64_t n = 128 << x, threads = 1 << y;
        series.push_back(gemm("gemm.cpu.packed", n, 0.02 * (x + 1) * (y + 1)));
        series.back().params["threads"] = threads;
        HeatCell cell{static_cast<double>(n), static_cast<double>(threads), {}};
        cell.row = {.label = "packed", .state = "not run"};
        const bool skipped = x == across - 1 && y == up - 1 && across > 1;
        if (!skipped) cell.row.series = &series.back();
        cell.row.selected = x == 1 && y == 1;
        if (x == 0 && y == 0 && across > 1) {
          series.back().checks = {check(false)};
          series.back().status = SeriesStatus::failed;
        }
        cells.push_back(cell);
      }
    }
  }
  ChartModel chart() const { return heatmap_chart(cells, options); }
};

DistributionRow sampled(Series* series, const std::string& label, double t_ns, int n) {
  for (int i = 0; i < n; ++i)
    series->samples.push_back({.index = i, .t_ns = t_ns * (1 + 0.01 * ((i * 7) % n))});
  return {.label = label, .series = series};
}

}  // namespace

TEST_CASE("the ramp is even, of one hue, and carries its text in both themes") {
  for (const bool dark : {true, false}) {
    double least = 1, most = 0;
    for (int step = 0; step + 1 < kRampSteps; ++step) {
      const double gap =
          std::abs(lightness(ramp_rgb(step + 1, dark)) - lightness(ramp_rgb(step, dark)));
      least = std::min(least, gap), most = std::max(most, gap);
    }
    CHECK(least > 0.03);
    CHECK(most < 1.15 * least);
    for (int step = 0; step < kRampSteps; ++step) {
      INFO((dark ? "dark " : "light ") << step);
      CHECK(contrast(ramp_rgb(step, dark), colour(ramp_text(step), dark)) >= 4);
    }
  }
  const Axis log{.scale = Scale::log, .low = 1, .high = 1000};
  CHECK(ramp_step(log, 1) == 0);
  CHECK(ramp_step(log, 1000) == kRampSteps - 1);
  CHECK(ramp_step(log, 31) == kRampSteps / 2 - 1);
  CHECK(ramp_step({.low = 5, .high = 5}, 5) == kRampSteps - 1);
}

TEST_CASE("a heatmap has a cell for each pair, and those without a speed say why") {
  const Map map;
  const ChartModel model = map.chart();
  REQUIRE(model.plot->cells.size() == 15);
  int valued = 0;
  for (const Cell& cell : model.plot->cells) {
    valued += cell.value.has_value();
    CHECK_FALSE((cell.value && !cell.reason.empty()));
    CHECK(cell.note.ends_with("."));
    CHECK(cell.x.low < cell.x.high);
  }
  CHECK(valued == 13);
  CHECK(model.plot->cells.front().reason == "failed");
  CHECK(model.plot->cells.back().reason.empty());
  CHECK(model.plot->cells.back().note.find("not run") != std::string::npos);
  CHECK(model.plot->cells[6].strong);
  CHECK(*model.plot->cells[6].value == Approx(0.08 * 1e11));
  CHECK(model.plot->x.stops == std::vector<double>{128, 256, 512, 1024, 2048});
  CHECK(model.plot->x.ticks == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(axis_text(model.plot->x, 0.2) == "128");
  CHECK(model.table.rows.size() == 3);
  CHECK(model.table.rows[0][0] == "4");  // as the picture has them: the largest on top
  CHECK(model.table.rows[0][5] == "not run");
  CHECK(model.table.rows[2][1] == "failed");
  CHECK(model.summary.find("13 of 15") != std::string::npos);
}

TEST_CASE("a heatmap is legible at every size, whole and in part") {
  for (const auto& [across, up] : {std::pair{1, 1}, {2, 1}, {5, 3}, {7, 7}}) {
    const Map map(across, up);
    const ChartModel model = map.chart();
    for (const float width : {360.f, 700.f, 1900.f}) {
      for (const float height : {0.f, 300.f, 700.f}) {
        INFO(across << " x " << up << ", " << width << " x " << height);
        LayoutOptions options{.width = width, .height = height};
        const Scene scene = layout(model, options);
        check_scene(scene);
        const AxisPlace &x = scene.x_axes.at(0), &y = *scene.y_axis;
        options.range = PlotRange{{x.low, x.value((x.low_px + x.high_px) / 2)},
                                  {y.value((y.low_px + y.high_px) / 2), y.high}};
        check_scene(layout(model, options));
      }
    }
  }
  check_scene(layout(heatmap_chart({}, {}), {}));
}

TEST_CASE("the heatmap's and the distribution function's SVGs are the golden ones") {
  Series a = gemm("gemm.cpu.a", 512, 0.1), b = gemm("gemm.cpu.b", 512, 0.2);
  a.samples.clear(), b.samples.clear();
  DistributionRow rows[] = {sampled(&a, "before", 4e6, 40), sampled(&b, "after", 2e6, 40)};
  rows[0].is_baseline = true;
  check_golden("heatmap.svg", to_svg(Map().chart(), LayoutOptions{.width = 700}));
  check_golden("ecdf.svg", to_svg(ecdf_chart(rows, "Distribution"), LayoutOptions{.width = 700}));
}

TEST_CASE("a distribution function climbs from none to all, and its marks are its quantiles") {
  Series a = gemm("gemm.cpu.a", 512, 0.1), none = a;
  a.samples.clear(), none.samples.clear();
  const DistributionRow rows[] = {sampled(&a, "a", 1e6, 100), {.label = "none", .series = &none}};
  const ChartModel model = ecdf_chart(rows);
  REQUIRE(model.plot->curves.size() == 2);
  const auto& steps = model.plot->curves[0].data;
  CHECK(steps.front().y == 0);
  CHECK(steps.back().y == 1);
  for (size_t i = 1; i < steps.size(); ++i) {
    CHECK(steps[i].x >= steps[i - 1].x);
    CHECK(steps[i].y >= steps[i - 1].y);
  }
  const auto below = [&](double x) {
    double share = 0;
    for (const Datum& datum : steps) share = datum.x <= x ? datum.y : share;
    return share;
  };
  CHECK(below(1.495e-3) == Approx(0.5));
  CHECK(model.table.rows.size() == 1);
  CHECK(model.legend.front() == "none: no samples");
  check_scene(layout(model, {.width = 500, .height = 300}));
  // A million samples are no million steps.
  Series big = none;
  const DistributionRow many_rows[] = {sampled(&big, "big", 1e6, 200000)};
  const ChartModel thin = ecdf_chart(many_rows);
  CHECK(thin.plot->curves[0].data.size() < 9000);
  CHECK(thin.plot->curves[0].data.back().y == 1);
  CHECK(ecdf_chart({}).plot->empty_reason.size() > 10);
}

TEST_CASE("every chart has a table and a summary, and the table is good CSV") {
  const Case made = many(6);
  Series a = gemm("gemm.cpu.a", 512, 0.1), b = a;
  const DistributionRow rows[] = {sampled(&a, "a", 1e6, 30), sampled(&b, "b", 1e6, 30)};
  Comparison one;
  one.ratio = 2, one.ci = Interval{1.9, 2.1}, one.margin = 0.02, one.rounds = 8;
  one.verdict = Verdict::faster;
  ForestRow row;
  row.label = "fast, \"packed\"";
  row.comparison = &one;
  row.verdict = Verdict::faster;
  const std::vector<ForestRow> forest = {row};
  for (const ChartModel& model :
       {ladder_chart(made.rows), roofline_chart(made.rows), size_curve_chart(made.rows),
        speed_error_chart(made.rows), forest_chart(forest), distribution_chart(rows),
        ecdf_chart(rows), Map().chart()}) {
    INFO(model.id);
    const ChartTable table = table_of(model);
    CHECK(model.summary.size() > 10);
    REQUIRE_FALSE(table.rows.empty());
    CHECK(table.columns.size() > 1);
    for (const auto& cells : table.rows) {
      CHECK(cells.size() == table.columns.size());
      CHECK(std::count_if(cells.begin(), cells.end(),
                          [](const std::string& cell) { return !cell.empty(); }) > 1);
    }
    const std::string csv = to_csv(table);
    CHECK(csv.find("\u202f") == std::string::npos);
    CHECK(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')) == table.rows.size() + 1);
  }
  CHECK(to_csv(table_of(forest_chart(forest))).find("\"fast, \"\"packed\"\"") != std::string::npos);
  CHECK(to_csv({{"a"}, {{"1\u202f024"}}}) == "a\r\n1024\r\n");
  // No two columns have one name.
  CHECK(to_csv({{"Row", "Speed", "from", "Time", "from"}, {}}) ==
        "Row,Speed,Speed: from,Time,Time: from\r\n");
}

TEST_CASE("a ladder's table has each figure with its interval, and why one is missing") {
  Case made = many(3);
  made.rows[1].series = nullptr;
  made.rows[1].state = "needs an NVIDIA GPU";
  const ChartTable table = table_of(ladder_chart(made.rows));
  REQUIRE(table.rows.size() == 3);
  CHECK(table.columns[2] == "from");
  const double low = std::stod(table.rows[0][2]), at = std::stod(table.rows[0][1]),
               high = std::stod(table.rows[0][3]);
  CHECK(low < at);
  CHECK(at < high);
  CHECK(table.rows[1][1] == "needs an NVIDIA GPU");
}

TEST_CASE("a heatmap of one value has its shade once, and says once how many cells were not run") {
  Map map(7, 7);
  for (size_t i = 0; i < map.cells.size(); ++i) {
    if (i != 17) map.cells[i].row.series = nullptr;
  }
  const double stops[] = {1, 7, 14, 28, 56, 112, 224};
  for (size_t i = 0; i < map.cells.size(); ++i)
    map.cells[i].x = stops[i % 7], map.cells[i].y = stops[i / 7];
  const ChartModel model = map.chart();
  const Scene scene = layout(model, {.width = 640, .height = 320});
  const auto count = [&](const std::string& text) {
    return std::count_if(scene.primitives.begin(), scene.primitives.end(),
                         [&](const Primitive& p) { return p.text == text; });
  };
  CHECK(count("not run") == 0);
  CHECK(std::count_if(scene.primitives.begin(), scene.primitives.end(), [](const Primitive& p) {
          return p.text.find("grey: not run, 48 of 49 cells") != std::string::npos;
        }) == 1);
  CHECK(count(model.plot->cells[17].label) == 1);
  CHECK(count(model.plot->cells[17].value_text) == 1);
  check_scene(scene);
}

TEST_CASE("each of a heatmap's stops has a cell of one size, and a neighbour's work is marked") {
  Map map(1, 4);
  const double values[] = {0, 1, 2, 64};
  for (size_t i = 0; i < 4; ++i) map.cells[i].y = values[i];
  map.series[2].stats->flags = {"contended"};
  const ChartModel model = map.chart();
  const Axis& axis = model.plot->y;
  CHECK(axis_text(axis, axis.ticks.front()) == "0");
  CHECK(axis_text(axis, axis.ticks[1]) == "1");
  CHECK(axis_text(axis, axis.ticks.back()) == "64");
  for (const Cell& cell : model.plot->cells)
    CHECK(cell.y.high - cell.y.low == Approx((axis.high - axis.low) / 4));
  CHECK(model.table.rows.back().front() == "0");
  CHECK(model.plot->cells[2].label.ends_with("*"));
  CHECK_FALSE(model.plot->cells[1].label.ends_with("*"));
  CHECK(model.legend.back().find("(1 of 4 cells)") != std::string::npos);
  check_scene(layout(model, {}));
}

namespace {

/// A rung at seeds 1, 2 and 3, which all do as well as their seed allows, less `lost`.
void judge(const std::string& rung, double rate, std::vector<double> lost, Case* made) {
  for (size_t i = 0; i < lost.size(); ++i) {
    Series series = test::measured(1, 0, "quantnet.cpu." + rung, 1e9 / rate);
    series.params = {{"seed", int64_t(i) + 1}, {"recipe", rung}};
    series.items_per_s = rate;
    series.checks = {test::check(lost[i] < 0.01)};
    series.checks[0].nmse = series.checks[0].nmse_limit = 0;
    series.checks[0].task = {{"accuracy", 0.9 + 0.002 * double(i) - lost[i]}, {"may_lose", 0.01}};
    if (lost[i] >= 0.01) series.status = SeriesStatus::failed, series.stats.reset();
    made->series.push_back(series);
  }
}

/// A line to a name ends at one point, and runs through no other and across no other such line.
void check_leaders(const Scene& scene) {
  std::vector<Primitive> lines;
  for (const Primitive& one : scene.primitives) {
    const bool is_leader =
        one.kind == Primitive::Kind::line && one.role == Role::muted && one.alpha == 0.6f;
    if (is_leader) lines.push_back(one);
  }
  const auto side = [](Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  for (const Primitive& one : lines) {
    for (const Primitive& other : lines) {
      const bool cross = side(one.a, one.b, other.a) * side(one.a, one.b, other.b) < 0 &&
                         side(other.a, other.b, one.a) * side(other.a, other.b, one.b) < 0;
      CHECK_FALSE(cross);
    }
  }
}

Case judged_rungs() {
  Case made;
  judge("fp32", 1000, {0, 0, 0}, &made);
  judge("int8", 3000, {0.001, 0.002, 0.001}, &made);
  judge("slower", 2000, {0.004, 0.005, 0.004}, &made);
  judge("refused", 9000, {0.004, 0.02, 0.005}, &made);
  judge("emulated", 500, {0.001, 0, 0}, &made);
  for (Series& series : made.series) {
    if (!series.kernel.ends_with("emulated")) continue;
    series.items_per_s = 0, series.stats.reset();
    series.unavailable["stats"] = kEmulated;
  }
  made.finish();
  pair_seeds(made.pointers(), "accuracy", made.rows);
  return made;
}

}  // namespace

TEST_CASE("the frontier: what nobody beats, and none that the gate refused at any seed") {
  Case made = judged_rungs();
  const ChartModel model = frontier_chart(made.rows, {.items = "images"});
  CHECK(model.table.rows.size() == 5);  // seeds of one rung are one point
  const Datum *base = find_datum(model, 0), *int8 = find_datum(model, 3),
              *slower = find_datum(model, 6);
  REQUIRE((base && int8 && slower));
  CHECK(base->y == 0);
  CHECK(int8->x == 3000);
  CHECK(int8->y == Approx(-100 * 0.004 / 3));
  REQUIRE(int8->interval);  // t(2) = 4.303 times the deviation over the root of 3
  CHECK(int8->interval->high == Approx(int8->y + 4.303 * 0.1 / 3).epsilon(1e-3));
  CHECK(base->note.find("the baseline; on the frontier") != std::string::npos);
  CHECK(int8->note.find("3 paired seeds; on the frontier") != std::string::npos);
  CHECK(slower->note.find("behind int8.") != std::string::npos);
  // What has no speed has no point; table and legend name it.
  CHECK_FALSE(find_datum(model, 9));
  CHECK_FALSE(find_datum(model, 12));
  CHECK(model.table.rows[3].back() == "refused at 1 of 3 seeds");
  CHECK(model.table.rows[4].back() == "no speed: emulated");
  CHECK(std::count(model.legend.begin(), model.legend.end(),
                   "without a speed, so without a point: refused (refused at 1 of 3 seeds), "
                   "emulated (no speed: emulated)") == 1);
  // int8's interval holds the baseline's zero: no line may suggest an order of the two.
  for (const Curve& curve : model.plot->curves) CHECK(curve.name != "frontier");
  CHECK(std::count(model.legend.begin(), model.legend.end(),
                   "no frontier: the accuracies of the rungs ahead are not told apart") == 1);
  const Guide* gate = find_guide(model, "gate");
  REQUIRE(gate);
  CHECK(gate->value == -1);
  for (const float width : {500.0f, 900.0f}) check_scene(layout(model, {.width = width}));
  const Scene scene = layout(model, {.width = 900});
  const auto zeros = std::count_if(scene.primitives.begin(), scene.primitives.end(),
                                   [](const Primitive& one) { return one.text == "0"; });
  CHECK(zeros == 1);  // what is below it has its own number
  CHECK(axis_text(model.plot->y, -0.5) != axis_text(model.plot->y, 0));

  // The ladder has the same mean and interval; an error chart has none of them.
  const ChartModel ladder = ladder_chart(made.rows, {.task_metric = "accuracy"});
  const auto& marks = ladder.panels.back().marks;
  const auto mark =
      std::find_if(marks.begin(), marks.end(), [](const Mark& m) { return m.row == 3; });
  REQUIRE(mark != marks.end());
  CHECK((mark->value - marks.front().value) * 100 == Approx(int8->y));  // beside the baseline's
  REQUIRE(mark->interval);
  CHECK_FALSE(speed_error_chart(made.rows, {}, "accuracy").plot->empty_reason.empty());

  // Any rung can be the baseline: what names a recipe is no difference between problems.
  made.rows[3].is_baseline = true;
  pair_seeds(made.pointers(), "accuracy", made.rows);
  CHECK(made.rows[0].delta->mean == Approx(0.004 / 3));
  CHECK(made.rows[0].delta->seeds == 3);
  // What is not a number is no point.
  for (Series& series : made.series) series.checks[0].task["accuracy"] = kNan;
  CHECK_FALSE(frontier_chart(made.rows).plot->empty_reason.empty());
}

TEST_CASE("each point of a crowded frontier is named, or numbered with its name in a list") {
  Case made;
  for (int i = 0; i < 6; ++i) {  // near each other, in the way of the others' lines
    const double lost = 0.0002 * (i % 3);
    judge("a rung of some length " + std::to_string(i), 1000 + 5 * i, {lost, lost, lost}, &made);
  }
  made.finish();
  pair_seeds(made.pointers(), "accuracy", made.rows);
  const ChartModel model = frontier_chart(made.rows, {.items = "images"});
  int numbered = 0;
  for (const float width : {420.0f, 480.0f, 560.0f, 620.0f}) {
    const Scene scene = layout(model, {.width = width, .height = 420});
    std::string all;
    for (const Primitive& one : scene.primitives) {
      if (one.kind != Primitive::Kind::text) continue;
      all += one.text + " ";
      if (!one.text.starts_with("1 a rung")) continue;
      ++numbered;
      CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                        [](const Primitive& number) { return number.text == "1"; }));
    }
    for (const Curve& curve : model.plot->curves) {
      if (curve.data.empty() || curve.data[0].label.empty()) continue;
      INFO(width << " px: " << curve.data[0].label << " in " << all);
      CHECK(all.find(curve.data[0].label) != std::string::npos);
    }
    check_leaders(scene);  // the lines to names cross no others
  }
  CHECK(numbered > 0);
}

TEST_CASE("the frontier is of the selected rung's processor, also where that is not judged") {
  Case made = judged_rungs();
  Series gpu = test::measured(1, 0, "quantnet.cuda.weights", 1e6);
  made.series.push_back(gpu);
  made.rows.clear();
  made.finish();
  pair_seeds(made.pointers(), "accuracy", made.rows);
  CHECK(frontier_chart(made.rows).plot->empty_reason.empty());
  made.rows.back().selected = true;
  const ChartModel model = frontier_chart(made.rows);
  CHECK(model.plot->curves.empty());
  CHECK(model.plot->empty_reason.find("selected one's processor") != std::string::npos);
  CHECK(model.plot->empty_reason.find("5 of another processor") != std::string::npos);
}

TEST_CASE("the factors of traps have an axis to be told apart on, however narrow the ladder is") {
  Case made;
  for (const double factor : {2e-5, 0.5, 1.0, 3.0}) {
    Series series = gemm("traps.cpu.some", 512, 0.1);
    TrapOutcome trap{.victim = "v", .quantity = "time", .unit = "s"};
    trap.honest.median = 4e-4, trap.lie.median = 4e-4 * factor;
    trap.factor = factor, trap.bias = factor < 1 ? "low" : factor > 1 ? "high" : "unresolved";
    trap.rounds = 5, trap.guard_says = "a sentence of its own";
    series.trap = trap;
    made.series.push_back(series);
  }
  made.finish();
  for (LadderRow& row : made.rows) row.is_trap = true;
  const ChartModel model = ladder_chart(made.rows);
  const Scene scene = layout(model, {.width = 620, .height = 400, .font_px = 15});
  const AxisPlace& axis = scene.x_axes.at(1);
  CHECK(axis.high_px - axis.low_px > 100);
  CHECK(axis.px(1) - axis.px(2e-5) > 50);
  CHECK(model.panels.at(1).marks.at(0).label.ends_with("000× low"));
  CHECK(model.panels.at(1).marks.at(2).label == "unresolved");
  // What is open has its factor, and why it is open.
  CHECK(model.panels.at(1).marks.at(2).note.find(
            "unresolved, 1.000× too high in 5 rounds: too few for an interval") !=
        std::string::npos);
  CHECK(model.panels.at(0).subtitle == "in turns");
  made.series.push_back(gemm("traps.cpu.matrix", 512, 0.1));  // a kernel that tells no lie
  made.rows.clear();
  made.finish();
  for (size_t i = 0; i + 1 < made.rows.size(); ++i) made.rows[i].is_trap = true;
  CHECK(ladder_chart(made.rows).panels.at(0).subtitle == "lies in turns");
}

TEST_CASE("the ladder shows a rung's accuracy from its own processor's baseline") {
  Case made;
  judge("fp32", 1000, {0, 0, 0}, &made);
  judge("fp32", 9000, {0.1, 0.1, 0.1}, &made);
  judge("int8", 9900, {0.101, 0.102, 0.101}, &made);
  for (size_t i = 3; i < made.series.size(); ++i) {
    Series& series = made.series[i];
    series.kernel = i < 6 ? "quantnet.cuda.fp32" : "quantnet.cuda.int8";
    series.checks[0].passed = true, series.status = SeriesStatus::ok;
    series.stats = made.series[0].stats;
  }
  made.finish();
  pair_seeds(made.pointers(), "accuracy", made.rows);
  const ChartModel ladder = ladder_chart(made.rows, {.task_metric = "accuracy"});
  const auto& marks = ladder.panels.back().marks;
  const auto of_row = [&](int row) {
    const auto mark =
        std::find_if(marks.begin(), marks.end(), [&](const Mark& one) { return one.row == row; });
    REQUIRE(mark != marks.end());
    return mark->value;
  };
  CHECK(of_row(0) == Approx(0.902));
  CHECK(of_row(3) == Approx(0.802));
  CHECK(of_row(6) == Approx(0.802 - 0.004 / 3));
}

TEST_CASE(
    "a rung's speed on the frontier is the median of all its seeds, with its interval from six "
    "on") {
  const auto at = [](std::vector<double> rates) {
    Case made;
    judge("fp32", 1000, std::vector<double>(rates.size(), 0), &made);
    judge("int8", 1, std::vector<double>(rates.size(), 0.001), &made);
    for (size_t i = 0; i < rates.size(); ++i) {
      Series& series = made.series[rates.size() + i];
      series.items_per_s = rates[i], series.stats->median_ns = 1e9 / rates[i];
    }
    made.finish();
    pair_seeds(made.pointers(), "accuracy", made.rows);
    const ChartModel model = frontier_chart(made.rows, {.items = "images"});
    const Datum* datum = find_datum(model, int(rates.size()));
    REQUIRE(datum);
    check_scene(layout(model, {}));
    return *datum;
  };
  const Datum three = at({1000, 9000, 2000});
  CHECK(three.x == 2000);
  CHECK_FALSE(three.x_interval);
  CHECK(three.note.find("median of 3 seeds from lowest to highest [1.00, 9.00]") !=
        std::string::npos);
  const Datum six = at({1000, 2000, 3000, 4000, 5000, 6000});
  CHECK(six.x == 3500);
  REQUIRE(six.x_interval);
  CHECK(six.x_interval->low == 1000);  // of six, the lowest and the highest: 1 - 2 / 2^6 = 96.9 %
  CHECK(six.x_interval->high == 6000);
  CHECK(six.note.find("median of 6 seeds [1.00, 6.00]") != std::string::npos);
  CHECK(at({1000}).note.find("seeds") == std::string::npos);
}

TEST_CASE(
    "the frontier's line passes through rungs whose accuracies are told apart, and no others") {
  Case made;
  judge("fp32", 1000, std::vector<double>(8, 0), &made);
  judge("apart", 2000, {0.004, 0.0041, 0.0039, 0.004, 0.0042, 0.0038, 0.004, 0.004}, &made);
  const double loses = 0.0095,
               wins = -0.009;  // by the seed: its interval holds the baseline's zero
  judge("open", 3000, {loses, wins, loses, loses, loses, wins, loses, loses}, &made);
  made.finish();
  pair_seeds(made.pointers(), "accuracy", made.rows);
  const auto steps_of = [](const ChartModel& model) {
    std::vector<double> rates;
    for (const Curve& curve : model.plot->curves) {
      if (curve.name != "frontier") continue;
      for (const Datum& datum : curve.data) rates.push_back(datum.x);
    }
    return rates;
  };
  CHECK(steps_of(frontier_chart(made.rows, {.items = "images"})).empty());
  // Without the one that is not resolved the others are in order.
  std::vector<LadderRow> settled(made.rows.begin(), made.rows.begin() + 16);
  const std::vector<double> rates = steps_of(frontier_chart(settled, {.items = "images"}));
  REQUIRE_FALSE(rates.empty());
  CHECK(rates.back() == 2000);
  CHECK(std::count(rates.begin(), rates.end(), 1000) > 0);
}

TEST_CASE("rungs judged by an error stand in a panel beside those judged by their answers") {
  Case made = judged_rungs();
  made.series.push_back(gemm("gemv.cpu.int8", 512, 0.5));
  for (QualityCheck& check : made.series.back().checks) check.task["output_error"] = 0.04;
  made.rows.clear();
  made.finish();
  const ChartModel ladder = ladder_chart(made.rows, {.task_metric = "accuracy"});
  REQUIRE(ladder.panels.size() == 5);
  CHECK(ladder.panels[3].metric == "accuracy_delta");
  const Panel& error = ladder.panels[4];
  CHECK(error.metric == "error_nmse");
  REQUIRE(error.marks.size() == 1);
  CHECK(error.marks[0].note.find("moved the output by 4 %") != std::string::npos);
  CHECK(error.row_reasons[3] == "judged by accuracy");
  check_scene(layout(ladder, {.width = 1000}));
}

TEST_CASE("images and rows of a matrix share no axis of sizes: the selected rung's kind is shown") {
  Case made;
  for (const int64_t n : {512, 1024}) made.series.push_back(gemm("gemv.cpu.int8", n, 0.5));
  made.series.push_back(gemm("quantnet.cpu.int8", 512, 0.5));
  made.series.back().size_param = "images";
  made.series.back().params = {{"images", int64_t{10'000}}};
  made.finish();
  for (const bool last : {false, true}) {
    made.rows.front().selected = !last, made.rows.back().selected = last;
    const ChartModel model = size_curve_chart(made.rows);
    const std::string legend = model.legend.back();
    CHECK(legend.find(last ? "2 results with another size than images"
                           : "1 result with another size than n") == 0);
    CHECK(shows_row(model, 2) == last);
    CHECK(shows_row(model, 0) == !last);
  }
}
