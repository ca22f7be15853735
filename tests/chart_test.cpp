// Text, layout, builders and SVG.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "common/view/chart/distribution.h"
#include "common/view/chart/forest.h"
#include "common/view/chart/ladder.h"
#include "common/view/chart/ladder_parts.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/speed_error.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/text.h"
#include "common/view/chart/theme.h"
#include "tests/chart_scene.h"
#include "tests/golden.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::chart;
using test::check_scene;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<Ceiling> kCeilings = {
    {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1.3e11, "FLOP/s", "measured"},
    {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 4.2e10, "B/s", "measured"}};

const Run& plain_run() {
  static const Run run = test::run_with(kCeilings);
  return run;
}

/// Rungs with times over seven decades, one baseline, one peer, and every state that has no number.
struct LadderCase {
  std::vector<Series> series;
  std::vector<LadderRow> rows;

  explicit LadderCase(int count, bool long_labels = false) {
    series.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      Series one = test::measured(1, i, "gemm.cpu.rung", 3e9 / std::pow(3.0, i));
      // At 1/20 of the ceiling or more the label has to fit beside or inside the bar.
      one.flop = (i % 7 + 1) * 0.14 * 1.3e11 * one.stats->median_ns * 1e-9;
      one.bytes_min = (i % 5 + 1) * 0.19 * 4.2e10 * one.stats->median_ns * 1e-9;
      for (QualityCheck& check : one.checks) check.nmse = 1e-15 * std::pow(3.0, i % 7);
      if (i % 9 == 4) one.status = SeriesStatus::failed, one.checks = {test::check(false)};
      if (i % 9 == 6) {
        one.status = SeriesStatus::skipped;
        one.checks.clear();
        one.stats.reset();
        one.reason = "needs avx512f, which this machine does not have, nor has it any other unit";
      }
      series.push_back(one);
    }
    for (int i = 0; i < count; ++i) {
      const std::string name = long_labels ? "a rung whose title goes on and on and on " : "rung ";
      LadderRow row{.label = name + std::to_string(i),
                    .series = &series[static_cast<size_t>(i)],
                    .run = &plain_run()};
      row.is_baseline = i == 1;
      row.is_peer = i == 2;
      row.selected = i == 3;
      if (i % 5 == 3) {
        row.origin = "NVIDIA H200";
        series[static_cast<size_t>(i)].stale = true;
        series[static_cast<size_t>(i)].note = "stale: the kernel has changed since";
      }
      if (i % 8 == 7) row.series = nullptr;
      if (count >= 30) row.section = i < count / 3 ? "CPU" : i < count / 2 ? "GPU" : "GPU, Tensor";
      rows.push_back(row);
    }
  }
};

}  // namespace

TEST_CASE(
    "a panel has the memory of the one machine that its marks are of, and of none where they are "
    "of two") {
  const Run gpu =
      test::run_with({{"DRAM read", Backend::cuda, "dram_read", "", 0, 4.6e12, "B/s", "measured"}});
  std::vector<Series> series = {test::measured(1, 0, "gemm.cpu.rung", 1e6),
                                test::measured(1, 1, "gemm.cuda.rung", 1e3)};
  series[0].bytes_min = 1e4, series[1].bytes_min = 1e6;
  std::vector<LadderRow> rows = {{.label = "CPU", .series = &series[0], .run = &plain_run()},
                                 {.label = "GPU", .series = &series[1], .run = &gpu}};
  const auto lines = [](std::span<const LadderRow> some) {
    std::string text;
    for (const Panel& panel : ladder_chart(some).panels) {
      if (panel.metric != "memory_bandwidth") continue;
      for (const auto& rule : panel.rules) text += rule.label + "\n";
    }
    return text;
  };
  const std::span<const LadderRow> all = rows;
  CHECK(lines(all.first(1)) == "DRAM read, 1 thread: 42.0 GB/s, measured\n");
  CHECK(lines(all.last(1)) == "DRAM read: 4.60 TB/s, measured\n");
  CHECK(lines(all).empty());
  rows[1].selected = true;
  CHECK(lines(all).empty());
}

TEST_CASE("text is elided and wrapped within its width") {
  const TextWidth builtin;
  const TextFit fit{builtin, 14};
  CHECK(fit.elide("short", 200) == "short");
  for (float width = 0; width < 200; width += 7) {
    const std::string text = fit.elide("größer als jedes Feld, µs und ≤", width);
    CHECK(fit(text) <= width);
    CHECK(split_code_points(text).size() <= 31);
  }
  CHECK(fit.elide("a long label", 50).ends_with("…"));
  const auto lines = fit.wrap("one two three four five six seven", 80, 2);
  CHECK(lines.size() == 2);
  CHECK(lines.back().ends_with("…"));
  for (const std::string& line : lines) CHECK(fit(line) <= 80);
}

