// Training curves and the score card: what they say, what they leave out, and that no text covers another.
#include <set>

#include "common/stats/answers.h"
#include "common/view/chart/frontier.h"
#include "common/view/chart/layout_parts.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/score.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/training.h"
#include "tests/golden.h"
#include "tests/plot_cases.h"

using namespace ridge;
using namespace ridge::test;

namespace {

// Round numbers; nothing here was measured.
Series trained(const std::string& kernel, double step_s, double end, int steps = 640) {
  Series series = measured(1, 0, kernel, step_s * 1e9);
  series.kind = RungKind::training;
  series.flop = series.bytes_min = 0;
  series.items_per_s = 256 / step_s;
  for (int i = 1; i <= steps; ++i) {
    CurvePoint point{.step = i, .t_s = i * step_s};
    const double climb = end * (1 - 0.6 * std::exp(-i / 60.0));
    point.values = {{"loss", 2 - climb}, {"batch_accuracy", climb + (i % 2 ? 0.02 : -0.02)}};
    if (i % 80 == 0 && i < steps) point.values["accuracy"] = climb - 0.01;
    series.curve.push_back(point);
  }
  QualityCheck check;
  check.what = "images held out";
  check.task = {{"accuracy", end}};
  check.passed = true;
  series.checks = {check};
  return series;
}

Case trainings() {
  Case made;
  made.series = {trained("weightless.cpu.random_wiring", 0.004, 0.85),
                 trained("weightless.cpu.fast_training", 0.005, 0.88)};
  made.finish();
  made.rows[1].selected = true;
  return made;
}

const Curve& named(const ChartModel& model, const std::string& name) {
  for (const Curve& curve : model.plot->curves) {
    // Its end stands before the name.
    if (curve.name.starts_with(name) || curve.name.find(" · " + name) != std::string::npos)
      return curve;
  }
  std::string all;
  for (const Curve& curve : model.plot->curves) all += curve.name + ", ";
  FAIL("no curve is named " << name << " among " << all);
  return model.plot->curves.front();
}

void check_layouts(const ChartModel& model) {
  for (const float width : {640.0f, 900.0f, 1600.0f}) check_scene(layout(model, {.width = width}));
  check_scene(layout(model, {.width = 620, .height = 330, .font_px = 14}));
}

}  // namespace

TEST_CASE("training curves: judged points with the last judgement, batches as pale means") {
  const Case made = trainings();
  const ChartModel model = training_chart(made.rows);
  REQUIRE(model.plot->curves.size() == 4);
  const Curve& fast = named(model, "fast_training");
  REQUIRE(fast.data.size() == 8);  // seven looks, and the end
  CHECK(fast.data.back().y == 0.88);
  CHECK(fast.data.back().x == Approx(639 * 0.005));  // the first step is left out
  CHECK(fast.data.back().strong);
  CHECK(fast.data.back().row == 1);
  const Curve& pale = model.plot->curves.front();
  CHECK(pale.quiet);
  REQUIRE(pale.data.size() == 64);
  // The scatter of single batches is gone: a mean over ten steps.
  CHECK(pale.data.back().y == Approx(0.85).margin(0.001));
  CHECK(pale.data.back().note.find("mean of 10 steps") != std::string::npos);
  check_layouts(model);
}

TEST_CASE("a first step in which libraries load is in no training's seconds") {
  Case made = trainings();
  for (CurvePoint& point : made.series[0].curve) point.t_s += 2;
  made.finish();
  const ChartModel model = training_chart(made.rows);
  CHECK(named(model, "random_wiring").data.back().x == Approx(639 * 0.004));
  // Of a few steps each one counts.
  made.series[0].curve.resize(10);
  made.finish();
  const ChartModel few = training_chart(made.rows);
  const auto row = std::find_if(few.table.rows.begin(), few.table.rows.end(),
                                [](const auto& cells) { return cells[0] == "random_wiring"; });
  REQUIRE(row != few.table.rows.end());
  CHECK((*row)[2] == "2.04 s");
}

TEST_CASE("of many trainings the selected one alone shows its batches") {
  const auto pale = [](const ChartModel& model) {
    std::vector<int> rows;
    for (const Curve& curve : model.plot->curves) {
      if (curve.quiet) rows.push_back(curve.data.front().row);
    }
    return rows;
  };
  Case made;
  for (int i = 0; i < 3; ++i) made.series.push_back(trained("weightless.cpu.a", 0.004, 0.85));
  for (size_t i = 0; i < made.series.size(); ++i) made.series[i].params["luts"] = int64_t(i);
  made.finish();
  made.rows[1].selected = true;
  CHECK(pale(training_chart(made.rows)) == std::vector<int>{0, 1, 2});
  made.series.push_back(trained("weightless.cpu.a", 0.004, 0.85));
  made.series.back().params["luts"] = int64_t(9);
  made.finish();
  for (LadderRow& row : made.rows) row.selected = false;
  made.rows[1].selected = true;
  CHECK(pale(training_chart(made.rows)) == std::vector<int>{1});
}

