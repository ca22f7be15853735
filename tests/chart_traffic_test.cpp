// Charts of the parts of a whole: a cache model's traffic beside the time, a network's parts beside their
// rungs, a model's tokens with each type of weights.
#include <algorithm>
#include <cmath>

#include "common/view/chart/decode.h"
#include "common/view/chart/ladder.h"
#include "common/view/chart/traffic.h"
#include "common/view/chart/workload.h"
#include "tests/chart_scene.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::chart;
using test::check_scene;

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
  CHECK(model.table.rows[0][2] == "286 MiB");
  CHECK(model.table.rows[1][2] == "unavailable: this CPU offers none");
  CHECK(model.table.rows[0][4].starts_with("unavailable: perf_event"));
  CHECK(model.summary.find("the L2 -1.00, the L3 all alike, memory +1.00") != std::string::npos);
  for (const float width : {800.0f, 1200.0f, 1900.0f}) {
    LayoutOptions options;
    options.width = width;
    check_scene(layout(model, options));
  }
  const ChartModel none = traffic_chart(std::span(rows).first(1));
  // What all of its panels lack is said once, and whole.
  LayoutOptions narrow;
  narrow.width = 800;
  const Scene bare = layout(none, narrow);
  CHECK(std::count_if(bare.primitives.begin(), bare.primitives.end(), [](const Primitive& one) {
          return one.text == "Run a rung whose loads are modelled.";
        }) == 1);
  CHECK(std::none_of(bare.primitives.begin(), bare.primitives.end(),
                     [](const Primitive& one) { return one.text.ends_with("…"); }));
  CHECK(none.rows.empty());
  CHECK_FALSE(none.panels[0].empty_reason.empty());
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
  const auto says = [&] {
    const ChartModel made = workload_chart(input);
    return std::count(made.legend.begin(), made.legend.end(),
                      "Speed at its shape: 100 GFLOP/s in every row");
  };
  CHECK(says() == 1);
  const auto names_a_rate = [&] {
    const ChartModel made = workload_chart(input);
    return std::count(made.legend.begin(), made.legend.end(), "every part: at the rate of n = 64");
  };
  for (WorkloadRow& row : input.rows) row.how = "at the rate of n = 64";
  CHECK(names_a_rate() == 0);  // each was measured at its shape
  for (WorkloadRow& row : input.rows) row.exact = false;
  CHECK(names_a_rate() == 1);
  for (WorkloadRow& row : input.rows) row.exact = true;
  input.rows[1].flop = 2e9;
  CHECK(says() == 0);
  CHECK_FALSE(workload_chart(input).panels[1].marks[0].bare);
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

TEST_CASE("a published network's table counts: as printed, ours, and the steps without a product") {
  WorkloadInput input{.title = "a network", .rung = "threads"};
  WorkloadRow row{.label = "scores", .shape = "64 x 56"};
  row.flop = 2e6, row.parameters = 300;
  input.rows = {row};
  CHECK(workload_chart(input).table.columns.size() == kWorkloadCounts);
  input.printed_parameters = 350;
  input.rows[0].printed = WorkloadPrinted{.macs = 1e6, .ours = 1e5, .of = "one head"};
  input.rows[0].then = {{.label = "softmax", .note = "no product", .parameters = 40}};
  const ChartModel model = workload_chart(input);
  REQUIRE(model.table.rows.size() == 2);
  const auto counts = [&](size_t i) {
    const auto& cells = model.table.rows[i];
    return std::vector<std::string>(cells.begin() + kWorkloadCounts, cells.end());
  };
  CHECK(counts(0) == std::vector<std::string>{"1e+06", "1e+06", "one head", "100000", "300"});
  CHECK(counts(1) == std::vector<std::string>{"none", "", "", "", "40"});
  CHECK(model.table.rows[1].size() == model.table.columns.size());
  CHECK(model.rows.size() == 1);  // a step has no bar
  CHECK(model.panels[0].marks[0].note.ends_with("Printed for one head: 1e+06 MACs; ours: 100000."));
  CHECK(model.summary.ends_with(
      "The whole has 1e+06 MACs and 340 parameters; printed: 350 parameters."));
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
  const auto says_broken = [](const ChartModel& shown) {
    return std::any_of(shown.legend.begin(), shown.legend.end(),
                       [](const std::string& one) { return one.starts_with("over 100 %: "); });
  };
  CHECK_FALSE(says_broken(model));
  rows[0].step_s = *rows[0].floor_s / 1.08;
  const ChartModel broken = decode_chart(rows, {.title = "Decode", .tokens = 2});
  CHECK(says_broken(broken));
  CHECK(broken.panels[0].marks[1].label.starts_with("not held: "));
  CHECK(broken.panels[0].marks[3].label.starts_with("≤ "));
  for (DecodeRow& row : rows) row.energy_j.reset();
  CHECK(decode_chart(rows, {}).panels[2].empty_reason == "no counter");
}
