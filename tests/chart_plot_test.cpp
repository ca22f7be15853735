// Plots: roofline, size curve, speed against error, and the layout that all of them share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/view/chart/figures.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/speed_error.h"
#include "common/view/chart/svg.h"
#include "tests/golden.h"
#include "tests/plot_cases.h"

using namespace ridge;
using namespace ridge::chart;
using namespace ridge::test;

namespace {

bool says(const ChartModel& model, const std::string& words) {
  return std::any_of(model.legend.begin(), model.legend.end(),
                     [&](const std::string& text) { return text.find(words) != text.npos; });
}

}  // namespace

TEST_CASE("spread keeps order and pitch, and moves no more than it must") {
  CHECK(parts::spread({10, 50, 90}, 20, 0, 100) == std::vector<float>{10, 50, 90});
  CHECK(parts::spread({50, 50}, 20, 0, 100) == std::vector<float>{40, 60});
  CHECK(parts::spread({0, 0, 5}, 20, 0, 100) == std::vector<float>{0, 20, 40});
  CHECK(parts::spread({95, 99, 99}, 20, 0, 100) == std::vector<float>{60, 80, 100});
  const auto crowded = parts::spread({1, 2, 3, 4}, 20, 0, 30);  // no room: the pitch stays
  for (size_t i = 1; i < crowded.size(); ++i) CHECK(crowded[i] - crowded[i - 1] >= 20);
  CHECK(parts::spread({}, 20, 0, 100).empty());
}

TEST_CASE("every ceiling measured for the backend is a roof, and nothing else is") {
  const Case made = many(3);
  const ChartModel model = roofline_chart(made.rows);
  std::map<Guide::Kind, int> kinds;
  for (const Guide& guide : model.plot->guides) ++kinds[guide.kind];
  CHECK(kinds[Guide::Kind::horizontal] == 3);  // not the CPU's, not the broken one
  CHECK(kinds[Guide::Kind::slope] == 2);       // not the launch
  const Guide* dram = find_guide(model, "DRAM read");
  REQUIRE(dram);
  CHECK(dram->value == 4e12);
  CHECK(*dram->to == Approx(2e15 / 4e12));  // up to the highest roof
  CHECK(find_guide(model, "tensor fp8")->dashed);
  CHECK_FALSE(find_guide(model, "tensor bf16")->dashed);
  const Guide* ridge = find_guide(model, "ridge");
  REQUIRE(ridge);
  CHECK(ridge->value == Approx(6e13 / 4e12));  // of the selection's type
  CHECK(*find_guide(model, "FFMA fp32")->from == Approx(6e13 / 4e12));
}

TEST_CASE("a rung whose unit has no roof says so") {
  Case made = many(3);
  const auto says = [&](const ChartModel& model, const std::string& what) {
    return std::any_of(model.legend.begin(), model.legend.end(),
                       [&](const std::string& one) { return one.find(what) != std::string::npos; });
  };
  CHECK_FALSE(says(roofline_chart(made.rows), "no roof of its unit"));
  Series split = *made.rows[1].series;
  split.kernel = "gemm.cuda.tf32x3";  // of TF32's products, which no ceiling here is of
  made.rows[1].series = &split;
  CHECK(says(roofline_chart(made.rows),
             made.rows[1].label + ": no roof of its unit, tf32, was measured"));
}

TEST_CASE("a point of the roofline stands at its intensity and its rate") {
  Case made = many(5);
  const ChartModel model = roofline_chart(made.rows);
  const Datum* datum = find_datum(model, 0);
  REQUIRE(datum);
  CHECK(datum->x == Approx(2.0 * 4096 / 12));
  CHECK(datum->y == Approx(made.series[0].flop / (made.series[0].stats->median_ns * 1e-9)));
  REQUIRE(datum->interval);
  CHECK(datum->interval->low < datum->y);
  CHECK(datum->interval->high > datum->y);
  CHECK(datum->strong);
  CHECK_FALSE(datum->hollow);
  CHECK(find_datum(model, 1)->hollow);
  CHECK(find_datum(model, 1)->note.find("recorded on NVIDIA H200") != std::string::npos);
  CHECK(find_datum(model, 2)->x == Approx(2.0 * 4096 / 6));  // bf16 moves half the bytes
  CHECK(model.table.rows.size() == 5);
  for (const auto& row : model.table.rows) CHECK(row.size() == model.table.columns.size());
}

TEST_CASE("what has no verified speed is on no plot") {
  Case made = many(6);
  made.series[2].checks = {test::check(false)};
  made.series[3].checks.clear();
  made.series[4].stats->median_ns = kNan;
  made.rows[5].series = nullptr;
  for (const ChartModel& model :
       {roofline_chart(made.rows), size_curve_chart(made.rows), speed_error_chart(made.rows)}) {
    INFO(model.id);
    CHECK(shows_row(model, 0));
    for (const int row : {2, 3, 4, 5}) CHECK_FALSE(shows_row(model, row));
    check_scene(layout(model, {}));
  }
  CHECK(says(speed_error_chart(made.rows), "1 failed the check and has no speed"));
  const std::vector<LadderRow> none(2);
  for (const ChartModel& model :
       {roofline_chart(none), size_curve_chart(none), speed_error_chart(none)}) {
    CHECK_FALSE(model.plot->empty_reason.empty());
    const Scene scene = layout(model, {});
    CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                      [](const Primitive& p) { return p.text.starts_with("No rung"); }));
  }
}