TEST_CASE("each of many trainings has its name and the colour of its rung in the frontier") {
  Case made;
  for (int i = 0; i < 9; ++i)
    made.series.push_back(trained("weightless.cpu.k" + std::to_string(i), 0.004, 0.8 + 0.01 * i));
  for (Series& series : made.series) series.params["seed"] = int64_t{1};
  made.finish();
  made.rows[4].selected = true;
  made.rows[2].is_baseline = true;
  for (size_t i = 0; i < made.rows.size(); ++i)
    made.rows[i].place = static_cast<int>(3 * i);  // other rungs of the lab lie between
  pair_seeds(made.pointers(), "accuracy", made.rows);
  const ChartModel model = training_chart(made.rows), front = frontier_chart(made.rows);
  std::set<std::pair<Role, Marker>> looks;
  std::set<std::string> behind;
  for (int i = 0; i < 9; ++i) {
    const std::string name = "k" + std::to_string(i);
    INFO(name);
    const Curve &curve = named(model, name), &point = named(front, name);
    CHECK(curve.role == point.role);  // those behind too, pale
    CHECK(curve.marker == point.marker);
    CHECK((curve.role == Role::baseline) == (i == 2));
    CHECK_FALSE(curve.data.back().note.empty());
    if (curve.quiet)
      behind.insert(name);
    else
      CHECK(looks.insert({curve.role, curve.marker}).second);
  }
  CHECK(behind == (std::set<std::string>{"k1", "k3", "k5", "k6", "k7"}));
  check_layouts(model);
  int names = 0;
  for (const Primitive& p : layout(model, {.width = 620, .height = 330, .font_px = 14}).primitives)
    names += p.text.find(" · k") != std::string::npos;
  CHECK(names == 9);
}

TEST_CASE("training curves: steps in place of seconds, the loss in place of the metric") {
  const Case made = trainings();
  const ChartModel steps = training_chart(made.rows, {.by_step = true});
  CHECK(named(steps, "fast_training").data.back().x == 640);
  const ChartModel loss = training_chart(made.rows, {.metric = "loss"});
  REQUIRE(loss.plot->curves.size() == 2);
  CHECK(named(loss, "fast_training").data.size() == 64);
  CHECK(named(loss, "fast_training").data.back().y < named(loss, "fast_training").data[0].y);
  CHECK(loss.plot->y.title == "Loss");
  check_layouts(steps);
  check_layouts(loss);
}

TEST_CASE("the table says when each training first reached what all of them reached") {
  Case made = trainings();
  const ChartModel model = training_chart(made.rows);
  REQUIRE(model.table.columns.back() == "Time to 0.8500");
  CHECK(model.table.rows[0].back() == "1.20 s");  // the third look of the one that ends higher
  CHECK(model.table.rows[1].back() == "2.56 s");  // the other: at its end
  made.rows.pop_back();
  CHECK(training_chart(made.rows).table.columns.size() == 4);  // alone there is nothing to reach
}

TEST_CASE("training curves while it runs, unfinished, from a recording, and none") {
  Case made = trainings();
  Series& running = made.series[0];
  running.checks.clear();
  running.curve.resize(3);
  running.status = SeriesStatus::running;
  Series& partial = made.series[1];
  partial.status = SeriesStatus::partial;
  ChartModel model = training_chart(made.rows);
  CHECK(named(model, "random_wiring").data.size() ==
        3);  // nothing judged: its batches are the line
  CHECK_FALSE(named(model, "random_wiring").quiet);
  CHECK(named(model, "fast_training").data.back().hollow);
  check_layouts(model);
  partial.curve[5].values["batch_accuracy"] = kNan;
  CHECK(std::isfinite(training_chart(made.rows).plot->y.high));
  running.curve.clear();
  partial.curve.clear();
  model = training_chart(made.rows);
  CHECK(model.plot->empty_reason.find("run it") != std::string::npos);
  check_layouts(model);
}

