// Ticks, numbers, decimation, layout and SVG.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>

#include "common/chart/decimate.h"
#include "common/chart/distribution.h"
#include "common/chart/forest.h"
#include "common/chart/format.h"
#include "common/chart/ladder.h"
#include "common/chart/svg.h"
#include "common/chart/text.h"
#include "common/chart/theme.h"
#include "common/chart/ticks.h"
#include "tests/golden.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::chart;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::string kThin = "\u202f";

std::vector<double> values(const std::vector<Tick>& ticks, bool major_only = false) {
  std::vector<double> all;
  for (const Tick& tick : ticks) {
    if (tick.major || !major_only) all.push_back(tick.value);
  }
  return all;
}

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
      LadderRow row{.label = name + std::to_string(i), .series = &series[static_cast<size_t>(i)],
                    .ceilings = &kCeilings};
      row.is_baseline = i == 1;
      row.is_peer = i == 2;
      row.selected = i == 3;
      if (i % 5 == 3) row.origin = "NVIDIA H200", row.stale = true;
      if (i % 8 == 7) row.series = nullptr;
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

TEST_CASE("linear ticks are 1, 2 or 5 times a power of ten") {
  CHECK(values(linear_ticks(0, 1, 5)).size() == 6);
  const auto ticks = values(linear_ticks(0, 97, 5));
  CHECK(ticks == std::vector<double>{0, 20, 40, 60, 80});
  CHECK(values(linear_ticks(-3, 3, 3)) == std::vector<double>{-2, 0, 2});
  for (const double span : {0.003, 0.7, 1.0, 4.1, 33.0, 720.0, 1e9}) {
    const auto found = values(linear_ticks(0, span, 5));
    CHECK(found.size() >= 2);
    CHECK(found.size() <= 6);
    const double step = found[1] - found[0];
    const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
    CHECK((std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
           std::abs(mantissa - 5) < 1e-6));
  }
  CHECK(linear_ticks(1, 1, 5).empty());
  CHECK(linear_ticks(0, kNan, 5).empty());
  CHECK(linear_ticks(0, kInf, 5).empty());
}

TEST_CASE("log ticks are decades with sub-ticks") {
  const auto two = log_ticks(1, 100, 4);
  CHECK(values(two, true) == std::vector<double>{1, 10, 100});
  CHECK(values(two).size() > 3);
  CHECK(values(log_ticks(1e-16, 1, 4), true).size() <= 6);
  CHECK(values(log_ticks(0.97, 1.05, 4), true).size() >= 2);  // under a decade: linear
  CHECK(log_ticks(0, 1, 4).empty());
  CHECK(log_ticks(1, kNan, 4).empty());
}

TEST_CASE("one prefix an axis") {
  CHECK(std::string(si_prefix(2.7e-3).symbol) == "m");
  CHECK(std::string(si_prefix(55.8e12).symbol) == "T");
  CHECK(std::string(si_prefix(1000).symbol) == "k");
  CHECK(std::string(si_prefix(999.9).symbol).empty());
  CHECK(std::string(si_prefix(0).symbol).empty());
  CHECK(std::string(si_prefix(kNan).symbol).empty());
  CHECK(std::string(axis_prefix(1e-5, 1e-1, true).symbol) == "m");
  CHECK(std::string(axis_prefix(0, 4.2e10, false).symbol) == "G");
}

TEST_CASE("nice bounds round outwards") {
  CHECK(nice_ceiling(0.3) == Approx(0.5));
  CHECK(nice_floor(0.3) == Approx(0.2));
  CHECK(nice_floor(7e-9) == Approx(5e-9));
  CHECK(nice_ceiling(-7) == Approx(-5));
}

TEST_CASE("numbers have three significant digits") {
  CHECK(format_number(2.7249) == "2.72");
  CHECK(format_number(0.27249) == "0.272");
  CHECK(format_number(9.996) == "10.0");
  CHECK(format_number(999.6) == "1" + kThin + "000");
  CHECK(format_number(1965) == "1" + kThin + "965");
  CHECK(format_number(-1234567) == "-1" + kThin + "234" + kThin + "567");
  CHECK(format_number(-123.4) == "-123");
  CHECK(format_number(0) == "0");
  CHECK(format_number(1.5e-12) == "1.50e-12");
  CHECK(format_tick(50) == "50");
  CHECK(format_tick(0.5) == "0.5");
  CHECK(format_tick(100) == "100");
  CHECK(format_tick(1e-10) == "1e-10");
  CHECK(format_scientific(1.5e-12) == "1.5e-12");
  CHECK(format_scientific(0.5) == "5.0e-1");
  CHECK(format_scientific(1) == "1.0e0");
  CHECK(format_time_ns(2.7249e6) == "2.72 ms");
  CHECK(format_time_ns(999.6) == "1.00 µs");
  CHECK(format_time_ns(4.6e9) == "4.60 s");
  CHECK(format_rate(55.8e12, "FLOP/s") == "55.8 TFLOP/s");
  CHECK(format_rate(41.2e9, "B/s") == "41.2 GB/s");
  CHECK(format_bytes(96.0 * 1024 * 1024) == "96.0 MiB");
  CHECK(format_bytes(1000) == "1" + kThin + "000 B");
  CHECK(format_share(0.92) == "92.0 %");
  CHECK(format_percent_width(0.006) == "±0.60 %");
  CHECK(format_ratio(5.8) == "5.80×");
  CHECK(format_ratio(1.0042) == "1.004×");
}