TEST_CASE("a plot is of one processor: the selected rung's") {
  Case made;
  made.series = {gemm("gemm.cpu.a", 512, 0.1), gemm("gemm.cuda.b", 512, 0.1),
                 gemm("gemm.cuda.c", 512, 0.2)};
  made.finish();
  CHECK(find_datum(roofline_chart(made.rows), 0));
  made.rows[2].selected = true;
  for (const ChartModel& model :
       {roofline_chart(made.rows), size_curve_chart(made.rows), speed_error_chart(made.rows)}) {
    CHECK_FALSE(shows_row(model, 0));
    CHECK(shows_row(model, 1));
    CHECK(says(model, "1 result of another processor"));
  }
  CHECK_FALSE(find_guide(roofline_chart(made.rows), "FMA fp32, 1 thread"));
}

TEST_CASE("the roofline is of the selected rung's processor, also where that rung has no point") {
  Case made;
  made.series = {gemm("gemm.cpu.a", 512, 0.1), gemm("gemm.cuda.b", 512, 0.1),
                 gemm("gemm.cuda.c", 512, 0.2)};
  made.series[2].flop = 0;
  made.finish();
  made.rows[2].selected = true;
  ChartModel model = roofline_chart(made.rows);
  CHECK_FALSE(shows_row(model, 0));
  CHECK(shows_row(model, 1));
  CHECK(find_guide(model, "FFMA fp32"));
  CHECK_FALSE(find_guide(model, "FMA fp32, 1 thread"));
  made.series[1].flop = 0;  // none of that processor has
  model = roofline_chart(made.rows);
  CHECK(model.plot->curves.empty());
  CHECK(model.plot->empty_reason.find("1 of another processor") != std::string::npos);
}

TEST_CASE("a roof in doubt is pale and dashed, has no ridge point and no share") {
  Case made;
  made.series = {gemm("gemm.cpu.a", 512, 0.1), gemm("gemm.cpu.b", 512, 1.3),
                 gemm("gemm.cpu.c", 512, 0.2)};
  made.finish();
  std::vector<Ceiling> ceilings = {kCeilings[0], kCeilings[1]};
  Run run = run_with(ceilings);
  for (LadderRow& row : made.rows) row.run = &run;
  ChartModel model = roofline_chart(made.rows);
  CHECK_FALSE(find_guide(model, "FMA fp32")->quiet);
  CHECK(find_guide(model, "ridge"));
  CHECK(model.table.rows[0].back() == "10.0 %");
  CHECK(model.table.rows[1].back() == "above it");  // no share of more than all
  CHECK(says(model, "one column: "));
  ceilings[0].doubt = "gemm.cpu.b computed at 130 GFLOP/s, above 100 GFLOP/s";
  run = run_with(ceilings);
  model = roofline_chart(made.rows);
  const Guide* roof = find_guide(model, "FMA fp32");
  REQUIRE(roof);
  CHECK(roof->quiet);
  CHECK(roof->dashed);
  CHECK(roof->label.find("in doubt") != std::string::npos);
  CHECK(roof->note.find("gemm.cpu.b computed") != std::string::npos);
  CHECK_FALSE(find_guide(model, "ridge"));
  made.series[2] = gemm("gemm.cpu.c", 1024, 0.2);  // another size, another column
  CHECK_FALSE(says(roofline_chart(made.rows), "one column: "));
}

TEST_CASE(
    "both roofs are named and meet within the axes, in doubt too, however small the plot is") {
  for (const bool in_doubt : {false, true}) {
    std::vector<Ceiling> ceilings = {kCeilings[0], kCeilings[1]};
    ceilings[1].value = 2e9;  // they meet far right of the rungs, at 50 FLOP/B
    if (in_doubt)
      for (Ceiling& one : ceilings) one.doubt = "other programs used the CPU meanwhile";
    Case made;
    made.series = {gemm("gemm.cpu.a", 64, 0.01), gemm("gemm.cpu.b", 64, 0.1)};
    for (Series& series : made.series) series.bytes_min *= 20;
    made.finish();
    const Run run = run_with(ceilings);
    for (LadderRow& row : made.rows) row.run = &run;
    const ChartModel model = roofline_chart(made.rows);
    INFO((in_doubt ? "in doubt" : "believed"));
    CHECK(model.plot->x.low < 50);
    CHECK(model.plot->x.high > 50);
    CHECK(*find_guide(model, "DRAM read")->to == Approx(50));
    for (const auto& [width, height] :
         {std::pair(480.f, 300.f), std::pair(700.f, 420.f), std::pair(1400.f, 900.f)}) {
      for (const float font_px : {13.f, 25.f}) {
        const Scene scene = layout(model, {.width = width, .height = height, .font_px = font_px});
        INFO(width << " x " << height << " at " << font_px);
        for (const char* roof : {"FMA fp32", "DRAM read"}) {
          CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                            [&](const Primitive& p) { return p.text.starts_with(roof); }));
        }
      }
    }
  }
}

TEST_CASE("where these rungs' roofs meet is within the axes, in doubt too, left of all else") {
  std::vector<Ceiling> ceilings = {kCeilings[0], kCeilings[1], kCeilings[0]};
  ceilings[1].value = 2e13;  // the fp32 roof meets it at 0.005 FLOP/B
  ceilings[2].name = "FMA bf16, 1 thread";
  ceilings[2].dtype = "bf16";
  ceilings[2].value = 4e12;  // a higher one, of no rung here
  for (Ceiling& one : ceilings) one.doubt = "other programs used the CPU meanwhile";
  Case made;
  made.series = {gemm("gemm.cpu.a", 64, 0.01), gemm("gemm.cpu.b", 64, 0.1)};
  made.finish();
  const Run run = run_with(ceilings);
  for (LadderRow& row : made.rows) row.run = &run;
  CHECK(roofline_chart(made.rows).plot->x.low < 0.005);
}

