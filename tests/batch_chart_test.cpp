// Steps to an accuracy against the batch size: which look saw the target, seeds, what did not get there, and no text over another.
#include "common/view/chart/batch.h"
#include "common/view/chart/figures.h"
#include "common/view/chart/svg.h"
#include "tests/golden.h"
#include "tests/plot_cases.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Judged every `every` steps; its accuracy rises to `end`, half of the way after `half` steps. Round numbers: nothing here
/// was measured.
Series trained(const std::string& kernel, int64_t batch, int64_t seed, double half, double end,
               int64_t steps = 400, int64_t every = 20) {
  Series series = measured(1, 0, kernel, 1e6);
  series.kind = RungKind::training;
  series.flop = series.bytes_min = 0;
  series.params = {{"batch", batch}, {"seed", seed}, {"width", int64_t{64}}};
  const auto at = [&](int64_t step) { return end * double(step) / (double(step) + half); };
  for (int64_t step = every; step < steps; step += every)
    series.curve.push_back({step, double(step) * 1e-3, {{"accuracy", at(step)}}});
  series.curve.push_back({steps, double(steps) * 1e-3, {}});
  QualityCheck check;
  check.what = "images held out";
  check.task = {{"accuracy", at(steps)}};
  check.passed = true;
  series.checks = {check};
  return series;
}

Case batches() {
  Case made;
  for (const int64_t seed : {1, 2, 3}) {
    for (const int64_t batch : {64, 128, 256, 512}) {
      // Half the steps for twice the batch at first; then less.
      const double half = 3200.0 / double(batch) + 6 + double(seed);
      made.series.push_back(trained("mixed.cpu.fp32", batch, seed, half, 0.9));
      made.series.push_back(
          trained("mixed.cpu.bf16", batch, seed, 2 * half, batch == 512 ? 0.6 : 0.9));
    }
  }
  made.finish();
  return made;
}

const Curve* named(const ChartModel& model, const std::string& name) {
  for (const Curve& curve : model.plot->curves) {
    if (curve.name == name) return &curve;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("batch: a line for each training, a point for each batch size, the median of the seeds") {
  const Case made = batches();
  const ChartModel model = batch_chart(made.rows, {.target = 0.72});
  const Curve* fp32 = named(model, "fp32");
  REQUIRE(fp32);
  REQUIRE(fp32->data.size() == 4);
  // 0.9 s / (s + h) >= 0.72 from s = 4 h: of seed 2 at batch 64 h = 58, so after 232 steps, seen at 240.
  CHECK(fp32->data[0].x == 64);
  CHECK(fp32->data[0].y == 240);
  REQUIRE(fp32->data[0].interval);
  CHECK(fp32->data[0].interval->low == 220);  // seed 1 was looked at there, too early
  CHECK(fp32->data[0].interval->high == 240);
  CHECK(fp32->data[3].y == 60);  // h = 14.25: after 57
  CHECK(model.plot->y.title == "Steps to accuracy 0.72");
  CHECK(model.plot->x.ticks == std::vector<double>{64, 128, 256, 512});
  const Curve* same = named(model, "as many images");
  REQUIRE(same);
  CHECK(same->data.back().y == Approx(240.0 / 8));
  CHECK(same->dashed);
  CHECK(model.summary.find("fp32: batch 64 → 512, 240 → 60 steps: ") != std::string::npos);
  check_scene(layout(model, {}));
}

TEST_CASE("batch: a line has its rung's colour and mark, whatever stands beside it") {
  Case made = batches();
  const auto look_at = [&](int place) {
    for (LadderRow& row : made.rows) row.place = row.label == "fp32" ? place : place + 1;
    const ChartModel model = batch_chart(made.rows, {.target = 0.72});
    const Curve *fp32 = named(model, "fp32"), *bf16 = named(model, "bf16");
    REQUIRE((fp32 && bf16));
    CHECK(fp32->role != bf16->role);
    return std::pair(bf16->role, fp32->role);
  };
  // The same place is the same colour, as first line and as second.
  CHECK(look_at(7).first == look_at(8).second);
}

TEST_CASE("batch: a size at which a seed did not get there has no point, and the table says so") {
  const Case made = batches();
  const ChartModel model = batch_chart(made.rows, {.target = 0.72});
  const Curve* bf16 = named(model, "bf16");
  REQUIRE(bf16);
  CHECK(bf16->data.back().x < 512);
  bool told = false;
  for (const auto& row : model.table.rows)
    told |= row[0] == "bf16" && row[1] == "512" && row[2] == "not reached by 3 of 3 seeds";
  CHECK(told);
}

TEST_CASE("batch: without a target it is what half of the trainings reached") {
  const Case made = batches();
  const auto usual = usual_target(made.rows, "accuracy");
  REQUIRE(usual);
  CHECK(*usual > 0.6);  // one in eight ends below
  size_t reached = 0;
  for (const LadderRow& row : made.rows)
    reached += row.series->checks.front().task.at("accuracy") >= *usual;
  CHECK(reached * 2 >= made.rows.size());
  CHECK(batch_chart(made.rows).plot->y.title ==
        batch_chart(made.rows, {.target = usual}).plot->y.title);
}

TEST_CASE("batch: a target that nobody reached, and one batch size alone, say so in a sentence") {
  const Case made = batches();
  const ChartModel none = batch_chart(made.rows, {.target = 0.99});
  CHECK(none.plot->empty_reason.starts_with(
      "An accuracy of 0.99 was reached by none of these trainings at all of its seeds; the highest "
      "that was seen is 0.8"));
  CHECK(none.table.rows.size() == 8);
  Case single;
  single.series = {trained("mixed.cpu.fp32", 64, 1, 40, 0.9),
                   trained("mixed.cpu.bf16", 128, 1, 40, 0.9)};
  single.finish();
  CHECK(batch_chart(single.rows)
            .plot->empty_reason.starts_with("This takes trainings that only their batch"));
  CHECK_FALSE(batch_chart({}).plot->empty_reason.empty());
}

TEST_CASE("batch: other parameters make other lines, named by what tells them apart") {
  Case made;
  for (const int64_t batch : {64, 256}) {
    for (const int64_t width : {64, 128}) {
      Series series = trained("mixed.cpu.fp32", batch, 1, 40, 0.9);
      series.params["width"] = width;
      made.series.push_back(series);
    }
  }
  made.finish();
  const ChartModel model = batch_chart(made.rows);
  CHECK(named(model, "fp32 · width 64"));
  CHECK(named(model, "fp32 · width 128"));
}

TEST_CASE("batch: the chart is the golden one, and a section of a report") {
  const Case made = batches();
  LayoutOptions options;
  options.width = 900;
  test::check_golden("batch.svg", to_svg(batch_chart(made.rows, {.target = 0.72}), options));
  const Figure* figure = find_figure("batch");
  REQUIRE(figure);
  CHECK(figure->section.task_metric == std::string("accuracy"));
}
