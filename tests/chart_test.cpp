// Text, layout, builders and SVG.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>

#include "common/chart/decode.h"
#include "common/chart/distribution.h"
#include "common/chart/forest.h"
#include "common/chart/ladder.h"
#include "common/chart/svg.h"
#include "common/chart/text.h"
#include "common/chart/theme.h"
#include "common/chart/traffic.h"
#include "common/chart/workload.h"
#include "tests/golden.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::chart;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<Ceiling> kCeilings = {
    {"FMA fp32, 1 thread", "cpu", "flop", "fp32", 1, 1.3e11, "FLOP/s", "measured"},
    {"DRAM read, 1 thread", "cpu", "dram_read", "", 1, 4.2e10, "B/s", "measured"}};

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
                    .ceilings = &kCeilings};
      row.is_baseline = i == 1;
      row.is_peer = i == 2;
      row.selected = i == 3;
      if (i % 5 == 3) row.origin = "NVIDIA H200", row.stale = true;
      if (i % 8 == 7) row.series = nullptr;
      if (count >= 30) row.section = i < count / 3 ? "CPU" : i < count / 2 ? "GPU" : "GPU, Tensor";
      rows.push_back(row);
    }
  }
};

struct Box {
  float x0, x1, y0, y1;
};

Box box_of(const Primitive& text) {
  const float px = builtin_text_width(text.text, text.size_px, text.mono) * (text.bold ? 1.05f : 1);
  const float x0 = text.anchor == Anchor::start    ? text.a.x
                   : text.anchor == Anchor::middle ? text.a.x - px / 2
                                                   : text.a.x - px;
  return {x0, x0 + px, text.a.y - text.size_px / 2, text.a.y + text.size_px / 2};
}

bool overlap(const Box& a, const Box& b) {
  return a.x0 < b.x1 - 0.1f && b.x0 < a.x1 - 0.1f && a.y0 < b.y1 - 0.1f && b.y0 < a.y1 - 0.1f;
}

/// Texts inside the scene and apart from one another; labels of bars either inside or beyond them.
void check_scene(const Scene& scene) {
  std::vector<Box> texts;
  for (const Primitive& p : scene.primitives) {
    CHECK(std::isfinite(p.a.x + p.a.y + p.b.x + p.b.y));
    if (p.kind == Primitive::Kind::text) {
      const Box box = box_of(p);
      INFO("'" << p.text << "' from " << box.x0 << " to " << box.x1 << " of " << scene.width);
      CHECK(box.x0 >= 0);
      CHECK(box.x1 <= scene.width);
      CHECK(box.y0 >= 0);
      CHECK(box.y1 <= scene.height);
      for (const Box& other : texts) CHECK_FALSE(overlap(box, other));
      texts.push_back(box);
    }
  }
  for (const Primitive& text : scene.primitives) {
    if (text.kind != Primitive::Kind::text || !text.mono) continue;
    const Box label = box_of(text);
    for (const Primitive& bar : scene.primitives) {
      if (bar.kind != Primitive::Kind::rect || bar.role == Role::highlight) continue;
      if (bar.alpha < 0.2f) continue;  // a band is background
      const Box area{bar.a.x, bar.b.x, bar.a.y, bar.b.y};
      if (!overlap(label, area)) continue;
      INFO("'" << text.text << "' on a bar from " << area.x0 << " to " << area.x1);
      CHECK(text.role == Role::canvas);  // readable on the bar ...
      CHECK(label.x0 >= area.x0);        // ... and wholly on it
      CHECK(label.x1 <= area.x1);
      CHECK_FALSE(bar.hatched);
    }
  }
}

}  // namespace

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
      const Box label = box_of(text);
      for (const Primitive& dot : scene.primitives) {
        if (dot.kind != Primitive::Kind::marker) continue;
        const float r = dot.size_px;
        INFO(width << " px: '" << text.text << "' on a dot at " << dot.a.x);
        CHECK_FALSE(overlap(label, {dot.a.x - r, dot.a.x + r, dot.a.y - r, dot.a.y + r}));
      }
    }
  }
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
  for (const Mark& mark : ladder_chart(made.rows).panels[0].marks) CHECK(mark.row != 4);
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
  for (const Mark& mark : ladder_chart(made.rows).panels[0].marks) CHECK(mark.row != 0);
}