TEST_CASE("hot data that stay in a GPU's L2 are counted from its roof, as shares are") {
  Case made = many(3);
  Environment machine;
  machine.gpus.push_back({.name = "NVIDIA H200"});
  machine.gpus.front().l2_bytes = 50'000'000;
  for (size_t i = 0; i < made.rows.size(); ++i) {
    made.series[i].cache = CacheMode::hot;
    made.series[i].memory_bytes = 1.5e6;
  }
  const auto ridge = [&] { return find_guide(roofline_chart(made.rows), "ridge")->label; };
  CHECK(ridge().ends_with(" of DRAM read"));
  const Run run = run_with(kCeilings, machine);
  for (LadderRow& row : made.rows) row.run = &run;
  CHECK(ridge().ends_with(" of L2 read"));
  CHECK_FALSE(find_guide(roofline_chart(made.rows), "DRAM read")->label.ends_with("counts here"));
  CHECK(find_guide(roofline_chart(made.rows), "L2 read")->label.ends_with("counts here"));
}

TEST_CASE("a quiet roof is named across other lines where no roof of its kind is loud") {
  ChartModel model;
  model.plot.emplace();
  Plot& plot = *model.plot;
  plot.x = {.title = "x", .scale = Scale::log, .low = 1, .high = 1000};
  plot.y = {.title = "y", .scale = Scale::log, .low = 1, .high = 1000};
  plot.curves.push_back({.name = "a", .data = {{.x = 900, .y = 2}}});
  for (double y = 1.5; y < 1000;
       y *= 1.5)  // wherever its name may stand, one of these runs through it
    plot.guides.push_back({.kind = Guide::Kind::horizontal, .value = y});
  plot.guides.push_back({.kind = Guide::Kind::slope, .value = 1, .label = "memory", .quiet = true});
  const auto is_named = [&] {
    const Scene scene = layout(model, {.width = 1000, .height = 600});
    return std::any_of(scene.primitives.begin(), scene.primitives.end(),
                       [](const Primitive& p) { return p.text == "memory"; });
  };
  CHECK(is_named());
  plot.guides.push_back({.kind = Guide::Kind::slope, .value = 30, .label = "cache"});
  CHECK_FALSE(is_named());
}

TEST_CASE("plots are legible at every number of points, width and height") {
  for (const bool close : {false, true}) {
    for (const int count : {1, 4, 12, 35, 60}) {
      const Case made = many(count, close);
      for (const ChartModel& model : {roofline_chart(made.rows, "Roofline"),
                                      size_curve_chart(made.rows), speed_error_chart(made.rows)}) {
        for (const float width : {360.f, 700.f, 1040.f, 1900.f}) {
          INFO(model.id << ", " << count << " points, " << width << " px");
          LayoutOptions options;
          options.width = width;
          check_scene(layout(model, options));
          options.height = 420;
          options.font_px = 17;
          const Scene scene = layout(model, options);
          if (model.plot) CHECK(scene.height <= 421);  // else its rows scroll
          check_scene(scene);
        }
      }
    }
  }
}

TEST_CASE("every roof has its name in the room of a low window, in a column of points too") {
  for (const int count : {3, 14}) {
    Case made;
    for (int i = 0; i < count; ++i)
      made.series.push_back(gemm("gemm.cuda.rung_" + std::to_string(i), 512, 0.02 * (i + 1)));
    made.finish();
    made.rows.back().selected = true;
    const ChartModel model = roofline_chart(made.rows);
    for (const float height : {360.0f, 390.0f}) {
      const Scene scene = layout(model, {.width = 630, .height = height, .font_px = 15});
      check_scene(scene);
      int roofs = 0;
      for (const Guide& guide : model.plot->guides) {
        if (guide.kind == Guide::Kind::vertical) continue;
        const std::string name = guide.label.substr(0, guide.label.find(", "));
        INFO(count << " points, " << height << " px: " << guide.label);
        CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                          [&](const Primitive& p) { return p.text.starts_with(name); }));
        ++roofs;
      }
      CHECK(roofs > 1);
    }
  }
}

TEST_CASE("lines from a column of points to their names are not steep: no knot") {
  Case made;
  for (int i = 0; i < 8; ++i)
    made.series.push_back(gemm("gemm.cuda.rung_" + std::to_string(i), 512, 0.4 + 0.004 * i));
  made.finish();
  const Scene scene = layout(roofline_chart(made.rows), {.width = 1170, .height = 650});
  int leaders = 0;
  for (const Primitive& p : scene.primitives) {
    const bool is_leader =
        p.kind == Primitive::Kind::line && p.role == Role::muted && p.alpha == 0.6f;
    if (!is_leader) continue;
    ++leaders;
    CHECK(std::abs(p.b.y - p.a.y) < 1.3f * std::abs(p.b.x - p.a.x));
  }
  CHECK(leaders >= 5);
}

TEST_CASE("a selected rung that counts no FLOP is named above the roofline that lacks it") {
  Case made;
  made.series = {gemm("gemm.cpu.a", 512, 0.1), gemm("gemm.cpu.b", 512, 0.2)};
  made.series[1].flop = 0;
  made.finish();
  made.rows[1].selected = true;
  CHECK(says(roofline_chart(made.rows), "“" + made.rows[1].label + "” counts no FLOP"));
  made.rows[1].selected = false, made.rows[0].selected = true;
  CHECK_FALSE(says(roofline_chart(made.rows), "counts no FLOP"));
}