TEST_CASE("seeds of one training are a band about their mean, which the ladder shows too") {
  Case made;
  for (const double end : {0.86, 0.90, 0.87}) {
    made.series.push_back(trained("weightless.cpu.random_wiring", 0.004, end));
    made.series.back().params["seed"] = static_cast<int64_t>(made.series.size());
  }
  made.series.push_back(trained("weightless.cpu.fast_training", 0.005, 0.88));
  made.finish();
  const ChartModel model = training_chart(made.rows);
  const Curve& seeds = named(model, "random_wiring");
  CHECK(seeds.band);
  CHECK(seeds.data.back().y == Approx((0.86 + 0.90 + 0.87) / 3));
  REQUIRE(seeds.data.back().interval);
  CHECK(seeds.data.back().interval->low == 0.86);
  CHECK(seeds.data.back().interval->high == 0.90);
  CHECK(seeds.data.back().note.find("mean of 3 seeds from 0.8600 to 0.9000") != std::string::npos);
  CHECK_FALSE(named(model, "fast_training").band);
  REQUIRE(model.plot->curves.size() == 4);  // two trainings, each judged and its batches
  // The table is in the order in which the curves end.
  REQUIRE(model.table.rows.size() == 2);
  CHECK(model.table.rows[0][0] == "fast_training");
  CHECK(model.table.rows[1][0] == "random_wiring");
  const Scene scene = layout(model, {.width = 900});
  const auto slabs =
      std::count_if(scene.primitives.begin(), scene.primitives.end(),
                    [](const Primitive& p) { return p.kind == Primitive::Kind::slab; });
  CHECK(slabs >= 7);
  CHECK(to_svg(model, LayoutOptions{.width = 900}).find("<polygon") != std::string::npos);
  check_layouts(model);
  pair_seeds(made.pointers(), "accuracy", made.rows);
  const ChartModel ladder = ladder_chart(made.rows, {.task_metric = "accuracy"});
  const Panel& accuracy = ladder.panels.back();
  REQUIRE(accuracy.marks.size() == 4);
  for (size_t i = 0; i < 3; ++i) CHECK(accuracy.marks[i].value == Approx(seeds.data.back().y));
  CHECK(accuracy.marks[0].note.find("mean of 3 seeds") != std::string::npos);
  CHECK(accuracy.subtitle.find("mean of 3 seeds") != std::string::npos);
}

TEST_CASE("of trainings that end close together the selected one has its name in a low window") {
  Case made;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "weightless.cpu.rung_" + std::to_string(i) + "_of_a_long_name";
    made.series.push_back(trained(name, i == 11 ? 0.02 : 0.004 + 1e-5 * i, 0.88 + 1e-4 * i));
  }
  made.finish();
  made.rows[4].selected = true;
  const Scene scene = layout(training_chart(made.rows), {.width = 640, .height = 240});
  const auto count = [&](bool bold) {
    return std::count_if(scene.primitives.begin(), scene.primitives.end(), [&](const auto& p) {
      return p.bold == bold && p.text.find(" · rung_") != std::string::npos;
    });
  };
  CHECK(count(true) == 1);
  CHECK(count(false) < 11);  // there is no room for all
}

TEST_CASE("seeds that were read at other steps, and one that runs still, keep the band true") {
  Case made;
  for (int seed = 1; seed <= 2; ++seed) {
    made.series.push_back(trained("weightless.cpu.random_wiring", 0.004, 0.88));
    made.series.back().params["seed"] = int64_t{seed};
  }
  Series& other = made.series[1];
  other.checks.clear();
  other.status = SeriesStatus::running;
  other.curve.resize(300);
  other.curve[239].values.erase("accuracy");
  made.finish();
  const ChartModel model = training_chart(made.rows);
  const Curve& seeds = named(model, "random_wiring");
  for (size_t i = 1; i < seeds.data.size(); ++i) CHECK(seeds.data[i].x > seeds.data[i - 1].x);
  for (const Datum& datum : seeds.data) {
    CHECK(datum.interval->low <= datum.y);
    CHECK(datum.interval->high >= datum.y);
  }
  CHECK(seeds.data.back().y == 0.88);
  check_layouts(model);
}

TEST_CASE("of many curves that end apart all names stand at the right, the number first") {
  Case made;
  for (int i = 0; i < 9; ++i)
    made.series.push_back(
        trained("weightless.cpu.kind_" + std::to_string(i) + "_with_a_long_name_of_its_own",
                0.004 + 0.001 * i, 0.88 + 0.0001 * i));
  made.finish();
  const Scene scene = layout(training_chart(made.rows), {.width = 640, .height = 420});
  float at = 0;
  int names = 0;
  for (const Primitive& p : scene.primitives) {
    if (p.kind != Primitive::Kind::text || p.text.find(" · ki") == std::string::npos) continue;
    INFO(p.text);
    ++names;
    CHECK(p.text.starts_with("0.88"));
    CHECK((at == 0 || p.a.x == at));
    at = p.a.x;
  }
  CHECK(names == 9);
  for (const Primitive& p : scene.primitives) {
    if (p.kind == Primitive::Kind::line) CHECK(std::max(p.a.x, p.b.x) < at);
  }
}

