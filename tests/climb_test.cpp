// The climb's steps: what a badge, its note and its row say; where the pair and the bars disagree; why a step goes down.
// And the axes of rows: a bar begins at zero, or it is a dot.
#include "common/view/chart/climb.h"

#include <algorithm>
#include <cstdlib>

#include "common/core/format.h"
#include "common/record/in_turns.h"
#include "common/record/one_run.h"
#include "common/record/ratio_text.h"
#include "common/record/step_down.h"
#include "common/view/chart/ladder.h"
#include "common/view/chart/score.h"
#include "common/view/chart/svg.h"
#include "tests/chart_scene.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::chart;
using test::check_scene;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ClimbStep paired(Verdict verdict, double ratio, double alone) {
  ClimbStep step{.ratio = ratio, .verdict = verdict, .from = "AVX2"};
  step.interval = Interval{ratio * 0.99, ratio * 1.01};
  step.margin = 0.02;
  step.alone = alone;
  return step;
}

/// As in the window, where a row's name has room under it; a report has sentences under the chart.
ClimbOptions with_column() {
  ClimbOptions options;
  options.columns = {{"Time", "", ""}};
  return options;
}

std::vector<ClimbRow> two_rungs(const ClimbStep& step) {
  ClimbRow first{.label = "AVX2", .rate = 50e9};
  ClimbRow second{.label = "AVX-512", .rate = 60e9};
  second.step = step;
  return {first, second};
}

Series timed(const char* kernel, double call_ns) {
  Series series = test::measured(1, 0, kernel, call_ns);
  series.unavailable.clear();
  return series;
}

}  // namespace

TEST_CASE(
    "the pair and the bars: a badge that says another thing than the bars is grey and says both") {
  CHECK_FALSE(bars_disagree(paired(Verdict::faster, 1.3, 1.2)));
  CHECK_FALSE(bars_disagree(paired(Verdict::faster, 1.3, 0.999)));  // no bar is seen to be shorter
  CHECK(bars_disagree(paired(Verdict::faster, 1.3, 0.9)));
  CHECK(bars_disagree(paired(Verdict::slower, 0.87, 1.2)));
  CHECK_FALSE(bars_disagree(paired(Verdict::slower, 0.87, 0.9)));
  CHECK(bars_disagree(paired(Verdict::same, 1.0, 1.2)));
  CHECK_FALSE(bars_disagree(paired(Verdict::same, 1.0, 1.05)));
  CHECK_FALSE(bars_disagree(paired(Verdict::unresolved, 0.9, 1.2)));
  CHECK_FALSE(bars_disagree({.ratio = 0.5}));

  const ChartModel model =
      climb_chart(two_rungs(paired(Verdict::slower, 0.87, 1.2)), with_column());
  const Panel& steps = model.panels[1];
  CHECK(steps.row_reasons[1] == "≠ 0.870×");
  CHECK(steps.row_roles[1] == Role::muted);
  CHECK(has(steps.row_notes[1], "In turns with “AVX2”: slower, 0.870× as fast"));
  CHECK(has(steps.row_notes[1], "95 % interval [0.861, 0.879]"));
  CHECK(has(steps.row_notes[1], "each measured alone: ≈ 1.20×"));
  CHECK(has(steps.row_notes[1],
            "disagree: the bars were each timed alone, the badge is of runs in turns"));
  CHECK(has(model.rows[1].sublabel, "in turns slower"));
  CHECK(std::any_of(model.legend.begin(), model.legend.end(),
                    [](const std::string& words) { return has(words, "≠"); }));
  CHECK(has(model.table.rows[1][3], "[0.861, 0.879]"));

  const ChartModel agreed = climb_chart(two_rungs(paired(Verdict::faster, 1.2, 1.2)));
  CHECK(agreed.panels[1].row_reasons[1] == "▲ 1.20×");
  CHECK(agreed.panels[1].row_roles[1] == Role::faster);
  CHECK_FALSE(has(agreed.panels[1].row_notes[1], "disagree"));
}