TEST_CASE("recorded and stale rungs are hatched and say where they come from") {
  const LadderCase made(4);
  const ChartModel model = ladder_chart(made.rows);
  CHECK(model.rows[3].sublabel.find("recorded on NVIDIA H200") != std::string::npos);
  CHECK(model.rows[3].sublabel.find("stale: the kernel has changed since") != std::string::npos);
  CHECK(model.rows[1].sublabel.find("baseline") != std::string::npos);
  for (const Mark& mark : model.panels[0].marks) {
    CHECK(mark.hatched == (mark.row == 3));
    CHECK(mark.dashed == (mark.row == 1));
    CHECK(mark.interval.has_value());
  }
  CHECK(model.summary.find("rung 3") != std::string::npos);
}

TEST_CASE("a reduced rung is labelled with the size it ran at") {
  LadderCase made(1);
  made.series[0].reduced_from = "n=4096";
  const ChartModel model = ladder_chart(made.rows);
  CHECK(model.rows[0].sublabel.find("at n=512, not n=4096") != std::string::npos);
  CHECK(model.panels[0].marks[0].hatched);
}

TEST_CASE("a panel without ceilings says so instead of showing zero") {
  LadderCase made(3);
  for (LadderRow& row : made.rows) row.ceilings = nullptr;
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
  series.samples = test::samples(100000, 1e6);
  for (size_t i = 0; i < series.samples.size(); ++i) {
    series.samples[i].t_ns = 1e6 * (1 + 0.1 * std::sin(static_cast<double>(i)));
  }
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

TEST_CASE("rank correlation: by hand, with ties, and none where there is none") {
  const std::vector<double> up = {1, 20, 300, 4000}, down = {4, 3, 2, 1}, ties = {1, 1, 2, 3};
  CHECK(*rank_correlation(up, up) == Approx(1));
  CHECK(*rank_correlation(up, down) == Approx(-1));
  CHECK(*rank_correlation(up, ties) == Approx(4.5 / std::sqrt(5 * 4.5)));
  CHECK_FALSE(rank_correlation(up, std::vector<double>{2, 2, 2, 2}));
  CHECK_FALSE(rank_correlation(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 3}));
}

TEST_CASE("traffic: one problem's nests, the model's bytes, what was counted, and why not") {
  std::vector<Series> nests;
  for (int i = 0; i < 6; ++i) {
    Series one = test::measured(1, i, "loops.cpu.reordered", 1e6 * (i + 1));
    one.params = {{"order", "order" + std::to_string(i)}, {"h", int64_t{56}}};
    one.flop = i == 5 ? 7e9 : 2e8, one.bytes_min = 2e6;  // the last one is another problem
    one.work = {{"model_l2", 1e8 * (6 - i)}, {"model_l3", 2e6}, {"model_memory", 1e6 * (i + 1)}};
    if (i == 0) one.counters = {{"l1d_read_miss_bytes", 3e8, "B"}};
    if (i > 0) one.unavailable["counters"] = "this CPU offers none";
    nests.push_back(one);
  }
  Series plain = test::measured(1, 9, "conv.cpu.direct", 1e6);
  std::vector<LadderRow> rows = {{.label = "direct", .series = &plain}};
  for (const Series& nest : nests) rows.push_back({.label = "reordered", .series = &nest});
  rows[1].selected = true;
  std::vector<int> kept;
  const ChartModel model = traffic_chart(rows, &kept);
  CHECK(kept == std::vector<int>{1, 2, 3, 4, 5});
  REQUIRE(model.rows.size() == 5);
  CHECK(model.rows[2].label == "order2");
  REQUIRE(model.panels.size() == 4);
  REQUIRE(model.panels[0].marks.size() == 6);  // five expected, one counted
  CHECK(model.panels[0].marks[1].value == 3e8);
  CHECK(model.panels[0].marks[1].beside);
  CHECK(model.panels[1].marks.size() == 5);
  CHECK(model.table.rows[0][2] == "300 MB");
  CHECK(model.table.rows[1][2] == "unavailable: this CPU offers none");
  CHECK(model.table.rows[0][4].starts_with("unavailable: perf_event"));
  CHECK(model.summary.find("the L2 -1.00, the L3 all alike, memory +1.00") != std::string::npos);
  for (const float width : {800.0f, 1200.0f, 1900.0f}) {
    LayoutOptions options;
    options.width = width;
    check_scene(layout(model, options));
  }
  const ChartModel none = traffic_chart(std::span(rows).first(1));
  CHECK(none.rows.empty());
  CHECK_FALSE(none.panels[0].empty_reason.empty());
}