TEST_CASE("the selected point has its name, and no number, however many points lie about it") {
  // In one place, as rungs near a roof do in a low window.
  Case made;
  for (int i = 0; i < 9; ++i)
    made.series.push_back(
        gemm("gemm.cpu.a_rung_with_a_name_" + std::to_string(i), 512, 0.9 + 0.001 * i));
  made.finish();
  for (size_t selected : {size_t{0}, size_t{4}, size_t{8}}) {
    for (LadderRow& row : made.rows) row.selected = false;
    made.rows[selected].selected = true;
    const ChartModel model = roofline_chart(made.rows);
    for (const float height : {300.0f, 360.0f, 430.0f}) {
      const Scene scene = layout(model, {.width = 620, .height = height, .font_px = 14});
      check_scene(scene);
      const bool is_named = std::any_of(
          scene.primitives.begin(), scene.primitives.end(),
          [&](const Primitive& p) { return p.text.starts_with(made.rows[selected].label); });
      INFO("rung " << selected << " at a height of " << height);
      CHECK(is_named);
    }
  }
}

TEST_CASE("points are named where there is room: few all of them, of many the selection first") {
  auto named = [](const ChartModel& model, const std::string& text) {
    const Scene scene = layout(model, {.width = 1200});
    return std::any_of(scene.primitives.begin(), scene.primitives.end(),
                       [&](const Primitive& p) { return p.text == text; });
  };
  const Case few = many(8);
  for (const LadderRow& row : few.rows) {
    INFO(row.label);
    CHECK(named(roofline_chart(few.rows), row.label + (row.is_baseline ? " (baseline)" : "")));
  }
  const Case lots = many(60);
  const ChartModel model = roofline_chart(lots.rows);
  CHECK(named(model, lots.rows[0].label));  // the selection
  int names = 0;
  for (const LadderRow& row : lots.rows) names += named(model, row.label);
  CHECK(names > 12);
  CHECK(says(model, "hovering names every point"));
  check_scene(layout(model, {.width = 1200}));  // no name lies over another
  // No line to a name is long enough to read as data.
  for (const ChartModel& crowd : {model, speed_error_chart(lots.rows)}) {
    const Scene scene = layout(crowd, {.width = 1200});
    for (const Primitive& p : scene.primitives) {
      const bool is_leader =
          p.kind == Primitive::Kind::line && p.role == Role::muted && p.alpha == 0.6f;
      if (is_leader) CHECK(std::abs(p.b.y - p.a.y) < 80);
    }
  }
}

TEST_CASE("every point can be hovered, says a sentence and selects its row") {
  const Case made = many(12);
  for (const ChartModel& model :
       {roofline_chart(made.rows), size_curve_chart(made.rows), speed_error_chart(made.rows)}) {
    const Scene scene = layout(model, {.width = 1000});
    for (int row = 0; row < 12; ++row) {
      const auto hit = std::find_if(scene.hits.begin(), scene.hits.end(),
                                    [&](const Hit& h) { return h.row == row && h.panel == 0; });
      INFO(model.id << " row " << row);
      REQUIRE(hit != scene.hits.end());
      CHECK(hit->note.ends_with("."));
      CHECK(hit->note.find("FLOP/s") != std::string::npos);
      CHECK_FALSE(hit->value_text.empty());
      CHECK(hit->b.x > hit->a.x);
    }
    CHECK(model.summary.size() > 100);
  }
}

TEST_CASE("the name of a slope runs along it, in both renderers' terms") {
  const Case made = many(3);
  const ChartModel model = roofline_chart(made.rows);
  const Scene scene = layout(model, {.width = 1000});
  const Primitive* label = nullptr;
  for (const Primitive& p : scene.primitives) {
    if (p.text.starts_with("DRAM read")) label = &p;
  }
  REQUIRE(label);
  bool along = false;
  for (const Primitive& p : scene.primitives) {
    if (p.kind != Primitive::Kind::line || p.role != Role::text) continue;
    const float angle = std::atan2(p.b.y - p.a.y, p.b.x - p.a.x);
    along = along || (angle < -0.1f && std::abs(angle - label->angle) < 1e-3f);
  }
  CHECK(along);
  CHECK(to_svg(model, scene).find("transform=\"rotate(-") != std::string::npos);
}

TEST_CASE("at one size each rung has a row with its whole name and its figure") {
  Case made;
  made.series.push_back(gemm("gemm.cuda.failed", 4096, 0.5));
  made.series.back().status = SeriesStatus::failed;
  for (int i = 0; i < 17; ++i)
    made.series.push_back(gemm("gemm.cuda.rung_" + std::to_string(i), 4096, 0.02 * (i + 1)));
  for (Series& series : made.series) series.memory_bytes = 3 * series.bytes_min;
  made.finish();
  made.rows.back().selected = true;
  for (const SizeCurveOptions& options : {SizeCurveOptions{}, SizeCurveOptions{.bandwidth = true},
                                          SizeCurveOptions{.memory = true}}) {
    const ChartModel model = size_curve_chart(made.rows, options);
    CHECK_FALSE(model.plot);
    const size_t count = model.rows.size();
    CHECK(count >= 17);  // a rung that failed its check holds memory all the same
    for (const float width : {620.0f, 900.0f, 1600.0f}) {
      const Scene scene = layout(model, {.width = width, .height = 620});
      check_scene(scene);
      size_t names = 0, figures = 0, ceilings = 0;
      for (const Primitive& p : scene.primitives) {
        names += p.text.starts_with("rung_");
        for (const Mark& mark : model.panels[0].marks) figures += p.text == mark.label;
        for (const Rule& rule : model.panels[0].rules) ceilings += p.text == rule.label;
      }
      CHECK(names == 17);
      CHECK(figures >= count);
      CHECK(ceilings == model.panels[0].rules.size());  // none is cut
      // A click selects the builder's row, and not the place among those that have a figure.
      std::set<int> clicked;
      for (const Hit& hit : scene.hits) {
        if (hit.row >= 0) clicked.insert(hit.row);
      }
      CHECK(clicked.size() == count);
      CHECK(clicked.contains(17));
    }
    const bool says_how =
        std::any_of(model.legend.begin(), model.legend.end(), [](const std::string& words) {
          return words.find("n = 4\u202f096 alone: Sweep") != std::string::npos;
        });
    CHECK(says_how);
    CHECK_FALSE(says(model, "ring"));  // a selected row has a ground and no ring
  }
  made.series.push_back(gemm("gemm.cuda.rung_1", 2048, 0.1));
  made.finish();
  CHECK(size_curve_chart(made.rows).plot->empty_reason.empty());
}