TEST_CASE("figures that lean the other way by less than is seen of bars are marked too") {
  const auto badge = [](const ClimbStep& step) {
    return climb_chart(two_rungs(step), with_column()).panels[1];
  };
  const Panel faster = badge(paired(Verdict::faster, 1.016, 0.9968));
  CHECK(has(faster.row_reasons[1], "▲ 1.016× ≠"));
  CHECK(faster.row_roles[1] == Role::faster);
  CHECK(has(faster.row_notes[1], "each timed alone, the badge is of runs in turns"));
  CHECK(has(badge(paired(Verdict::slower, 0.95, 1.004)).row_reasons[1], "≠"));
  CHECK_FALSE(has(badge(paired(Verdict::faster, 1.016, 0.9995)).row_reasons[1], "≠"));
  CHECK_FALSE(has(badge(paired(Verdict::faster, 1.016, 1.01)).row_reasons[1], "≠"));
}

TEST_CASE("bars of two minutes that say the opposite of their badge mark it, and are not quoted") {
  ClimbStep step = paired(Verdict::faster, 1.05, 0.6);
  step.is_alone_rough = true;
  CHECK(bars_disagree(step));
  CHECK_FALSE(is_bar_apart(step));
  for (const ClimbOptions& options : {ClimbOptions{}, with_column()}) {
    const ChartModel model = climb_chart(two_rungs(step), options);
    const Panel& steps = model.panels[1];
    CHECK(has(steps.row_reasons[1], "≠ 1.05×"));
    CHECK(has(steps.row_notes[1], "the bars were each timed alone, the badge is of runs in turns"));
    CHECK_FALSE(has(steps.row_notes[1], "0.600"));
  }
}

TEST_CASE("a bar far from what its pair says is empty and grey, and its row says so") {
  CHECK_FALSE(is_bar_apart(paired(Verdict::faster, 11.6, 8.0)));
  CHECK(is_bar_apart(paired(Verdict::faster, 11.6, 7.0)));
  CHECK(is_bar_apart(paired(Verdict::faster, 2, 3.5)));
  CHECK_FALSE(is_bar_apart({.ratio = 0.5}));  // no pair
  ClimbStep at_one_clock = paired(Verdict::faster, 11.6, 7.0);
  at_one_clock.equal_clock = true;
  CHECK_FALSE(is_bar_apart(at_one_clock));
  auto rows = two_rungs(paired(Verdict::faster, 11.6, 0.746));
  rows[1].sublabel = "busy";
  for (const ClimbOptions& options : {ClimbOptions{}, with_column()}) {
    const ChartModel model = climb_chart(rows, options);
    CHECK(has(model.rows[1].sublabel, "alone, busy: its pair says 11.6×"));
    CHECK(model.panels[0].marks[1].outlined);
    CHECK_FALSE(model.panels[0].marks[1].hatched);  // that says: not measured here at this size
    CHECK(model.panels[0].marks[1].role == Role::muted);
    CHECK_FALSE(model.panels[0].marks[0].outlined);
    CHECK(std::any_of(model.legend.begin(), model.legend.end(),
                      [](const std::string& words) { return has(words, "not as its pair"); }));
  }
  const ChartModel near = climb_chart(two_rungs(paired(Verdict::faster, 1.2, 1.2)));
  CHECK_FALSE(near.panels[0].marks[1].outlined);
}