TEST_CASE("twenty curves that end together: names apart, and no line across the plot") {
  Case made;
  for (int i = 0; i < 20; ++i) {
    made.series.push_back(trained("weightless.cpu.kind_" + std::to_string(i), i % 2 ? 1e-4 : 0.01,
                                  0.88 + 0.0001 * i));
  }
  made.finish();
  const ChartModel model = training_chart(made.rows);
  CHECK(model.plot->x.scale == Scale::log);  // milliseconds beside seconds
  // The first steps do not take the room of what tells them apart.
  CHECK(model.plot->y.low > 0.5);
  CHECK(model.plot->y.high < 0.95);
  check_layouts(model);
  for (const float width : {620.0f, 900.0f, 1600.0f}) {
    const Scene scene = layout(model, {.width = width, .height = 420});
    for (const Primitive& p : scene.primitives) {
      if (p.kind != Primitive::Kind::line || p.role != Role::muted || p.a.y == p.b.y) continue;
      if (p.alpha == 0.45f) continue;  // of a thin training, which is grey too
      INFO("a connector from " << p.a.x << " to " << p.b.x);
      CHECK(std::abs(p.b.x - p.a.x) < 60);
    }
  }
}

TEST_CASE("a baseline without a curve is a line; one that failed its check is none") {
  Case made = trainings();
  made.series.push_back(measured(1, 2, "wisard.cpu.hash_map", 1e6));
  made.series.back().checks.back().task = {{"accuracy", 0.8}};
  made.rows.clear();
  made.finish();
  made.rows[2].is_baseline = true;
  ChartModel model = training_chart(made.rows);
  REQUIRE(model.plot->guides.size() == 1);
  CHECK(model.plot->guides[0].value == 0.8);
  check_layouts(model);
  made.series[2].checks[0].passed = false;
  CHECK(training_chart(made.rows).plot->guides.empty());
}

TEST_CASE("the ladder of a lab with a task metric names neither NMSE nor FLOP") {
  Case made = trainings();
  made.series.push_back(measured(1, 2, "weightless.cpu.naive", 1e6));
  Series& naive = made.series.back();
  naive.flop = 0;
  naive.items_per_s = 1e6;
  naive.checks = made.series[0].checks;
  naive.checks.insert(naive.checks.begin(), naive.checks[0]);
  naive.checks[0].what = "24 awkward problems";  // and an untrained network's accuracy
  naive.checks[0].task["accuracy"] = 0;
  made.rows.clear();
  made.finish();
  const ChartModel model = ladder_chart(made.rows, {.items = "images"});
  REQUIRE(model.panels.size() == 4);
  CHECK(model.panels[1].axis.unit == "images/s");
  REQUIRE(model.panels[1].marks.size() == 3);
  CHECK(model.panels[1].marks[2].value == 1e6);
  CHECK(model.panels[3].metric == "accuracy_delta");
  CHECK(model.panels[3].marks[1].label == "0.8800");
  CHECK(model.panels[3].marks[1].value == Approx(0.88));
  CHECK(model.panels[3].marks[1].note.find("+0.030 against") != std::string::npos);
  CHECK(model.panels[3].marks[2].label == "0.8500");  // of what was timed
  CHECK(model.panels[0].marks[0].label == "4.00 ms a step");
  CHECK(model.rows[0].sublabel.find("2.56 s of training") != std::string::npos);
  CHECK(model.summary.find("NMSE") == std::string::npos);
  CHECK(model.summary.find("accuracy 0.8800") != std::string::npos);
  check_scene(layout(model, {.width = 900}));
  for (const ChartModel& plot : {roofline_chart(made.rows), size_curve_chart(made.rows)})
    CHECK(plot.plot->empty_reason.find("counted in FLOP") != std::string::npos);
  CHECK(roofline_chart({}).plot->empty_reason.find("run the ladder") != std::string::npos);
  // Where FLOP are counted, their ceiling stays in view.
  made.series[2].flop = 1e9;
  CHECK(ladder_chart(made.rows).panels[1].title == "Utilization");
}