TEST_CASE("sizes almost alike are joined by no stroke, and the axis names the one in view") {
  Case made;
  for (const int64_t n : {96, 508, 512, 1024})
    made.series.push_back(gemm("gemm.cuda.a", n, n == 508 ? 0.6 : 0.1));
  made.finish();
  for (LadderRow& row : made.rows) row.at_size = param_int(row.series->params, "n") == 512;
  const ChartModel sizes = size_curve_chart(made.rows);
  CHECK(sizes.plot->x.ticks == std::vector<double>{96, 512, 1024});
  CHECK(sizes.table.rows.size() == 1);
  CHECK(sizes.table.columns.size() == 5);
  CHECK(std::count(sizes.table.rows[0].begin(), sizes.table.rows[0].end(), kNone) == 0);
  for (const ChartModel& model : {sizes, roofline_chart(made.rows)}) {
    INFO(model.id);
    size_t alone = 0, joined = 0, named = 0;
    for (const Curve& curve : model.plot->curves) {
      for (const Datum& datum : curve.data) {
        if (datum.note.find("508") != std::string::npos) alone += curve.data.size() == 1;
        if (curve.line && curve.data.size() == 3) ++joined;
        named += !datum.label.empty();
      }
    }
    CHECK(alone == 1);
    CHECK(joined == 3);
    CHECK(named == (model.id == "roofline" ? 2 : 0));  // the rung, and the size that stands alone
  }
}

TEST_CASE("ceilings that differ behind the comma keep that in their short names") {
  Case made;
  std::vector<Ceiling> ceilings;
  for (const int threads : {1, 2})
    ceilings.push_back({fmt::format("FMA fp32, {} thread{}", threads, threads == 1 ? "" : "s"),
                        Backend::cpu, "flop", "fp32", threads, threads * 1e11, "FLOP/s",
                        "measured"});
  const Run run = test::run_with(ceilings);
  for (const int threads : {1, 2}) {
    for (const int64_t n : {512, 1024}) {
      made.series.push_back(gemm("gemm.cpu.a", n, 1e-4));
      made.series.back().params["threads"] = int64_t{threads};
    }
  }
  made.finish();
  for (LadderRow& row : made.rows) row.run = &run;
  const ChartModel model = size_curve_chart(made.rows);
  REQUIRE(model.plot->guides.size() == 2);
  for (const Guide& guide : model.plot->guides) {
    INFO(guide.label);
    CHECK(guide.label.substr(0, guide.label.find(", ")).find("thread") != std::string::npos);
  }
}

TEST_CASE("of several sizes each line is named where it ends") {
  Case made;
  for (const int64_t n : {512, 1024, 2048, 4096}) {
    made.series.push_back(gemm("gemm.cuda.to_the_end", n, 0.5));
    if (n < 2048) made.series.push_back(gemm("gemm.cuda.stops_early", n, 0.1));
  }
  made.finish();
  const Scene scene = layout(size_curve_chart(made.rows), {.width = 900, .height = 520});
  check_scene(scene);
  float early = 0, late = 0;
  for (const Primitive& p : scene.primitives) {
    if (p.text == "stops_early") early = p.a.x;
    if (p.text == "to_the_end") late = p.a.x;
    if (p.kind == Primitive::Kind::line && p.a.y != p.b.y && p.a.x != p.b.x)
      CHECK((p.role != Role::muted || std::abs(p.b.x - p.a.x) < 60));
  }
  CHECK(early > 0);
  CHECK(early < late - 100);
}

TEST_CASE("where rungs do unlike work the size curve is the time of an item, without roofs") {
  Case made;
  for (const int64_t n : {512, 1024}) {
    made.series.push_back(gemm("gemm.cpu.steps", n, 0.5));
    made.series.back().items_per_s = double(n) * 1e4;  // 195 ns, then 97.7 ns
  }
  made.series.push_back(gemm("gemm.cpu.counts_none", 512, 0.5));
  made.finish();
  const FigureOptions options{.items = "operations", .per_item = true};
  const ChartModel model = find_figure("sizes")->build(made.rows, options);
  CHECK(model.plot->y.title == "Time per operation");
  REQUIRE(find_datum(model, 1));
  CHECK(find_datum(model, 0)->y == Approx(1 / 512e4));
  CHECK(find_datum(model, 1)->value_text == "97.7 ns");
  CHECK(find_datum(model, 2) == nullptr);
  CHECK(model.plot->guides.empty());
  check_scene(layout(model, {.width = 900, .height = 520}));
  CHECK(find_figure("sizes")->build(made.rows, {}).plot->y.title == "Rate");
}