TEST_CASE("a step down says why, or what would settle it") {
  const std::vector<Ceiling> none;
  Series before = timed("gemm.cpu.packed_avx2", 1e6),
         after = timed("gemm.cpu.packed_avx512", 1.3e6);
  StepCause cause = why_slower(before, after, none, {});
  CHECK(cause.brief == "not known why");
  CHECK(has(cause.sentence, "hardware counters of both rungs would settle it"));
  after.unavailable["counters"] = "perf_event_paranoid is 4";
  CHECK(has(why_slower(before, after, none, {}).sentence, "perf_event_paranoid is 4"));

  before.counters = {{"cycles", 3e6, ""}, {"instructions", 6e6, ""}};
  after.counters = {{"cycles", 3.9e6, ""}, {"instructions", 8e6, ""}};
  CHECK(has(why_slower(before, after, none, {}).sentence, "1.33× the instructions"));
  after.counters = {{"cycles", 3e6, ""}, {"instructions", 6e6, ""}};
  CHECK(
      has(why_slower(before, after, none, {}).sentence, "its clock is lower: 3.00 GHz → 2.31 GHz"));
  after.counters = {{"cycles", 3.9e6, ""}, {"instructions", 6e6, ""}};
  CHECK(has(why_slower(before, after, none, {}).sentence, "not known why"));

  ClimbStep step = paired(Verdict::slower, 0.77, 0.77);
  step.why = {"a lower clock", "its clock is lower"};
  const ChartModel model = climb_chart(two_rungs(step), with_column());
  CHECK(model.rows[1].sublabel == "slower: a lower clock");
  CHECK(has(model.panels[1].row_notes[1], "Why: its clock is lower."));
  // Two medians decide nothing: no word of a verdict, no cause.
  step = {.ratio = 0.77,
          .from = "AVX2",
          .is_clear = true,
          .why = {"a lower clock", "its clock is lower"}};
  CHECK(climb_chart(two_rungs(step), with_column()).rows[1].sublabel == "not compared in turns");
  CHECK(is_step_down({.ratio = 0.9, .is_clear = true}));
  CHECK_FALSE(is_step_down({.ratio = 0.9}));  // of two medians whose intervals overlap
  CHECK_FALSE(is_step_down({.ratio = 0.99, .is_clear = true}));
  // A step that is clear takes both intervals.
  CHECK(are_clear(timed("gemm.cpu.packed", 1e6), timed("gemm.cpu.threads", 1.3e6)));
  CHECK_FALSE(are_clear(timed("gemm.cpu.packed", 1e6), timed("gemm.cpu.threads", 1.001e6)));
  Series few = timed("gemm.cpu.threads", 1.3e6);
  few.stats->ci_ns.reset();
  CHECK_FALSE(are_clear(timed("gemm.cpu.packed", 1e6), few));
  CHECK_FALSE(is_step_down(paired(Verdict::same, 0.9, 0.9)));
}

TEST_CASE("a clock explains no step that was measured at one clock for both") {
  Series before = timed("gemm.cuda.wgmma_tma", 1e6),
         after = timed("gemm.cuda.producer_consumer", 1.08e6);
  before.sm_clock_hz = 1.35e9;
  after.sm_clock_hz = 1.15e9;
  CHECK(has(why_slower(before, after, {}, {}).sentence, "1.35 GHz → 1.15 GHz"));  // each alone
  Comparison pair;
  pair.ratio = 0.97;
  CHECK(why_slower(before, after, {}, {}, &pair).brief == "not known why");
  pair.sustained = {{6, 1.00e6, 1.34e9, 689, 1.11}, {6, 1.05e6, 1.28e9, 698, 1.20}};
  CHECK(has(why_slower(before, after, {}, {}, &pair).sentence, "1.34 GHz → 1.28 GHz"));
}

TEST_CASE("a step over another rung than the one above it names that rung beside its ratio") {
  std::vector<ClimbRow> rows = two_rungs(paired(Verdict::faster, 1.2, 1.2));
  const auto step_of = [&](size_t row) {
    return climb_chart(rows, with_column()).panels[1].row_reasons[row];
  };
  CHECK(step_of(1) == "▲ 1.20×");
  rows.insert(rows.begin() + 1, ClimbRow{.label = "blocks", .reason = "not run yet"});
  CHECK(step_of(2) == "▲ 1.20× over AVX2");
  rows[1].is_peer = true;
  CHECK(step_of(2) == "▲ 1.20×");
}

TEST_CASE("an interval's ends stand on their side of 1 and of the margin as they are printed") {
  CHECK(ratio_interval_text(Interval{1.0204, 1.034}, 0.02) == "[1.0204, 1.0340]");
  CHECK(ratio_interval_text(Interval{1.0196, 1.034}, 0.02) == "[1.0196, 1.0340]");
  CHECK(ratio_interval_text(Interval{0.9998, 1.3}, 0.02) == "[0.9998, 1.3000]");
  CHECK(ratio_interval_text(Interval{0.5, 0.98042}, 0.02) == "[0.5000, 0.9804]");
  CHECK(ratio_interval_text(Interval{3.95, 4.05}, 0.02) == "[3.95, 4.05]");
  CHECK(ratio_interval_text(Interval{1.0, 1.02}, 0.02) == "[1.00, 1.02]");  // exactly there
  CHECK(ratio_interval_text(std::nullopt, 0.02) == "—");
}