TEST_CASE("of what is too long whole parts go, from the last") {
  const TextWidth builtin;
  const TextFit fit{builtin, 14};
  const std::string text = "busy · few samples; slower: limited by launches";
  const std::vector<std::string> starts = {"busy", "busy · few samples",
                                           "busy · few samples; slower", text};
  for (float width = 40; width < 400; width += 7) {
    const std::string shown = fit.wrap_parts(text, width, 1).front();
    INFO(width << ": " << shown);
    CHECK(std::find(starts.begin(), starts.end(), shown) != starts.end());
    CHECK(fit(shown) <= width);
  }
  CHECK(fit.wrap_parts("a · tile: rows = 8", 60, 1).front() == "a");
  CHECK(fit.wrap_parts("busy", 20, 1).front().ends_with("…"));
  CHECK(fit.fits(text, 160, 3));
  CHECK(fit.wrap_parts(text, 160, 3) == fit.wrap(text, 160, 3));
}

TEST_CASE("the ladder is legible at every width and number of rows") {
  for (const bool long_labels : {false, true}) {
    for (const int rows : {1, 2, 3, 5, 8, 13, 20, 35}) {
      const LadderCase made(rows, long_labels);
      const ChartModel model = ladder_chart(made.rows, {.title = "GEMM", .subtitle = "n = 512"});
      REQUIRE(model.panels.size() == 4);
      for (float width = 700; width <= 2400; width += 170) {
        INFO(rows << " rows, " << width << " px");
        LayoutOptions options;
        options.width = width;
        check_scene(layout(model, options));
        options.height = 900;
        options.font_px = 17;
        check_scene(layout(model, options));
      }
    }
  }
}

TEST_CASE("on a log axis of times each tick has its unit, and the heading has none") {
  const LadderCase made(8);
  const Scene scene = layout(ladder_chart(made.rows), {.width = 1400});
  int ticks = 0;
  for (const Primitive& p : scene.primitives) {
    CHECK_FALSE(p.text.starts_with("ms, log"));
    CHECK_FALSE(p.text.starts_with("µs, log"));
    const bool is_tick = p.role == Role::muted && p.mono && p.a.y > scene.body_bottom;
    ticks += is_tick && (p.text.ends_with(" ms") || p.text.ends_with(" s"));
  }
  CHECK(ticks >= 2);
}

TEST_CASE("a whisker on a bar has the page's colour about it, hatched or not") {
  for (const bool hatched : {false, true}) {
    ChartModel model{.id = "bars"};
    Panel panel{.title = "Speed"};
    panel.axis.high = 100;
    panel.marks = {{.row = 0, .value = 80, .interval = Interval{60, 95}, .hatched = hatched}};
    model.rows = {{.label = "rung"}};
    model.panels = {panel};
    const Scene scene = layout(model, {.width = 900});
    int grounds = 0, lines = 0;
    for (const Primitive& p : scene.primitives) {
      if (p.kind != Primitive::Kind::line) continue;
      grounds += p.role == Role::canvas;
      lines += p.role == Role::text;
      CHECK((p.role != Role::canvas || lines == 0));  // below what it is the ground of
    }
    CHECK(grounds == 2);  // the line and its lower cap; the upper one is beyond the bar
    CHECK(lines >= 3);
  }
}

TEST_CASE("no figure stands on a ceiling's line that has room beside it") {
  ChartModel model{.id = "bars"};
  Panel panel{.title = "Speed"};
  panel.axis.high = 150;
  panel.rules = {{100, "ceiling"}};
  for (int i = 0; i < 6; ++i) {
    panel.marks.push_back({.row = i, .value = 70.0 + 5 * i, .hatched = true});
    model.rows.push_back({.label = "rung " + std::to_string(i)});
  }
  model.panels = {panel};
  const Scene scene = layout(model, {.width = 900});
  int dashed = 0;
  for (const Primitive& p : scene.primitives)
    dashed += p.kind == Primitive::Kind::line && p.dashed && p.a.x == p.b.x;
  CHECK(dashed == 1);  // from the first row to the last
}

TEST_CASE("where a ceiling's line leaves no room behind it, a bar's figure stands in the bar") {
  ChartModel model{.id = "bars"};
  Panel panel{.title = "Speed"};
  panel.axis.high = 102;
  panel.rules = {{100, "ceiling"}};
  for (int i = 0; i < 6; ++i) {
    panel.marks.push_back({.row = i, .value = 94.0 + i});
    model.rows.push_back({.label = "rung " + std::to_string(i)});
  }
  model.panels = {panel};
  for (float width = 420; width <= 1000; width += 20) {
    const Scene scene = layout(model, {.width = width});
    int dashed = 0;
    for (const Primitive& p : scene.primitives)
      dashed += p.kind == Primitive::Kind::line && p.dashed && p.a.x == p.b.x;
    INFO(width);
    CHECK(dashed == 1);  // from the first row to the last
  }
}