TEST_CASE("one line a rung over its sizes; odd shapes do not bend it") {
  Case made;
  for (const int64_t n : {4096, 512, 1024}) {  // not in order of size
    made.series.push_back(gemm("gemm.cuda.a", n, 0.1));
    made.series.push_back(gemm("gemm.cuda.b", n, 0.2));
  }
  made.series.push_back(gemm("gemm.cuda.a", 777, 0.9));
  made.series.back().params["m"] = int64_t{1000};
  made.finish();
  const ChartModel model = size_curve_chart(made.rows);
  REQUIRE(model.plot->curves.size() == 2);
  for (const Curve& curve : model.plot->curves) {
    REQUIRE(curve.data.size() == 3);
    CHECK(curve.data[0].x == 512);
    CHECK(curve.data[2].x == 4096);
    CHECK(curve.line);
  }
  CHECK(model.plot->x.ticks == std::vector<double>{512, 1024, 4096});
  CHECK(says(model, "1 result at odd shapes left out"));
  CHECK(model.table.rows.size() == 2);
  CHECK(model.table.columns.size() == 4);
  const ChartModel bytes = size_curve_chart(made.rows, {.bandwidth = true});
  const Series& first = made.series[2];  // a at 512
  CHECK(bytes.plot->y.unit == "B/s");
  CHECK(bytes.plot->curves[0].data[0].y ==
        Approx(first.bytes_min / (first.stats->median_ns * 1e-9)));
  // Memory in place of a rate: what was reported, and no ceilings.
  for (Series& series : made.series) series.memory_bytes = 3 * series.bytes_min;
  const ChartModel memory = size_curve_chart(made.rows, {.memory = true});
  CHECK(memory.plot->y.unit == "B");
  CHECK(memory.plot->guides.empty());
  CHECK(memory.plot->curves[0].data[0].y == Approx(3 * first.bytes_min));
  CHECK_FALSE(memory.plot->curves[0].data[0].interval.has_value());
  // a holds 100 n^2 + 8 n bytes, b 1000 n; of 8 GiB a has no room from 16384 on, b always has.
  for (Series& series : made.series) {
    const auto n = double(std::get<int64_t>(series.params.at("n")));
    series.memory_bytes = series.kernel == "gemm.cuda.a" ? 100 * n * n + 8 * n : 1000 * n;
  }
  const ChartModel ends = size_curve_chart(made.rows, {.memory = true, .gpu_bytes = 0x1p33});
  REQUIRE(ends.plot->guides.size() == 1);
  CHECK(ends.plot->guides[0].value == 0x1p33);
  REQUIRE(ends.plot->curves.size() == 4);
  const Curve& more = ends.plot->curves[2];
  CHECK(more.dashed);
  CHECK(more.data.back().x == 32768);
  CHECK(more.data.back().y == Approx(100 * 0x1p30 + 8 * 32768.0));
  CHECK(ends.plot->curves[3].data.back().y == Approx(1000 * 32768.0));
  CHECK(says(ends, "no room from " + format_count(16384) + " on"));
  CHECK(ends.summary.find("at n = " + format_count(16384)) != std::string::npos);
  CHECK(size_curve_chart(made.rows, {.memory = true, .gpu_bytes = 1e18}).plot->guides.empty());
  // What was refused is hollow, with what it would have taken.
  const Series odd = made.series.back();
  made.series.back() = gemm("gemm.cuda.a", 8192, 0.5);
  Series& refused = made.series.back();
  refused.stats.reset(), refused.samples.clear();
  refused.status = SeriesStatus::failed, refused.reason = "takes more than there is";
  refused.memory_bytes = 1e10;
  const ChartModel with = size_curve_chart(made.rows, {.memory = true});
  const Datum& last = with.plot->curves[0].data.back();
  CHECK(last.x == 8192);
  CHECK(last.hollow);
  CHECK(last.note.find("did not fit: takes more than there is") != std::string::npos);
  made.series.back() = odd;
  // The roofline joins the sizes as well, and leaves the odd shape as a point of its own.
  int lines = 0, alone = 0;
  const ChartModel roofline = roofline_chart(made.rows);  // a temporary would be gone in the loop
  for (const Curve& curve : roofline.plot->curves) {
    lines += curve.line;
    alone += !curve.line && !curve.data.empty() && curve.data[0].row >= 0;
  }
  CHECK(lines == 2);
  CHECK(alone == 1);
}

TEST_CASE("a parameter parts a rung's lines and is named: two layouts are no effect of size") {
  Case made;
  for (const char* layout : {"nchw", "nchw16c"}) {
    made.series.push_back(gemm("gemm.cpu.a", 512, layout[4] ? 0.1 : 0.2));
    made.series.back().params["layout"] = std::string(layout);
    made.series.back().params["relu"] = std::string("no");
  }
  made.finish();
  const ChartModel model = size_curve_chart(made.rows);
  REQUIRE(model.rows.size() == 2);
  std::set<std::string> ends;
  for (const Row& row : model.rows) ends.insert(row.label.substr(row.label.rfind(" · ")));
  CHECK(ends == std::set<std::string>{" · layout nchw", " · layout nchw16c"});
  // A number is named as a word is; one that follows the size is none.
  for (size_t i = 0; i < 2; ++i) {
    made.series[i].params["layout"] = std::string("nchw");
    made.series[i].params["d"] = int64_t{i == 0 ? 64 : 128};
  }
  made.rows.clear();
  made.finish();
  const ChartModel numbers = size_curve_chart(made.rows);
  REQUIRE(numbers.rows.size() == 2);
  for (const Row& row : numbers.rows) CHECK(row.label.find(" · d ") != std::string::npos);
}