TEST_CASE("a ratio beside its interval is printed within it") {
  CHECK(ratio_text(11.866, Interval{11.861, 11.872}) == "11.87×");
  CHECK(ratio_text(11.9, Interval{11.2, 12.4}) == "11.9×");
  CHECK(ratio_text(2.5, std::nullopt) == "2.50×");
  CHECK(ratio_text(1.056, Interval{1.01, 1.13}) == "1.06×");  // the interval bears no fourth digit
  CHECK(ratio_text(1.0064, Interval{1.0053, 1.0075}) == "1.006×");
  CHECK(ratio_text(49305, Interval{48047, 61371}) == format_number(49300, 3) + "×");
  // As many decimals as the ends that stand beside it.
  CHECK(ratio_text(0.98474, Interval{0.9164, 1.0046}) == "0.985×");
  CHECK(ratio_text(3.793, Interval{3.199, 4.389}) == "3.79×");
  CHECK(ratio_text(1.0197, Interval{1.0041, 1.0261}) == "1.020×");
  // One number of decimals for the ratio and both ends, whichever of the usual margins they stand beside.
  const auto both = [](double ratio, Interval ends, double margin) {
    return ratio_text(ratio, ends) + " " + ratio_interval_text(ends, margin);
  };
  CHECK(both(0.99656, {0.93994, 1.02081}, 0.02) == "0.997× [0.940, 1.021]");
  CHECK(both(0.9964, {0.9215, 1.0989}, 0.02) == "1.00× [0.92, 1.10]");
  CHECK(both(1.0000, {0.9987, 1.0012}, 0.01) == "1.000× [0.999, 1.001]");
  CHECK(both(1.19, {1.18, 1.195}, 0.02) == "1.19× [1.18, 1.20]");
  CHECK(both(0.00744, {0.00734, 0.00752}, 0.01) == "0.00744× [0.00734, 0.00752]");
  CHECK(both(0.0181, {0.00307, 0.0192}, 0.01) == "0.0181× [0.0031, 0.0192]");
  CHECK(both(10.7, {6.561, 16.62}, 0.02) == "10.7× [6.56, 16.6]");
  CHECK(both(1.001, {0.999999, 1.002001}, 0.02) == "1.0010× [0.999999, 1.002001]");
  CHECK(both(2.5, {0.0004, 4.4}, 0.01) == "2.50× [4.0e-4, 4.40]");
  CHECK(crossing_text({0.93994, 1.02081}, 0.02) ==
        "the interval [0.940, 1.021] crosses a limit of \"same\", 0.9804 to 1.0200");
  CHECK(is_of_crossing(crossing_text({0.93994, 1.02081}, 0.02)));
  ClimbStep step{.ratio = 11.866, .verdict = Verdict::faster, .from = "AVX2"};
  step.interval = Interval{11.861, 11.872};
  CHECK(climb_chart(two_rungs(step)).panels[1].row_reasons[1] == "▲ 11.87× [11.86, 11.87]");
}

TEST_CASE("a rough ratio of two medians stands in grey, with one digit and the word") {
  ClimbStep step{.ratio = 78.72, .from = "AVX2", .is_clear = true};
  CHECK(climb_chart(two_rungs(step)).panels[1].row_reasons[1] == "≈ 79×");
  step.is_noisy = true;
  const ChartModel model = climb_chart(two_rungs(step));
  CHECK(model.panels[1].row_reasons[1] == "≈ 80× noisy");
  CHECK(rough_number(16.4) == "16");  // 20 would be off by a fifth
  CHECK(rough_number(305) == "300");
  CHECK(rough_number(0.71) == "0.71");
  CHECK(model.panels[1].row_roles[1] == Role::muted);
  CHECK(has(model.panels[1].row_notes[1], "rough"));
  step.ratio = 0.5;
  CHECK_FALSE(is_step_down(step));

  Series before = timed("gemm.cpu.packed", 1e6), after = timed("gemm.cpu.threads", 1.001e6);
  CHECK_FALSE(is_noisy_quotient(before, after));  // quiet, and as fast
  after.stats->flags = {"contended"};
  CHECK(is_noisy_quotient(before, after));
  after = timed("gemm.cpu.threads", 0.5e6);
  after.stats->flags = {"contended"};
  CHECK_FALSE(is_noisy_quotient(before, after));  // busy, but far apart
  after.stats->ci_ns = Interval{0.3e6, 0.7e6};
  CHECK(is_noisy_quotient(before, after));
}