TEST_CASE("words under the names take no width from a chart whose columns lack room") {
  ChartModel model{.id = "bars"};
  Panel bars{.title = "Speed"};
  bars.axis.high = 100;
  model.panels = {bars};
  for (const char* title : {"Step", "Time", "Of ceiling", "Error"})
    model.panels.push_back({.title = title, .is_column = true});
  for (int i = 0; i < 6; ++i) {
    model.rows.push_back({.label = "rung " + std::to_string(i)});
    model.panels[0].marks.push_back({.row = i, .value = 10.0 * i + 5});
    for (size_t k = 1; k < 5; ++k) model.panels[k].row_reasons.push_back("about 123.4");
  }
  const auto shown = [&](float width) { return layout(model, {.width = width}).x_axes.size(); };
  const auto words = [&](const std::string& text) {
    for (Row& row : model.rows) row.sublabel = text;
  };
  for (float width = 560; width <= 1000; width += 20) {
    words("");
    const size_t without = shown(width);
    words("busy; of another run, 12:03 UTC; slower: its cause is not known");
    INFO(width);
    CHECK(shown(width) == without);
    check_scene(layout(model, {.width = width}));
  }
}

TEST_CASE("a panel that is empty beside others takes no room: the legend says why") {
  LadderCase made(3);
  for (Series& series : made.series) series.flop = 0;
  const ChartModel model = ladder_chart(made.rows);
  REQUIRE(model.panels[1].title == "Utilization");
  REQUIRE(model.panels[1].empty_reason == "unavailable: its FLOP are not counted");
  const Scene scene = layout(model, {.width = 900});
  std::string in_rows, below;
  for (const Primitive& p : scene.primitives)
    if (p.kind == Primitive::Kind::text)
      (p.a.y < scene.body_bottom ? in_rows : below) += p.text + " ";
  CHECK(in_rows.find("Utilization") == std::string::npos);
  CHECK(in_rows.find("not counted") == std::string::npos);
  CHECK(below.find("Utilization unavailable: its FLOP are not counted") != std::string::npos);
}

TEST_CASE("an axis of shares has a number between its ends, and none stands on another's") {
  const LadderCase made(8);
  const ChartModel model = ladder_chart(made.rows);
  REQUIRE(model.panels[1].axis.is_share);
  for (float width = 620; width <= 1600; width += 40) {
    const Scene scene = layout(model, {.width = width});
    std::set<std::string> numbers;
    for (const Primitive& p : scene.primitives) {
      if (p.kind == Primitive::Kind::text && p.mono && p.a.y > scene.body_bottom)
        numbers.insert(p.text);
    }
    INFO(width << " px");
    CHECK(numbers.contains("50"));
    CHECK(numbers.contains("100"));
  }
}

TEST_CASE("a log axis has two numbers, however narrow its panel is") {
  const LadderCase made(8);
  const ChartModel model = ladder_chart(made.rows);
  for (float width = 800; width <= 1600; width += 40) {
    const Scene scene = layout(model, {.width = width});
    for (size_t i = 0; i < scene.x_axes.size(); ++i) {
      const AxisPlace& axis = scene.x_axes[i];
      if (!axis.log) continue;
      const float end = i + 1 < scene.x_axes.size() ? scene.x_axes[i + 1].low_px : scene.width;
      int numbers = 0;
      for (const Primitive& p : scene.primitives) {
        const bool is_number = p.kind == Primitive::Kind::text && p.mono && p.role == Role::muted;
        if (!is_number || p.a.y < scene.body_bottom) continue;
        const test::Box box = test::box_of(p);
        const float middle = (box.x0 + box.x1) / 2;
        numbers += middle > axis.low_px - 24 && middle < end - 24;
      }
      INFO(width << " px, panel " << i);
      CHECK(numbers >= 2);
    }
  }
}