TEST_CASE(
    "decoding with each type of weights: two bars a row that stand clear, shares of the floor, "
    "reasons") {
  std::vector<DecodeRow> rows;
  for (int i = 0; i < 6; ++i) {
    DecodeRow row{.label = "type " + std::to_string(i), .rung = "a rung with a longer name"};
    row.weight_bytes = 16e9 / (1 << i), row.cache_bytes = 1e8;
    row.floor_s = 0.5 / (1 << i);
    if (i != 3)
      row.step_s = *row.floor_s / 0.8,
      row.step_ci_s = Interval{*row.step_s * 0.9, *row.step_s * 1.1};
    row.how = "each part measured at its shape", row.exact = i != 1, row.why = "no rung reads it";
    if (i < 2) row.energy_j = 3.0 / (i + 1);
    row.why_no_energy = "no counter";
    rows.push_back(row);
  }
  const ChartModel model =
      decode_chart(rows, {.title = "Decode", .tokens = 2, .bytes_per_s = 3e10});
  REQUIRE(model.panels.size() == 4);
  CHECK(share_of_floor(rows[0]) == Approx(0.8));
  CHECK_FALSE(share_of_floor(rows[3]));
  const auto& marks = model.panels[0].marks;
  CHECK(marks.size() == 6 + 5);  // each has a floor, one has no time
  CHECK(marks[0].value == Approx(2 * 0.8 / 0.5));
  CHECK(marks[0].interval->high == Approx(2 * 0.8 / 0.5 / 0.9));
  CHECK(marks[1].value == Approx(2 / 0.5));
  CHECK(marks[2].hatched);
  CHECK(model.panels[1].row_reasons[3] == "no rung reads it");
  CHECK(model.panels[2].row_reasons[2] == "no counter");
  CHECK(model.table.rows[0][2] == "3.20 tokens/s");
  CHECK(model.summary.find("type 5 makes 32 times the tokens of type 0") == 0);
  for (float width = 700; width <= 2400; width += 170) {
    for (const float height : {0.0f, 300.0f, 900.0f}) {
      INFO(width << " x " << height);
      check_scene(layout(model, {.width = width, .height = height}));
    }
  }
  for (DecodeRow& row : rows) row.energy_j.reset();
  CHECK(decode_chart(rows, {}).panels[2].empty_reason == "no counter");
}

TEST_CASE("a workload says who wins each part, once there is more than one to choose from") {
  WorkloadInput input{.title = "a network", .rung = "Winograd"};
  for (int i = 0; i < 3; ++i) {
    WorkloadRow row{.label = "layer " + std::to_string(i), .shape = "64 x 56"};
    row.flop = 1e9, row.bytes = 1e6, row.time_s = 0.01, row.exact = true;
    row.fastest = "Winograd", row.fastest_s = 0.01;
    input.rows.push_back(row);
  }
  CHECK(workload_chart(input).panels.size() == 4);
  input.rows[1].fastest = "oneDNN", input.rows[1].fastest_s = 0.004;
  const ChartModel model = workload_chart(input);
  REQUIRE(model.panels.size() == 5);
  CHECK(model.panels[4].row_reasons[1] == "4.00 ms, oneDNN");
  CHECK(model.subtitle.find("takes 24.0 ms: Winograd for 2, oneDNN for 1 of 3 parts.") !=
        std::string::npos);
  CHECK(model.table.rows[1].back() == "4.00 ms, oneDNN");
  for (const float width : {900.0f, 1400.0f}) {
    LayoutOptions options;
    options.width = width;
    check_scene(layout(model, options));
  }
  input.rows[2].fastest_s.reset();
  CHECK(workload_chart(input).panels[4].row_reasons[2] == "not run yet");
}