TEST_CASE("the score card: figures, reasons in the place of missing ones, two rates in a row") {
  std::vector<ScoreRow> rows(2);
  rows[0] = {.label = "LUT network", .sublabel = "generated code"};
  rows[0].quality = {.value = 0.88};
  rows[0].model_bytes = {.value = 40960};
  rows[0].latency_s = {.why = "needs a run in measure mode"};
  rows[0].features_per_s = {.value = 7e7};
  rows[0].raw_per_s = {.value = 1.5e7};
  rows[0].energy_j = {.why = "unavailable: no RAPL"};
  rows[1] = {.label = "WiSARD"};
  rows[1].quality = {.value = 0.8};
  rows[1].features_per_s = {.value = 6e6};
  rows[1].raw_per_s = {.why = "has no such start"};
  rows[1].latency_s = {.value = 0};  // never a figure
  const ChartModel model =
      score_chart(rows, {.item = "image", .items = "images", .features = "bits", .raw = "pixels"});
  REQUIRE(model.panels.size() == 6);
  CHECK(model.panels[0].marks.size() == 2);
  CHECK(model.panels[3].marks.empty());
  CHECK(model.panels[4].marks.size() == 3);
  CHECK(model.panels[4].marks[0].offset != model.panels[4].marks[1].offset);
  CHECK(model.table.rows[0][6] == "unavailable: no RAPL");
  CHECK(model.table.rows[1][3] == "—");
  CHECK(model.table.rows[1][4] == "has no such start");
  CHECK(model.summary.find("From pixels 15.0 M images/s") != std::string::npos);
  check_layouts(model);
}

TEST_CASE(
    "the score card marks what cannot be told apart from the highest, and says by how much others "
    "can") {
  const auto right = [](size_t first, size_t count) {
    std::vector<bool> all(1000);
    for (size_t i = first; i < first + count; ++i) all[i] = true;
    return stats::pack_answers(all);
  };
  std::vector<ScoreRow> rows(5);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].label = "network " + std::to_string(i);
  rows[0].quality = {.value = 0.86}, rows[0].right = right(0, 860);
  rows[1].quality = {.value = 0.84}, rows[1].right = right(60, 840);  // errs at other places
  rows[2].quality = {.value = 0.84}, rows[2].right = right(0, 840);   // errs there and at more
  rows[3].quality = {.value = 0.85};  // recorded without its answers
  const auto all = standings(rows);
  CHECK(all[0].is_best);
  CHECK(all[0].text == "the highest");
  CHECK_FALSE(all[1].told_apart);
  CHECK(all[1].text.find("≈ −2.00 points [−") == 0);
  CHECK(all[2].told_apart);
  CHECK(all[2].text.find("−2.00 points [−") == 0);
  CHECK(all[2].note.find("right alone on 0, network 0 alone on 20") != std::string::npos);
  CHECK(all[3].text == "answers not known one by one");
  CHECK(all[4].text == "—");
  const ChartModel model = score_chart(rows);
  CHECK(model.panels[0].marks[0].label == "0.8600");
  CHECK(model.panels[0].marks[1].label == "0.8400 ≈");
  CHECK(model.panels[0].marks[2].label == "0.8400");
  CHECK(model.panels[0].marks[3].label == "0.8500");
  CHECK(model.table.rows[1][7] == all[1].text);
}

TEST_CASE(
    "the score card holds a model against a small device: what fits, and what does not by how "
    "much") {
  std::vector<ScoreRow> rows(2);
  rows[0] = {.label = "tables", .model_bytes = {.value = 40'000}, .working_bytes = {.value = 1000}};
  rows[0].multiplications = {.value = 0, .why = "multiplies nothing"},
  rows[0].look_ups = {.value = 2000};
  rows[1] = {
      .label = "products", .model_bytes = {.value = 8e5}, .working_bytes = {.value = 60'000}};
  const ChartModel model = score_chart(
      rows,
      {.devices = {{.name = "Chip", .core = "Core", .flash_bytes = 200'000, .ram_bytes = 20'000}}});
  CHECK(model.panels[1].rules.size() == 1);
  CHECK(model.panels[1].axis.high >= 200'000);
  CHECK(model.panels[1].marks[0].note.find("Chip: fits.") != std::string::npos);
  CHECK(model.panels[2].row_reasons[0] == "multiplies nothing");
  CHECK(model.table.columns.back() == "Chip (Core)");
  CHECK(model.table.rows[0].back() == "fits");
  CHECK(model.table.rows[1].back() == "no: flash 4.00×, RAM 3.00×");
  CHECK(model.table.rows[0][8] == "0");
  check_layouts(model);
}

TEST_CASE("the training chart's SVG is the golden one") {
  const Case made = trainings();
  test::check_golden("training.svg", to_svg(training_chart(made.rows, {.title = "Training"}),
                                            LayoutOptions{.width = 900}));
}