TEST_CASE("a narrow ladder leaves out what says least, and the check of its results last") {
  const LadderCase made(8);
  ChartModel model = ladder_chart(made.rows);
  REQUIRE(model.panels.size() == 4);
  const auto shown = [&](float width) {
    std::vector<std::string> titles;
    const Scene scene = layout(model, {.width = width});
    check_scene(scene);
    for (const AxisPlace& axis : scene.x_axes)
      titles.push_back(model.panels[static_cast<size_t>(axis.panel)].title);
    std::string all;
    for (const Primitive& p : scene.primitives) all += p.text.empty() ? "" : p.text + " ";
    for (const Panel& panel : model.panels) {
      const bool is_out = std::find(titles.begin(), titles.end(), panel.title) == titles.end();
      const size_t said = all.find("no room for: ");
      INFO(panel.title << " at " << width);
      CHECK(is_out ==
            (said != std::string::npos && all.find(panel.title, said) != std::string::npos));
    }
    return titles;
  };
  const std::string time = model.panels[0].title, share = model.panels[1].title,
                    bandwidth = model.panels[2].title, error = model.panels[3].title;
  using Titles = std::vector<std::string>;
  CHECK(shown(1600) == Titles{time, share, bandwidth, error});
  float width = 1600;
  while (shown(width).size() == 4) width -= 20;
  CHECK(shown(width) == Titles{time, share, error});
  // Shares in doubt say nothing of a rung: they go before what is known of each.
  model.panels[1].marks.resize(1);
  CHECK(shown(width) == Titles{time, bandwidth, error});
  model.panels[3].marks.clear();
  CHECK(shown(width) == Titles{time, share, bandwidth});
  while (shown(width).size() == 3) width -= 20;
  CHECK(shown(width) == Titles{time, bandwidth});
}

TEST_CASE("a long ladder closes up, keeps its headings and says where its rows lie") {
  const LadderCase made(35);
  const ChartModel model = ladder_chart(made.rows);
  LayoutOptions options;
  options.width = 1000;
  const Scene roomy = layout(model, options);
  options.height = 700;
  const Scene tight = layout(model, options);
  CHECK(tight.height < roomy.height * 0.75f);
  std::map<std::string, int> seen;
  for (const Primitive& p : tight.primitives) ++seen[p.text];
  for (const char* section : {"CPU", "GPU", "GPU, Tensor"}) CHECK(seen[section] == 1);
  int labels = 0;
  for (const Hit& hit : tight.hits) {
    if (hit.row < 0) continue;
    labels += hit.panel == -1;
    CHECK(hit.a.y >= tight.body_top - 0.5f);
    CHECK(hit.b.y <= tight.body_bottom + 0.5f);
  }
  CHECK(labels == 35);
}

TEST_CASE("no label of the forest stands on the dots of its rounds") {
  std::vector<Comparison> comparisons(6);
  std::vector<ForestRow> rows;
  for (size_t i = 0; i < comparisons.size(); ++i) {
    Comparison& c = comparisons[i];
    c.ratio = std::pow(1.6, static_cast<double>(i) - 2);
    c.ci = Interval{c.ratio * 0.97, c.ratio * 1.02};
    c.margin = 0.02;
    ForestRow row{.label = "candidate", .sublabel = "against the baseline", .comparison = &c};
    for (int k = 0; k < 40; ++k) row.round_ratios.push_back(c.ratio * (0.8 + 0.011 * k));
    rows.push_back(row);
  }
  for (const float width : {420.f, 560.f, 900.f, 1400.f}) {
    LayoutOptions options;
    options.width = width;
    const Scene scene = layout(forest_chart(rows), options);
    for (const Primitive& text : scene.primitives) {
      if (text.kind != Primitive::Kind::text) continue;
      const test::Box label = test::box_of(text);
      for (const Primitive& dot : scene.primitives) {
        if (dot.kind != Primitive::Kind::marker) continue;
        const float r = dot.size_px;
        INFO(width << " px: '" << text.text << "' on a dot at " << dot.a.x);
        CHECK_FALSE(test::overlap(label, {dot.a.x - r, dot.a.x + r, dot.a.y - r, dot.a.y + r}));
      }
    }
  }
}

TEST_CASE("of the rounds of a forest's row at most one in twenty lies beyond the axis") {
  Comparison comparison;
  comparison.ratio = 0.96;
  comparison.ci = Interval{0.93, 0.98};
  comparison.margin = 0.02;
  ForestRow row{.label = "a", .sublabel = "b", .comparison = &comparison};
  for (int k = 0; k < 40; ++k) row.round_ratios.push_back(std::exp(0.03 * (k - 20)));  // wide
  row.round_ratios.back() = 50;
  const ChartModel model = forest_chart({&row, 1});
  const auto dots = std::count_if(model.panels[0].marks.begin(), model.panels[0].marks.end(),
                                  [](const Mark& mark) { return mark.quiet; });
  CHECK(dots >= 38);
  CHECK(dots < 40);  // one that was disturbed does not set the scale
  // The figure stands in the column of verdicts alone.
  int figures = 0;
  for (const Primitive& p : layout(model, {}).primitives)
    figures += p.text.find("0.96") != std::string::npos;
  CHECK(figures == 1);
}