TEST_CASE("a ceiling's line is not drawn through the rows of another processor") {
  Case made;
  made.series = {gemm("gemm.cuda.a", 4096, 0.1), gemm("gemm.cuda.b", 4096, 0.2)};
  made.finish();
  for (LadderRow& row : made.rows) row.origin = "NVIDIA H200";
  const auto not_run = [](Backend processor) {
    return LadderRow{.label = "not run", .processor = processor};
  };
  made.rows.insert(made.rows.begin(), not_run(Backend::cpu));
  made.rows.push_back(not_run(Backend::cuda));
  size_t rules = 0;
  for (const Panel& panel : ladder_chart(made.rows).panels) {
    for (const Rule& rule : panel.rules) {
      if (!rule.label.starts_with("DRAM") && !rule.label.starts_with("FFMA")) continue;
      INFO(rule.label);
      CHECK(rule.not_rows == std::vector<int>{0});
      ++rules;
    }
  }
  CHECK(rules == 2);
}

TEST_CASE("a roofline's point at another size than the chosen one is hollow, and is named so") {
  Case made;
  made.series = {gemm("gemm.cpu.a", 1024, 0.1), gemm("gemm.cpu.b", 1024, 0.2),
                 gemm("gemm.cpu.c", 1024, 0.3), gemm("gemm.cpu.blocks", 512, 0.15)};
  made.finish();
  made.rows[3].selected = true;
  made.rows[3].at_size = false;
  ChartModel model = roofline_chart(made.rows);
  for (const int row : {0, 1, 2}) CHECK_FALSE(find_datum(model, row)->hollow);
  CHECK(find_datum(model, 3)->hollow);
  CHECK(find_datum(model, 3)->label == "blocks, n = 512");
  CHECK(says(model, "hollow: “blocks” at another size than the chosen one (n = 512)"));
  CHECK(says(model, "one column: "));  // of the others
  made.rows[3].at_size = true;
  model = roofline_chart(made.rows);
  CHECK_FALSE(find_datum(model, 3)->hollow);
  CHECK_FALSE(says(model, "at another size"));
}

TEST_CASE("a rung keeps its colour and mark, and the ring is on the size in view") {
  Case made;
  for (const int64_t n : {512, 1024, 2048}) made.series.push_back(gemm("gemm.cuda.a", n, 0.1));
  for (const int64_t n : {1024, 2048}) made.series.push_back(gemm("gemm.cuda.b", n, 0.2));
  made.finish();
  for (size_t i = 0; i < made.rows.size(); ++i) {
    const bool is_a = i < 3;
    made.rows[i].place = is_a ? 3 : 8;
    made.rows[i].selected = is_a;
    made.rows[i].at_size = made.series[i].params.at("n") == ParamValue(int64_t{512});
  }
  const auto curve_of = [](const ChartModel& model, int row) {
    for (const Curve& curve : model.plot->curves) {
      for (const Datum& datum : curve.data) {
        if (datum.row == row) return std::pair(curve.role, curve.marker);
      }
    }
    return std::pair(Role::text, Marker::none);
  };
  const ChartModel all = size_curve_chart(made.rows);
  const std::vector<LadderRow> only_b(made.rows.begin() + 3, made.rows.end());
  CHECK(curve_of(all, 3) == curve_of(size_curve_chart(only_b), 0));
  CHECK(curve_of(all, 0) != curve_of(all, 3));
  const ChartModel roofline = roofline_chart(made.rows), error = speed_error_chart(made.rows);
  for (const int row : {0, 3}) {
    CHECK(curve_of(roofline, row) == curve_of(all, row));
    CHECK(curve_of(error, row) == curve_of(all, row));
  }
  for (const ChartModel& model : {all, roofline_chart(made.rows)}) {
    CHECK(find_datum(model, 0)->strong);  // n = 512
    CHECK_FALSE(find_datum(model, 2)->strong);
    CHECK_FALSE(find_datum(model, 4)->strong);
  }
  CHECK_FALSE(find_datum(roofline_chart(made.rows), 0)->label.empty());
  CHECK(find_datum(roofline_chart(made.rows), 2)->label.empty());
}

TEST_CASE("two recordings of one machine are one processor, with the roofs of both") {
  Case made;
  made.series = {gemm("gemm.cuda.a", 512, 0.1), gemm("gemm.cuda.tf32x3", 512, 0.2)};
  made.finish();
  const Run other =
      run_with({{"tensor tf32", Backend::cuda, "flop", "tf32", 0, 4.8e14, "FLOP/s", "measured"}});
  for (LadderRow& row : made.rows) row.origin = "NVIDIA H200";
  made.rows[1].run = &other;
  const ChartModel model = roofline_chart(made.rows);
  CHECK(find_datum(model, 0));
  CHECK(find_datum(model, 1));
  CHECK(find_guide(model, "FFMA fp32"));
  CHECK(find_guide(model, "tensor tf32"));
  CHECK(model.subtitle == "recorded on NVIDIA H200");
  made.rows[1].origin = "NVIDIA H100";
  CHECK_FALSE(find_datum(roofline_chart(made.rows), 1));
}