TEST_CASE("a rung that failed says so in a role of its own") {
  std::vector<ClimbRow> rows = two_rungs({.ratio = 1.2, .from = "AVX2"});
  rows[1] = {.label = "AVX-512", .reason = "✕ check failed, no speed", .has_failed = true};
  for (const bool log_time : {false, true}) {
    const ChartModel model = climb_chart(rows, {.log_time = log_time});
    CHECK(model.panels[0].row_reasons[1] == "✕ check failed, no speed");
    CHECK(model.panels[0].row_roles == std::vector<Role>{Role::muted, Role::slower});
  }
}

TEST_CASE("a value stands at its own end, not beyond a long whisker") {
  std::vector<ClimbRow> rows = two_rungs({.ratio = 1.2, .from = "AVX2"});
  rows[1].interval = Interval{40e9, 85e9};
  const Scene scene = layout(climb_chart(rows), {.width = 1200});
  check_scene(scene);
  const auto label =
      std::find_if(scene.primitives.begin(), scene.primitives.end(), [](const Primitive& p) {
        return p.kind == Primitive::Kind::text && p.mono && p.text == "60.0";
      });
  REQUIRE(label != scene.primitives.end());
  CHECK(test::box_of(*label).x1 < scene.x_axes[0].px(60e9));
}

TEST_CASE("a pair at one clock beside bars of two says so, in a report too") {
  ClimbStep step = paired(Verdict::faster, 2.41, 2.07);
  CHECK(climb_chart(two_rungs(step)).rows[1].sublabel.empty());  // sustained: the bars' kind
  step.equal_clock = true;
  CHECK(has(climb_chart(two_rungs(step)).table.rows[1][3], "] at equal clock"));
  for (const ClimbOptions& options : {ClimbOptions{}, with_column()}) {
    const ChartModel model = climb_chart(two_rungs(step), options);
    CHECK(model.rows[1].sublabel == "alone ≈ 2.07×");
    CHECK(has(model.panels[1].row_reasons[1], "at equal clock"));
    CHECK(has(model.panels[1].row_notes[1], "both ran at one clock"));
  }
  step.alone = 2.40;  // nothing that is seen
  CHECK(climb_chart(two_rungs(step)).rows[1].sublabel.empty());
}

TEST_CASE("a ceiling's line leaves out the rungs of another unit, and a pair without a bar stays") {
  std::vector<ClimbRow> rows = two_rungs(paired(Verdict::faster, 2, 2));
  rows.push_back({.label = "3xTF32", .rate = 110e9, .other_unit = true});
  rows[1].rate.reset();
  rows[1].reason = "only timed in turns: 60 GFLOP/s";
  ClimbOptions options;
  options.ceiling =
      Ceiling{"FFMA fp32", Backend::cuda, "flop", "fp32", 0, 65e9, "FLOP/s", "measured"};
  const ChartModel model = climb_chart(rows, options);
  REQUIRE(model.panels[0].rules.size() == 1);
  CHECK(model.panels[0].rules[0].not_rows == std::vector<int>{2});
  CHECK(model.panels[0].marks.size() == 2);
  CHECK(model.panels[0].row_reasons[1] == "only timed in turns: 60 GFLOP/s");
  CHECK(model.panels[1].row_reasons[1] == "▲ 2.00×");
  const Scene scene = layout(model, {.width = 900, .height = 400});
  const auto reaches_last = [&](const Primitive& one) {
    return one.kind == Primitive::Kind::line && one.dashed && one.a.x == one.b.x &&
           one.b.y > scene.body_bottom - 10;
  };
  CHECK(std::none_of(scene.primitives.begin(), scene.primitives.end(), reaches_last));
}