TEST_CASE("the forest's axis holds every verdict with its interval, however far it is from 1") {
  std::vector<Comparison> comparisons(3);
  std::vector<ForestRow> rows;
  const double ratios[] = {1.02, 0.98, 7.6};
  for (size_t i = 0; i < 3; ++i) {
    Comparison& c = comparisons[i];
    c.ratio = ratios[i];
    c.ci = Interval{c.ratio * 0.99, c.ratio * 1.01};
    c.margin = 0.02;
    rows.push_back({.label = "a", .comparison = &c});
    rows.back().round_ratios.assign(10, c.ratio);
  }
  for (const double far : {7.6, 300.0, 1 / 7.6}) {
    comparisons[2].ratio = far;
    comparisons[2].ci = Interval{far * 0.9, far * 1.1};
    const ChartModel model = forest_chart(rows);
    const Axis& axis = model.panels[0].axis;
    CHECK(axis.scale == Scale::log);
    for (const Comparison& c : comparisons) {
      CHECK(axis.low < c.ci->low);
      CHECK(axis.high > c.ci->high);
    }
    int diamonds = 0;
    for (const Primitive& p : layout(model, {}).primitives)
      diamonds += p.kind == Primitive::Kind::marker && p.marker == Marker::diamond;
    CHECK(diamonds == 3);
  }
}

TEST_CASE("of many pairs a few far ones are arrows at the forest's edge, and its legend says so") {
  std::vector<Comparison> comparisons(18);
  std::vector<ForestRow> rows;
  for (size_t i = 0; i < comparisons.size(); ++i) {
    Comparison& c = comparisons[i];
    c.ratio = 0.9 + 0.02 * static_cast<double>(i);
    if (i == 3 || i == 4) c.ratio = 0.0097 * static_cast<double>(i - 2);
    c.ci = Interval{c.ratio * 0.99, c.ratio * 1.01};
    c.margin = 0.02;
    rows.push_back({.label = "a", .comparison = &c, .verdict = Verdict::slower});
    rows.back().round_ratios.assign(10, c.ratio);
  }
  const auto diamonds = [](const Scene& scene) {
    return std::count_if(scene.primitives.begin(), scene.primitives.end(), [](const Primitive& p) {
      return p.kind == Primitive::Kind::marker && p.marker == Marker::diamond;
    });
  };
  const ChartModel model = forest_chart(rows);
  CHECK(model.panels[0].axis.low > 0.5);
  CHECK(model.panels[0].axis.low < 0.9);
  CHECK(model.legend[0] == "arrow: 2 pairs beyond the axis, down to 0.00970×");
  CHECK(diamonds(layout(model, {})) == 16);
  CHECK(model.panels[1].row_reasons[3] == "▼ slower 0.00970× [0.00960, 0.00980]");
  // Where every sixth is as far, they are no exception.
  for (size_t i = 0; i < 5; ++i)
    comparisons[i].ratio = 0.0097, comparisons[i].ci = Interval{0.0096, 0.0098};
  const ChartModel wide = forest_chart(rows);
  CHECK(wide.panels[0].axis.low < 0.0097);
  CHECK(diamonds(layout(wide, {})) == 18);
}

TEST_CASE("a value beside a whisker stands at the end that is nearer to its bar's") {
  ChartModel model;
  model.rows.push_back({.label = "noisy"});
  Panel panel{.title = "Speed"};
  panel.axis = {.title = "Speed", .high = 100};
  Mark bar{.row = 0, .value = 60};
  bar.interval = Interval{40, 66};
  panel.marks.push_back(bar);
  model.panels.push_back(panel);
  const auto place_of_value = [&] {
    float value = 0, end = 0;
    for (const Primitive& p : layout(model, {}).primitives) {
      if (p.kind == Primitive::Kind::text && p.text == "60.0") value = p.a.x;
      if (p.kind == Primitive::Kind::rect && p.role == Role::series0) end = p.b.x;
    }
    return value - end;
  };
  CHECK(place_of_value() >
        0);  // beyond the short part of the whisker, not at its far end in the bar
  model.panels[0].marks[0].interval = Interval{55, 80};
  CHECK(place_of_value() < 0);
}

TEST_CASE("a ratio has no prefix") {
  Comparison comparison;
  comparison.ratio = 0.35;
  comparison.ci = Interval{0.34, 0.36};
  const ForestRow row{.label = "a", .comparison = &comparison};
  for (const Primitive& p : layout(forest_chart({&row, 1}), {}).primitives) {
    CHECK(p.text.find("m, log") == std::string::npos);
  }
}