TEST_CASE(
    "of many lines over sizes at most eight are named; two recordings of a machine are one line") {
  Case made;
  for (int i = 0; i < 20; ++i) {
    for (const int64_t n : {1024, 4096}) {
      const std::string kernel = "gemm.cuda." + std::string(i < 12 ? "rung_" : "peer_");
      made.series.push_back(
          gemm(kernel + std::to_string(i), n, 0.01 * (i + 1), i % 2 == 0 ? "bf16" : "fp32"));
    }
  }
  made.finish();
  const Run again = run_with(kCeilings);
  for (size_t i = 0; i < made.rows.size(); ++i) {
    made.rows[i].origin = "NVIDIA H200";
    if (i % 2 == 1) made.rows[i].run = &again;
    made.rows[i].selected = i / 2 == 3;
    made.rows[i].is_baseline = i / 2 == 0;
    made.rows[i].is_peer = i / 2 >= 12;
  }
  const ChartModel model = size_curve_chart(made.rows);
  std::vector<std::string> names;
  CHECK(model.plot->curves.size() == 20);
  for (const Curve& curve : model.plot->curves) {
    CHECK(curve.data.size() == 2);
    CHECK_FALSE(curve.dashed);  // a ceiling's
    CHECK(curve.quiet == curve.name.empty());
    CHECK((!curve.quiet || curve.role == Role::muted));
    if (!curve.name.empty()) names.push_back(curve.name);
  }
  CHECK(names.size() == 8);
  for (const char* name : {"rung_0 (baseline)", "rung_3", "rung_10", "peer_18 · bf16"})
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  for (const Guide& guide : model.plot->guides) CHECK(guide.dashed);
  CHECK(model.table.rows.size() == 20);
  CHECK_FALSE(model.table.rows[5][0].empty());
  check_scene(layout(model, {.width = 900, .height = 520}));
}

TEST_CASE("speed against error has the gates as lines and exact rungs at its left edge") {
  Case made = many(4);
  made.series[3].checks = {test::check(true)};
  made.series[3].checks[0].nmse = 0;
  made.series[3].checks[0].nmse_limit = 0;
  const ChartModel model = speed_error_chart(made.rows);
  const Guide *fp32 = find_guide(model, "gate fp32"), *bf16 = find_guide(model, "gate bf16");
  REQUIRE(fp32);
  REQUIRE(bf16);
  CHECK(fp32->value == 2e-12);
  CHECK(bf16->value == 8e-6);
  for (const int row : {0, 1, 2}) {
    const Datum* datum = find_datum(model, row);
    REQUIRE(datum);
    CHECK(datum->x == made.series[static_cast<size_t>(row)].checks[0].nmse);
    CHECK(datum->x < (row == 2 ? bf16 : fp32)->value);
  }
  CHECK(find_datum(model, 3)->x < 1e-14);
  CHECK(find_datum(model, 3)->label.find("exact") != std::string::npos);
  CHECK(model.table.rows[3][4] == "0");
  check_scene(layout(model, {}));
}

TEST_CASE("no line leads from a curve's end far up a column of names") {
  ChartModel model{.id = "training"};
  model.plot = Plot{.name_ends = true};
  model.plot->x = {.title = "Time", .low = 0, .high = 101};
  model.plot->y = {.title = "Accuracy", .low = 0, .high = 1};
  // Twenty that end in the middle and above; of those at the right edge the first lies below all of their names.
  for (int i = 0; i < 20; ++i)
    model.plot->curves.push_back({.name = "early " + std::to_string(i),
                                  .line = true,
                                  .data = {{.x = 1, .y = 0.1}, {.x = 50, .y = 0.9 + 0.001 * i}}});
  model.plot->curves.push_back(
      {.name = "late", .line = true, .data = {{.x = 1, .y = 0.1}, {.x = 100, .y = 0.91}}});
  const Scene scene = layout(model, {.width = 900, .height = 600});
  for (const Primitive& p : scene.primitives) {
    const bool is_leader =
        p.kind == Primitive::Kind::line && p.role == Role::muted && p.alpha == 0.4f;
    if (is_leader) CHECK(std::abs(p.b.y - p.a.y) < 80);
  }
  CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                    [](const Primitive& p) { return p.text == "late"; }));
}

TEST_CASE("a curve of very many points is thinned to the pixels it has") {
  ChartModel model{.id = "training"};
  model.plot = Plot{};
  model.plot->x = {.title = "Step", .low = 0, .high = 1e5};
  model.plot->y = {.title = "Loss", .low = -1, .high = 1};
  Curve curve{.name = "loss", .marker = Marker::none, .line = true};
  for (int i = 0; i < 100000; ++i) curve.data.push_back({.x = i * 1.0, .y = std::sin(i * 0.01)});
  model.plot->curves = {curve};
  const Scene scene = layout(model, {.width = 800});
  CHECK(scene.primitives.size() > 500);
  CHECK(scene.primitives.size() < 2 * 800 + 100);
}

TEST_CASE("the plots' SVGs are the golden ones") {
  Case made = many(7);
  LayoutOptions options;
  options.width = 900;
  test::check_golden("roofline.svg", to_svg(roofline_chart(made.rows, "Roofline"), options));
  test::check_golden("error.svg", to_svg(speed_error_chart(made.rows, "Error"), options));
  Case sizes;
  for (const int64_t n : {512, 1024, 2048, 4096, 8192}) {
    const double fill = 1 - 200.0 / static_cast<double>(n);
    sizes.series.push_back(gemm("gemm.cuda.naive", n, 0.01 * fill));
    sizes.series.push_back(gemm("gemm.cuda.shared_tile", n, 0.13 * fill));
    sizes.series.push_back(gemm("gemm.cuda.cublas", n, 0.8 * fill));
  }
  sizes.finish();
  for (LadderRow& row : sizes.rows) row.is_peer = row.label == "cublas";
  test::check_golden("sizes.svg",
                     to_svg(size_curve_chart(sizes.rows, {.title = "Sizes"}), options));
}