TEST_CASE("an interval shows its width") {
  CHECK(format_time_interval(Interval{2.71e6, 2.73e6}) == "[2.71, 2.73] ms");
  CHECK(format_time_interval(Interval{2.7241e6, 2.7249e6}) == "[2.724, 2.725] ms");
  CHECK(format_ratio_interval(Interval{0.998, 1.006}) == "[0.998, 1.01]");
  CHECK(format_time_interval(std::nullopt) == kNone);
}

TEST_CASE("what is no number never prints as one") {
  for (const double bad : {kNan, kInf, -kInf}) {
    const Interval interval{1, bad};
    for (const std::string& text :
         {format_number(bad), format_scientific(bad), format_count(bad), format_time_ns(bad),
          format_rate(bad, "B/s"), format_bytes(bad), format_share(bad), format_percent_width(bad),
          format_ratio(bad), format_quantity(bad, "W"), format_tick(bad),
          format_time_interval(interval), format_rate_interval(interval, "B/s"),
          format_ratio_interval(interval)}) {
      CHECK(text == kNone);
    }
  }
}

TEST_CASE("decimation keeps the extremes of every pixel column") {
  std::vector<Point> points;
  for (int i = 0; i < 100000; ++i) {
    points.push_back({static_cast<float>(i), static_cast<float>(std::sin(i * 0.37) * (i % 97))});
  }
  points[5000].y = 1e6f;
  points[70000].y = -1e6f;
  points[123].y = std::numeric_limits<float>::quiet_NaN();
  const int columns = 400;
  const auto kept = decimate(points, 0, 99999, columns);
  CHECK(kept.size() <= 2 * static_cast<size_t>(columns));
  std::map<int, int> in_column;
  for (size_t i = 0; i < kept.size(); ++i) {
    CHECK(std::isfinite(kept[i].y));
    ++in_column[std::min(columns - 1, static_cast<int>(kept[i].x * columns / 99999))];
    if (i > 0) CHECK(kept[i].x >= kept[i - 1].x);
  }
  for (const auto& [column, count] : in_column) CHECK(count <= 2);
  const auto [low, high] = std::minmax_element(
      kept.begin(), kept.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  CHECK(low->y == -1e6f);
  CHECK(high->y == 1e6f);
  CHECK(decimate(points, 5, 5, 10).empty());
  const std::vector<Point> few = {{1, 2}, {2, 1}, {3, 3}};
  CHECK(decimate(few, 0, 4, 100).size() == 3);
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

TEST_CASE("the ladder is legible at every width and number of rows") {
  for (const bool long_labels : {false, true}) {
    for (const int rows : {1, 2, 3, 5, 8, 13, 20}) {
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
  for (const ChartModel& model :
       {ladder_chart(made.rows), forest_chart(std::span(&forest, 1)),
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

TEST_CASE("the theme has a row for every role, in order, and text that can be read") {
  auto luminance = [](uint32_t rgb) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; ++i) {
      const double c = ((rgb >> (16 - 8 * i)) & 0xff) / 255.0;
      sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
  };
  auto contrast = [&](Role a, Role b, bool dark) {
    const double x = luminance(colour(a, dark)), y = luminance(colour(b, dark));
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
  };
  for (size_t i = 0; i < kTheme.size(); ++i) CHECK(kTheme[i].role == static_cast<Role>(i));
  for (const bool dark : {true, false}) {
    for (const Role role : {Role::text, Role::muted, Role::faster, Role::slower, Role::limit}) {
      CHECK(contrast(role, Role::panel, dark) >= 4.5);
    }
    CHECK(contrast(Role::text, Role::highlight, dark) >= 4.5);
    CHECK(contrast(Role::canvas, Role::series0, dark) >= 4.5);  // labels inside bars
    CHECK(contrast(Role::canvas, Role::baseline, dark) >= 4.5);
  }
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