TEST_CASE("a rung without a usable number says why, and shows none") {
  LadderCase made(8);
  Series& failed = made.series[4];
  const ChartModel model = ladder_chart(made.rows);
  for (size_t panel = 0; panel < 3; ++panel) {
    for (const Mark& mark : model.panels[panel].marks) {
      CHECK(mark.row != 4);  // failed its check
      CHECK(mark.row != 6);  // skipped
      CHECK(mark.row != 7);  // not run
    }
    CHECK(model.panels[panel].row_reasons[4].find("check failed") != std::string::npos);
    CHECK(model.panels[panel].row_reasons[6].find("avx512f") != std::string::npos);
    CHECK(model.panels[panel].row_reasons[7] == "not run yet");
  }
  failed.checks = {test::check(true)};
  failed.status = SeriesStatus::ok;
  failed.checks[0].passed = false;  // a time, an ok status, and still no speed
  const auto marks = [&] { return ladder_chart(made.rows).panels[0].marks; };
  for (const Mark& mark : marks()) CHECK(mark.row != 4);
  failed.status = SeriesStatus::failed;
  failed.checks[0].nmse = 0;  // of the elements that are numbers: there were none
  failed.checks[0].nan_count = 1;
  std::string label;
  for (const Panel& panel : ladder_chart(made.rows).panels) {
    for (const Mark& mark : panel.marks) label += mark.row == 4 ? mark.label : "";
  }
  CHECK(label == "NaN");
  failed.status = SeriesStatus::ok;
  made.series[0].checks.clear();  // timed, never checked
  for (const Mark& mark : marks()) CHECK(mark.row != 0);
}

TEST_CASE("recorded and stale rungs are hatched and say where they come from") {
  const LadderCase made(4);
  const ChartModel model = ladder_chart(made.rows);
  CHECK(model.rows[3].sublabel.find("recorded on NVIDIA H200") != std::string::npos);
  CHECK(model.rows[3].sublabel.find("stale") != std::string::npos);
  CHECK(model.rows[1].sublabel.find("baseline") != std::string::npos);
  for (const Mark& mark : model.panels[0].marks) {
    CHECK(mark.hatched == (mark.row == 3));
    CHECK(mark.interval.has_value());
    if (mark.row == 3)
      CHECK(mark.note.find("stale: the kernel has changed since") != mark.note.npos);
  }
  for (const Mark& bar : model.panels[1].marks) {
    CHECK(bar.hatched == (bar.row == 3));
    CHECK(bar.dashed == (bar.row == 1));
  }
  CHECK(model.summary.find("rung 3") != std::string::npos);
  // An emulated rung has no time, and its other figures were recorded elsewhere all the same.
  Series emulated = *made.rows[3].series;
  emulated.stats.reset(), emulated.stale = false, emulated.unavailable["stats"] = kEmulated;
  CHECK(parts::make_entry({.series = &emulated, .origin = "NVIDIA H200"}).hatched);
  CHECK_FALSE(parts::make_entry({.series = &emulated}).hatched);
  // Charts that have no second line under a name.
  LadderCase several(4);
  for (size_t i = 0; i < several.series.size(); ++i) several.series[i].kernel += std::to_string(i);
  const std::vector<LadderRow> marked = with_marks(several.rows);
  CHECK(marked[3].label == "rung 3 · stale");
  CHECK(marked[1].label == "rung 1");
  for (const ChartModel& chart : {roofline_chart(several.rows), speed_error_chart(several.rows)}) {
    INFO(chart.id);
    REQUIRE(chart.table.rows.size() == 4);
    for (const auto& row : chart.table.rows)
      CHECK((row.front() == "rung 3 · stale") == (row.front().find("rung 3") == 0));
  }
}

TEST_CASE("a rung that was run anew is not stale beside its old recording") {
  // One rung at two sizes: live, and recorded before it was changed.
  std::vector<Series> series;
  for (int i = 0; i < 4; ++i) {
    Series one = test::measured(1, i, "gemm.cpu.rung", 1e9);
    for (const char* side : {"n", "m", "k"}) one.params[side] = int64_t{i % 2 == 0 ? 512 : 1024};
    one.size_param = "n";
    one.stale = i >= 2;
    series.push_back(one);
  }
  std::vector<LadderRow> rows;
  for (const Series& one : series) rows.push_back({.label = "rung", .series = &one});
  const std::vector<LadderRow> marked = with_marks(rows);
  CHECK(marked[0].label == "rung");
  CHECK(marked[2].label == "rung · stale");
  for (const ChartModel& chart :
       {roofline_chart(rows), speed_error_chart(rows), size_curve_chart(rows)}) {
    INFO(chart.id);
    size_t lines = 0;
    for (const Curve& curve : chart.plot->curves) {
      if (curve.name.find("rung") != 0) continue;  // a roof
      ++lines;
      CHECK(curve.data.size() == 2);
      for (const Datum& datum : curve.data)
        CHECK((datum.row >= 2) == (curve.name.find("stale") != std::string::npos));
    }
    CHECK(lines == 2);
  }
}