TEST_CASE("a ceiling in doubt is a grey line that says so") {
  ClimbOptions options;
  options.ceiling =
      Ceiling{"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 55e9, "FLOP/s", "measured"};
  const auto rule = [&] {
    return climb_chart(two_rungs(paired(Verdict::faster, 1.2, 1.2)), options).panels[0].rules.at(0);
  };
  CHECK(rule().role == Role::text);
  CHECK_FALSE(has(rule().label, "in doubt"));
  options.ceiling->doubt = "other programs used the CPU meanwhile";
  CHECK(rule().role == Role::muted);
  CHECK(has(rule().label, "in doubt: other programs used the CPU meanwhile"));
}

TEST_CASE("one long whisker leaves the bars their length and runs over the edge with an arrow") {
  std::vector<ClimbRow> rows = two_rungs(paired(Verdict::faster, 1.2, 1.2));
  rows[0].interval = Interval{20e9, 900e9};
  const ChartModel model = climb_chart(rows, {});
  CHECK(model.panels[0].axis.high < 100e9);
  const Scene scene = layout(model, {.width = 900, .height = 400});
  check_scene(scene);
  int slanted = 0;  // nothing else in the chart is
  for (const Primitive& one : scene.primitives)
    slanted += one.kind == Primitive::Kind::line && one.a.x != one.b.x && one.a.y != one.b.y;
  CHECK(slanted == 2);
  // Its value stands at the bar's end, and the whisker goes on behind it.
  const Primitive* value = nullptr;
  for (const Primitive& one : scene.primitives)
    if (one.text == "50.0") value = &one;
  REQUIRE(value);
  const auto crosses = [&](const Primitive& one) {
    return one.kind == Primitive::Kind::line && one.a.y == one.b.y && one.a.y == value->a.y &&
           one.a.x < value->a.x + 4 && one.b.x > value->a.x + 4;
  };
  CHECK(std::none_of(scene.primitives.begin(), scene.primitives.end(), crosses));
  // A log axis has its decades by the marks, too.
  ClimbOptions log;
  log.log_time = true;
  rows[0].time_s = 1e-3, rows[0].time_interval_s = Interval{1e-7, 1e3};
  rows[1].time_s = 0.9e-3;
  const Axis& axis = climb_chart(rows, log).panels[0].axis;
  CHECK(axis.high / axis.low < 100);
}

TEST_CASE("a headline has no digit that its interval does not bear") {
  CHECK(supported_ratio_text(16.4, Interval{4.96, 46.5}) == "between 4.9× and 47×");
  CHECK(supported_ratio_text(0.96, Interval{0.5, 1.2}) == "between 0.5× and 1.2×");
  CHECK(supported_ratio_text(2.0, Interval{1.98, 2.02}) == format_ratio(2.0));
  CHECK(supported_ratio_text(2.714, Interval{2.4, 3.0}) == "2.71×");
  CHECK(supported_ratio_text(8.6, Interval{8.13, 11.2}) == "8.6×");
  CHECK(supported_ratio_text(16.43, Interval{14.1, 18.2}) == "16.4×");
  CHECK(supported_ratio_text(163.7, Interval{140, 190}) == "164×");
  CHECK(supported_ratio_text(1.004, Interval{1.003, 1.005}) == format_ratio(1.004));
  CHECK(supported_ratio_text(2.714, std::nullopt) == format_ratio(2.714));
}

TEST_CASE("no row of a logarithmic axis has a bar: the axis has no zero") {
  ChartModel model{.id = "any"};
  model.rows = {{.label = "a"}, {.label = "b"}};
  Panel panel{.title = "Time"};
  panel.axis = {.unit = "s", .scale = Scale::log, .low = 1e-3, .high = 10};
  panel.marks = {{.row = 0, .value = 2}, {.row = 1, .value = 0.01}};
  model.panels = {panel};
  const auto count = [](const Scene& scene, Primitive::Kind kind) {
    return std::count_if(scene.primitives.begin(), scene.primitives.end(),
                         [&](const Primitive& p) { return p.kind == kind; });
  };
  const Scene dots = layout(model, {});
  CHECK(count(dots, Primitive::Kind::rect) == 0);
  CHECK(count(dots, Primitive::Kind::marker) == 2);
  check_scene(dots);
  model.panels[0].axis.scale = Scale::linear;
  model.panels[0].axis.low = 0;
  const Scene bars = layout(model, {});
  CHECK(count(bars, Primitive::Kind::rect) == 2);
  CHECK(count(bars, Primitive::Kind::marker) == 0);
  // What builders make: each panel is one or the other.
  Series fast = timed("gemm.cpu.a", 1e3), slow = timed("gemm.cpu.b", 1e9);
  const std::vector<LadderRow> rows = {{.label = "a", .series = &fast, .is_baseline = true},
                                       {.label = "b", .series = &slow}};
  for (const Panel& one : ladder_chart(rows).panels) {
    INFO(one.title);
    for (const Mark& mark : one.marks)
      CHECK((one.axis.scale == Scale::linear) == (mark.marker == Marker::none));
    if (one.axis.scale == Scale::linear) CHECK(one.axis.low <= 0);
  }
}

TEST_CASE("a narrow page leaves out its last columns and names them; half a reason is a dash") {
  std::vector<ClimbRow> rows = two_rungs({.ratio = 1.2, .from = "AVX2"});
  for (ClimbRow& row : rows) row.cells = {"75.0 ms", "97.1 %", "8.4e-14 ✓", "557 MB/s"};
  ClimbOptions options;
  options.columns = {
      {"Time", "", ""}, {"Of ceiling", "", ""}, {"Error", "", ""}, {"Bandwidth", "", ""}};
  const ChartModel model = climb_chart(rows, options);
  const auto says = [&](float width, const std::string& words) {
    const Scene scene = layout(model, {.width = width});
    check_scene(scene);
    std::string all;  // a legend's lines one after the other
    for (const Primitive& p : scene.primitives) all += p.text.empty() ? "" : p.text + " ";
    return has(all, words);
  };
  CHECK(says(1000, "557 MB/s"));
  CHECK_FALSE(says(1000, "no room for"));
  CHECK(says(480, "no room for: "));
  CHECK_FALSE(says(480, "557 MB/s"));
  CHECK(says(480, "≈ 1.2×"));  // the step stays, whole
  for (float width = 300; width < 1200; width += 60) CHECK_FALSE(says(width, "1.2…"));
}

TEST_CASE("a low place shows whole names and whole parts of what stands beside and below them") {
  ClimbStep down = paired(Verdict::slower, 0.938, 0.94);
  down.why.brief = "limited by the launch overhead of its many short calls";
  std::vector<ClimbRow> rows = two_rungs(down);
  rows[1].label = "one forward, one backward";
  rows[1].sublabel = "few samples";
  for (ClimbRow& row : rows) row.cells = {"75.0 ms"};
  ChartModel model = climb_chart(rows, with_column());
  model.rows[1].section = "Processes over shared memory";
  for (int i = 0; i < 9; ++i) model.legend.push_back("a sign: what it stands for");
  for (const float height : {130.0f, 200.0f, 260.0f, 400.0f}) {
    INFO(height);
    const Scene scene = layout(model, {.width = 640, .height = height, .is_brief = height < 200});
    check_scene(scene);
    std::string all;
    for (const Primitive& p : scene.primitives) {
      all += p.text + "\n";
      const bool is_mark = p.text == "…" || p.text.ends_with(" …");
      CHECK((is_mark || !p.text.ends_with("…")));
    }
    CHECK(has(all, "one forward, one backward\n"));
    if (height > 200) CHECK(has(all, "few samples"));
    CHECK(has(all, "Processes over shared memory\n"));
    const bool has_all = std::any_of(scene.hits.begin(), scene.hits.end(), [](const Hit& hit) {
      return hit.note.ends_with("a sign: what it stands for");
    });
    CHECK(has_all == has(all, "· …"));  // what is left out is read by pointing
  }
}

TEST_CASE("of a reason across the panels that is too long whole parts go") {
  std::vector<ClimbRow> rows = two_rungs({.ratio = 1.2, .from = "AVX2"});
  rows[1] = {.label = "AVX-512",
             .reason = "not in this saved run; 1.12 PFLOP/s in fp8 at n = 2048"};
  const auto shows = [&](float width, const std::string& words) {
    const Scene scene = layout(climb_chart(rows, with_column()), {.width = width, .height = 120});
    return std::any_of(scene.primitives.begin(), scene.primitives.end(),
                       [&](const Primitive& p) { return p.text == words; });
  };
  CHECK(shows(900, rows[1].reason));
  CHECK(shows(400, "not in this saved run"));
}

TEST_CASE("a name takes no panel from the chart") {
  std::vector<ClimbRow> rows = two_rungs({.ratio = 1.2, .from = "AVX2"});
  for (ClimbRow& row : rows) row.cells = {"75.0 ms", "97.1 %", "8.4e-14 ✓", "557 MB/s"};
  ClimbOptions options;
  options.columns = {
      {"Time", "", ""}, {"Of ceiling", "", ""}, {"Error", "", ""}, {"Bandwidth", "", ""}};
  const TextWidth builtin;
  const TextFit fit{builtin, LayoutOptions{}.font_px, false, true};
  const auto panels = [&](float width) {
    return layout(climb_chart(rows, options), {.width = width, .height = 200}).x_axes.size();
  };
  for (float width = 400; width < 1200; width += 40) {
    INFO(width);
    rows[1].label = "n";
    while (fit(rows[1].label) < width * 0.24f) rows[1].label += "n";
    const size_t before = panels(width);
    rows[1].label += " and on, and on, and on";
    CHECK(panels(width) == before);
  }
}

TEST_CASE("a long step becomes brief before a measured column goes") {
  ClimbStep step{.ratio = 22, .verdict = Verdict::faster, .from = "another rung, with a long name"};
  step.interval = Interval{20.9, 23.0};
  std::vector<ClimbRow> rows = two_rungs(step);
  for (ClimbRow& row : rows) row.cells = {"75.0 ms", "8.4e-14 ✓"};
  ClimbOptions options;
  options.columns = {{"Time", "", ""}, {"Error", "", ""}};
  const ChartModel model = climb_chart(rows, options);
  const auto texts = [&](float width) {
    std::string all;
    for (const Primitive& p : layout(model, {.width = width}).primitives) all += p.text + "\n";
    return all;
  };
  CHECK(has(texts(1000), "▲ 22.0× [20.9, 23.0] over another rung, with a long name"));
  CHECK(has(texts(600), "▲ 22.0× …"));
  CHECK_FALSE(has(texts(600), "no room for"));
  CHECK(has(texts(600), "8.4e-14 ✓"));
  // A note under a name takes no column either.
  rows[1].sublabel = "no step: it needs more than one thread, and here is one alone";
  const Scene low = layout(climb_chart(rows, options), {.width = 600, .height = 130});
  for (const Primitive& p : low.primitives) CHECK_FALSE(has(p.text, "no room for"));
}

TEST_CASE("what wide bars can spare has a step's interval whole") {
  ClimbStep step{.ratio = 1.24, .verdict = Verdict::faster, .from = "AVX2"};
  step.interval = Interval{1.16, 1.30};
  step.margin = 0.02;
  std::vector<ClimbRow> rows = two_rungs(step);
  ClimbOptions options;
  for (const char* title : {"Time", "Of ceiling", "Error", "Bandwidth"}) {
    options.columns.push_back({title, "", ""});
    for (ClimbRow& row : rows) row.cells.push_back("1.7e-13 ✓ here");
  }
  int whole = 0;  // where the last column went before the bars became short
  for (float width = 500; width <= 1400; width += 20) {
    std::string all;
    for (const Primitive& p :
         layout(climb_chart(rows, options), {.width = width, .font_px = 18}).primitives)
      all += p.text + "\n";
    whole += has(all, "no room for") && has(all, "▲ 1.24× [1.16, 1.30]");
  }
  CHECK(whole > 0);
  // High rows have it in two lines, before it is cut to its ratio.
  int in_two = 0;
  for (float width = 500; width <= 900; width += 10) {
    std::string all;
    for (const Primitive& p :
         layout(climb_chart(rows, options), {.width = width, .height = 500, .font_px = 18})
             .primitives)
      all += p.text + "\n";
    in_two += has(all, "▲ 1.24×\n[1.16, 1.30]\n");
  }
  CHECK(in_two > 0);
}

TEST_CASE("a figure knows whether its rung ran alone or in turns") {
  const Run run = test::report_run();
  int alone = 0, in_turns = 0;
  for (const Series& series : run.series()) {
    if (!series.stats) continue;
    (is_in_turns(run, series) ? in_turns : alone) += 1;
  }
  CHECK(alone > 0);
  CHECK(in_turns == 2);
}

TEST_CASE("a chart that grows is whole in its first frame, and where nothing moves") {
  const ChartModel model = climb_chart(two_rungs({}), {.unit = "FLOP/s"});
  const std::string svg = to_svg(model, LayoutOptions{}, {.growing = true});
  CHECK(has(svg, "class=\"grow\""));
  CHECK(has(svg, "class=\"come\""));
  // A mode "both" or "backwards" would hide a bar until its animation begins.
  CHECK_FALSE(has(svg, "both"));
  CHECK_FALSE(has(svg, "backwards"));
  size_t moving = 0;
  const std::string delay = "animation-delay:";
  for (size_t at = 0; (at = svg.find(delay, at)) != std::string::npos; ++moving) {
    at += delay.size();
    CHECK(std::atof(svg.c_str() + at) > 0);
  }
  CHECK(moving >= 2);
}