TEST_CASE("a reduced rung is labelled with the size it ran at") {
  LadderCase made(1);
  made.series[0].reduced_from = "n=4096";
  const ChartModel model = ladder_chart(made.rows);
  CHECK(model.rows[0].sublabel.find("at n=512, not n=4096") != std::string::npos);
  CHECK(model.panels[0].marks[0].hatched);
}

TEST_CASE("where rungs do unlike work the ladder's times are those of an item") {
  LadderCase made(2);
  made.series[0].stats->median_ns = 4e6;
  made.series[0].stats->ci_ns = Interval{3e6, 5e6};
  made.series[0].items_per_s = 1e6;  // 4,000 a call
  const ChartModel model = ladder_chart(made.rows, {.items = "operations", .per_item = true});
  const Panel& panel = model.panels[0];
  CHECK(panel.axis.title == "Time per operation");
  REQUIRE(panel.marks.size() == 1);  // the second counts no items
  CHECK(panel.marks[0].value == Approx(1e-6));
  CHECK(panel.marks[0].interval->low == Approx(0.75e-6));
  CHECK(panel.marks[0].note.find("4.00 ms a call, 1.00 µs an operation") != std::string::npos);
  CHECK(ladder_chart(made.rows).panels[0].axis.title == "Time per call");
}

TEST_CASE("a panel without ceilings says so instead of showing zero") {
  LadderCase made(3);
  for (LadderRow& row : made.rows) row.run = nullptr;
  const ChartModel model = ladder_chart(made.rows);
  CHECK(model.panels[1].marks.empty());
  CHECK(model.panels[1].empty_reason.find("unavailable: no measured ceiling") == 0);
}

TEST_CASE("NaN in any input of a chart draws nothing and prints no number") {
  LadderCase made(3);
  made.series[0].stats->median_ns = kNan;
  made.series[1].stats->ci_ns = Interval{kNan, kNan};
  made.series[2].flop = kNan;
  made.series[2].bytes_min = kInf;
  made.series[2].checks[0].nmse = kNan;
  Comparison comparison;
  comparison.ratio = kNan;
  comparison.ci = Interval{kNan, kInf};
  comparison.margin = kNan;
  ForestRow forest{.label = "x", .comparison = &comparison};
  forest.round_ratios = {kNan, kInf, -1, 0};
  made.series[0].samples = test::samples(3, kNan);
  const DistributionRow distribution{.label = "x", .series = &made.series[0]};
  for (const ChartModel& model : {ladder_chart(made.rows), forest_chart(std::span(&forest, 1)),
                                  distribution_chart(std::span(&distribution, 1))}) {
    const std::string svg = to_svg(model, LayoutOptions{});
    CHECK_FALSE(std::regex_search(svg, std::regex("\\b-?(nan|inf)\\b", std::regex::icase)));
    for (const Primitive& p : layout(model, {}).primitives) {
      CHECK(std::isfinite(p.a.x + p.a.y + p.b.x + p.b.y));
    }
  }
}

TEST_CASE("a long sample list is thinned to two a pixel column") {
  Series series = test::measured(1, 0, "gemm.cpu.rung", 1e6);
  std::vector<Sample> taken = test::samples(100000, 1e6);
  for (size_t i = 0; i < taken.size(); ++i) {
    taken[i].t_ns = 1e6 * (1 + 0.1 * std::sin(static_cast<double>(i)));
  }
  series.samples = taken;
  const DistributionRow row{.label = "rung", .series = &series};
  const Scene scene = layout(distribution_chart(std::span(&row, 1)), {});
  std::map<int, int> columns;
  for (const Primitive& p : scene.primitives) {
    if (p.kind == Primitive::Kind::marker && p.marker == Marker::dot) {
      ++columns[static_cast<int>(std::floor(p.a.x))];
    }
  }
  CHECK(columns.size() > 100);
  // A pixel boundary may fall inside a column of the thinning: at most two columns meet in a pixel.
  for (const auto& [x, count] : columns) CHECK(count <= 4);
}

TEST_CASE("the forest shows ratio, interval and band, and none for an invalid comparison") {
  Comparison comparison;
  comparison.ratio = 1.03;
  comparison.ci = Interval{1.02, 1.04};
  comparison.margin = 0.02;
  comparison.rounds = 40;
  ForestRow valid{.label = "a", .comparison = &comparison, .verdict = Verdict::faster};
  valid.round_ratios = {1.02, 1.03, 1.04};
  ForestRow invalid = valid;
  invalid.verdict = Verdict::invalid;
  const std::vector<ForestRow> rows = {valid, invalid};
  const ChartModel model = forest_chart(rows);
  REQUIRE(model.panels[0].bands.size() == 1);
  CHECK(model.panels[0].bands[0].high == Approx(1.02));
  int loud = 0;
  for (const Mark& mark : model.panels[0].marks) {
    if (mark.quiet) continue;
    ++loud;
    CHECK(mark.row == 0);
    CHECK(mark.interval->low == 1.02);
  }
  CHECK(loud == 1);
  CHECK(model.panels[1].row_reasons[1].find("invalid") != std::string::npos);
  check_scene(layout(model, {}));
}

TEST_CASE("a forest's verdict says what clock its ratio is of, and the other clock's is hollow") {
  Comparison held;
  held.ratio = 2.4, held.ci = Interval{2.3, 2.5}, held.margin = 0.02, held.rounds = 40;
  held.clock_held = true;
  Comparison slow = held, cold = held, both = held, open = held;
  slow.ratio = 0.5, slow.ci = Interval{0.49, 0.51};
  cold.cache = CacheMode::cold;  // no load lasts
  both.sustained = {SustainedSide{}, SustainedSide{}};
  both.equal_clock = PairedVerdict{40, 2.2, Interval{2.1, 2.3}, Verdict::faster, 0};
  open.clock_held = false;
  const auto row = [](const Comparison& one, Verdict verdict) {
    return ForestRow{.label = "a", .comparison = &one, .verdict = verdict};
  };
  const std::vector<ForestRow> rows = {row(held, Verdict::faster), row(slow, Verdict::slower),
                                       row(cold, Verdict::faster), row(both, Verdict::faster),
                                       row(open, Verdict::faster), row(held, Verdict::invalid)};
  const ChartModel model = forest_chart(rows);
  const Panel& verdicts = model.panels.back();
  const auto ends_with = [&](size_t at, const std::string& end) {
    INFO(verdicts.row_reasons[at]);
    CHECK(verdicts.row_reasons[at].ends_with(end));
  };
  ends_with(0, "] at equal clock; sustained not measured");
  CHECK(verdicts.row_briefs[0].ends_with("] at equal clock"));  // it stands where room is short too
  ends_with(1, "] at equal clock");
  ends_with(2, "]");
  ends_with(3, "] sustained");
  ends_with(4, "]");
  ends_with(5, "invalid");
  CHECK(std::count(model.legend.begin(), model.legend.end(),
                   "at equal clock: sustained not measured") == 1);
  int hollow = 0;
  for (const Primitive& p : layout(model, {}).primitives)
    hollow += p.kind == Primitive::Kind::marker && p.marker == Marker::diamond && !p.filled;
  CHECK(hollow == 1);  // the legend's
  const ChartModel free = forest_chart(std::span(rows).subspan(4, 1));
  CHECK(std::none_of(free.legend.begin(), free.legend.end(),
                     [](const std::string& one) { return one.find("clock") != one.npos; }));
}

TEST_CASE("the forest's axis leaves out a twentieth of the rounds at most") {
  Comparison comparison;
  comparison.ratio = 1.01;
  comparison.ci = Interval{0.99, 1.02};
  comparison.margin = 0.02;
  ForestRow row{.label = "a", .comparison = &comparison, .verdict = Verdict::unresolved};
  for (int i = 0; i < 40; ++i) row.round_ratios.push_back(std::pow(1.02, i - 20));
  row.round_ratios.push_back(50);  // one round that was disturbed
  const std::vector<ForestRow> rows = {row};
  const ChartModel model = forest_chart(rows);
  const auto& marks = model.panels[0].marks;
  const auto dots = std::count_if(marks.begin(), marks.end(),
                                  [](const Mark& mark) { return mark.marker == Marker::dot; });
  CHECK(dots >= 39);
  CHECK(model.panels[0].axis.high < 2);
}

TEST_CASE("SVG is escaped, stands alone and is the same every time") {
  LadderCase made(4);
  made.rows[0].label = "<script>alert('x')</script> & \"y\"";
  const ChartModel model = ladder_chart(made.rows, {.title = "a <b> & c"});
  LayoutOptions options;
  options.width = 1000;
  const std::string svg = to_svg(model, options);
  CHECK(svg == to_svg(model, options));
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("<title id=\"ladder-title\">a &lt;b&gt; &amp; c</title>") != std::string::npos);
  CHECK(svg.find("<desc") != std::string::npos);
  CHECK(svg.find("href") == std::string::npos);
  CHECK(svg.find("@media screen and (prefers-color-scheme:dark)") != std::string::npos);
  CHECK(to_svg(model, options, {.embedded = true}).find("<style>") == std::string::npos);
}

TEST_CASE("the ladder's SVG is the golden one") {
  const LadderCase made(9);
  const ChartModel model = ladder_chart(made.rows, {.title = "GEMM", .subtitle = "n = 512 · fp32"});
  LayoutOptions options;
  options.width = 1100;
  test::check_golden("ladder.svg", to_svg(model, options));
}
