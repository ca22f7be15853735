// Strong and weak scaling: what is held against what, what is missing or noisy, Amdahl's serial share, the report's sections.
#include "common/view/chart/scaling.h"

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/stats/serial_share.h"
#include "common/view/chart/figures.h"
#include "common/view/chart/svg.h"
#include "common/view/report/report.h"
#include "tests/golden.h"
#include "tests/plot_cases.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::test;

namespace {

const Scaling kRanks = {
    .param = "ranks", .work = "batch", .alone = "parallel.cpu.one", .counts = "2,4,8"};
const Scaling kThreads = {.param = "threads", .counts = "1,2,4"};

/// A step of so many milliseconds. Round numbers: nothing here was measured.
Series step(const std::string& rung, int64_t ranks, int64_t batch, double ms) {
  Series series = measured(1, 0, "parallel.cpu." + rung, 1e6 * ms);
  series.params = {{"ranks", ranks}, {"batch", batch}, {"width", int64_t{256}}};
  series.size_param = "width";
  return series;
}

/// 100 ms of which `serial` cannot be shared, on each number of ranks.
double shared_ms(int64_t ranks, double serial) {
  return 100 * (serial + (1 - serial) / double(ranks));
}

Case strong() {
  Case made;
  made.series.push_back(step("one", 4, 64, 100));
  for (const int64_t ranks : {2, 4, 8}) {
    made.series.push_back(step("data_bucket", ranks, 64, shared_ms(ranks, 0.1)));
    made.series.push_back(step("tensor", ranks, 64, shared_ms(ranks, 0.02) + 2.0 * double(ranks)));
  }
  made.finish();
  return made;
}

const Curve* curve_of(const ChartModel& model, const std::string& rung) {
  for (const Curve& curve : model.plot->curves) {
    if (curve.name.ends_with(" · " + rung)) return &curve;
  }
  return nullptr;
}

bool says(const ChartModel& model, const std::string& part) {
  return std::any_of(model.legend.begin(), model.legend.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

ChartModel chart_of(const Case& made, const Scaling& of = kRanks, bool is_weak = false) {
  return scaling_chart(made.rows, {.of = of, .is_weak = is_weak, .param_titles = {}});
}

}  // namespace

TEST_CASE("strong scaling is held against the rung that works alone, with the widths of both") {
  const Case made = strong();
  const ChartModel model = chart_of(made);
  CHECK(model.plot->empty_reason.empty());
  REQUIRE(model.plot->curves.size() == 2);
  const Curve* bucket = curve_of(model, "data_bucket");
  REQUIRE(bucket);
  CHECK(bucket->name == "0.59 at 8 · data_bucket");
  REQUIRE(bucket->data.size() == 4);
  CHECK(bucket->data[0].x == 1);
  CHECK(bucket->data[0].y == 1);
  CHECK_FALSE(bucket->data[0].interval);  // the base's width is in all others
  CHECK(bucket->data[3].y == Approx(100 / shared_ms(8, 0.1)));
  REQUIRE(bucket->data[3].interval);
  CHECK(bucket->data[3].interval->low == Approx(bucket->data[3].y * 0.992 / 1.009));
  CHECK(bucket->data[3].interval->high == Approx(bucket->data[3].y * 1.009 / 0.992));
  CHECK(model.plot->x.ticks == std::vector<double>{1, 2, 4, 8});
  REQUIRE(find_guide(model, "perfect"));
  CHECK(find_guide(model, "perfect")->kind == Guide::Kind::slope);
  CHECK(find_guide(model, "perfect")->value == 1);
  CHECK(model.plot->y.high >= 8);
  CHECK(model.subtitle == "batch = 64");
  CHECK(says(model, "over one, 100 ms"));
  REQUIRE(model.table.rows.size() == 2);
  CHECK(model.table.columns == std::vector<std::string>{"Rung, batch = 64", "1 rank", "2 ranks",
                                                        "4 ranks", "8 ranks", "Of perfect",
                                                        "Serial share"});
  CHECK(model.table.rows[0][1] == "100 ms");
  CHECK(model.table.rows[0][5] == "0.59 of 8 ranks");
  CHECK(model.table.rows[0][6].starts_with("0.100 [0."));
  CHECK(model.table.rows[1][6] == kNone);  // its costs grow with the ranks: no share fits them
  CHECK(model.summary.find("data_bucket at 8 ranks: speedup ≈ 4.7×, interval [4.6") !=
        std::string::npos);
  CHECK(model.summary.find("serial share 0.100") != std::string::npos);
}

TEST_CASE("weak scaling is at work in step with the ranks; the same results make both") {
  Case made;
  for (const int64_t batch : {16, 64})
    made.series.push_back(step("one", 2, batch, 0.5 * double(batch)));
  for (const int64_t ranks : {2, 4, 8}) {
    for (const int64_t batch : {32, 64, 128}) {
      const double ms = 0.5 * double(batch) / double(ranks) + 0.5 * double(ranks);
      made.series.push_back(step("data_bucket", ranks, batch, ms));
    }
  }
  made.finish();
  for (LadderRow& row : made.rows) row.at_size = row.series->params == step("", 4, 64, 1).params;
  for (LadderRow& row : made.rows) row.selected = row.label == "data_bucket";
  const ChartModel weak = chart_of(made, kRanks, true);
  REQUIRE(weak.plot->curves.size() == 1);
  CHECK(weak.subtitle == "batch = 16 for each");
  CHECK(weak.plot->curves[0].name == "0.67 at 8 · data_bucket");
  REQUIRE(weak.plot->curves[0].data.size() == 4);
  CHECK(weak.plot->curves[0].data[3].y == Approx(8.0 / 12));
  CHECK(weak.plot->y.low == 0);
  CHECK(find_guide(weak, "perfect")->kind == Guide::Kind::horizontal);
  CHECK(says(weak, "7 results of other problems left out"));
  CHECK(weak.table.columns.back() == "Of perfect");
  const ChartModel both = chart_of(made);
  REQUIRE(both.plot->curves.size() == 1);
  CHECK(both.subtitle == "batch = 64");
  CHECK(both.plot->curves[0].data.size() == 4);
  // Where the amount of work is that of each, it stays as it is.
  const Scaling each = {.param = "ranks", .work = "batch", .is_each = true, .counts = "2,4,8"};
  const ChartModel of_each = chart_of(made, each, true);
  CHECK(of_each.subtitle == "batch = 64");
  CHECK(says(of_each, "each rung over its own time at 2 ranks"));
}

TEST_CASE("threads have a base of their own; where the least count is no one, it is said") {
  Case made;
  for (const int64_t threads : {1, 2, 4, 8}) {
    Series series = gemm("gemm.cpu.threads", 1024, 0.5);
    series.params["threads"] = threads;
    series.stats = measured(1, 0, series.kernel, 1e6 * shared_ms(threads, 0)).stats;
    made.series.push_back(series);
    if (threads == 1) continue;
    series.kernel = "gemm.cpu.openblas";
    made.series.push_back(series);
  }
  made.finish();
  ChartModel model = chart_of(made, kThreads);
  REQUIRE(model.plot->curves.size() == 1);
  CHECK(model.plot->curves[0].name == "1.00 at 8 · threads");
  CHECK(model.table.rows[0].back() == kNone);  // a share that may be 0 is none
  CHECK(says(model, "missing: openblas at 1; --set threads=1,2,4 measures all"));
  std::erase_if(made.rows,
                [](const LadderRow& row) { return param_int(row.series->params, "threads") == 1; });
  model = chart_of(made, kThreads);
  REQUIRE(model.plot->curves.size() == 2);
  CHECK(find_guide(model, "perfect")->value == 0.5);
  CHECK(model.plot->curves[0].name == "1.00 at 8 · threads");
  CHECK(says(model, "each rung over its own time at 2 threads"));
  CHECK_FALSE(chart_of(made, kThreads, true).plot->empty_reason.empty());
}

TEST_CASE("one point, no base, and nothing at all: each says what is missing") {
  const Case all = strong();
  const auto only = [&](std::initializer_list<size_t> which) {
    Case made = strong();
    made.rows.clear();
    for (const size_t i : which) made.rows.push_back(all.rows[i]);
    return made;
  };
  const ChartModel one_point = chart_of(only({0, 3}));
  REQUIRE(one_point.plot->curves.size() == 1);
  CHECK(one_point.plot->curves[0].data.size() == 2);
  CHECK(one_point.table.rows[0].back() == kNone);
  const ChartModel no_base = chart_of(only({1, 3, 5}));
  REQUIRE(no_base.plot->curves.size() == 1);
  CHECK(says(no_base, "missing: 1 rank; --set ranks=2,4,8 measures all"));
  CHECK(no_base.plot->curves[0].name == "0.65 at 8 · data_bucket");
  const ChartModel gap = chart_of(only({0, 1, 2, 3, 6}));
  CHECK(says(gap, "missing: tensor at 4; data_bucket at 8;"));
  for (const ChartModel& none : {chart_of(only({0})), chart_of(only({3})), chart_of(only({}))}) {
    CHECK(none.plot->curves.empty());
    CHECK(none.plot->empty_reason.find("--set ranks=2,4,8") != std::string::npos);
  }
  CHECK(chart_of(all, {}).plot->empty_reason.find("shared out") != std::string::npos);
}

TEST_CASE("a noisy end has one digit and says so; few samples have no interval and no share") {
  Case made = strong();
  Stats& noisy = *made.series[5].stats;  // data_bucket at 8
  noisy.ci_ns = Interval{0.6 * noisy.median_ns, 1.8 * noisy.median_ns};
  Stats& few = *made.series[2].stats;  // tensor at 2
  few.n = 3, few.ci_ns.reset();
  const ChartModel model = chart_of(made);
  CHECK(curve_of(model, "data_bucket")->name == "0.6 at 8, noisy · data_bucket");
  CHECK(curve_of(model, "data_bucket")->data[3].value_text == "≈ 5× noisy");
  CHECK_FALSE(curve_of(model, "tensor")->data[1].interval);
  CHECK(curve_of(model, "tensor")->data[1].note.find("no interval") != std::string::npos);
}

TEST_CASE("points of several runs say so, and a recording is hollow under its machine") {
  Case made = strong();
  made.series[3].request = 2;
  CHECK(says(chart_of(made), "of several runs"));
  made = strong();
  CHECK_FALSE(says(chart_of(made), "of several runs"));
  for (LadderRow& row : made.rows) row.origin = "Xeon";
  const ChartModel model = chart_of(made);
  CHECK(model.subtitle == "batch = 64, recorded on Xeon");
  CHECK(model.plot->curves[0].data[1].hollow);
}

TEST_CASE("Amdahl's share: exact points, and when there is none") {
  std::vector<stats::Speedup> points;
  for (const double p : {2.0, 4.0, 8.0}) {
    const double speedup = 1 / (0.2 + 0.8 / p);
    points.push_back({p, speedup, Interval{0.99 * speedup, 1.01 * speedup}});
  }
  const auto share = stats::serial_share(points);
  REQUIRE(share);
  CHECK(share->value == Approx(0.2));
  CHECK(share->interval.low < 0.2);
  CHECK(share->interval.high > 0.2);
  CHECK_FALSE(stats::serial_share(std::span(points).first(2)));
  auto other = points;
  other[1].interval.reset();
  CHECK_FALSE(stats::serial_share(other));
  other = points;
  other[2].value *= 0.8, other[2].interval = Interval{other[2].value * 0.99, other[2].value * 1.01};
  CHECK_FALSE(stats::serial_share(other));  // no curve goes through all
  for (stats::Speedup& one : points)
    one = {one.processors, one.processors, Interval{0.98 * one.processors, 1.02 * one.processors}};
  CHECK_FALSE(stats::serial_share(points));  // it may be 0
}

TEST_CASE("a run at several counts has the curves in its report; one at a single count has none") {
  const auto report_of = [](int counts) {
    Transcript out;
    add_start_of(&out);
    out.send(work(RequestType::run, 4, std::vector<std::string>(size_t(counts), kNaive)));
    for (int i = 0; i < counts; ++i) {
      Series series = measured(4, i, kNaive, 24e6 / (1 << i));
      series.params["threads"] = int64_t{1} << i;
      out.worker("result", with(about(4, i), "outcome", series));
    }
    report::Options options = report_options();
    options.scaling = kThreads;
    const Run run = read_run(out);
    return built(run, options);
  };
  const auto sections = [](const report::Report& report) {
    std::string ids;
    for (const report::Section& one : report.sections) {
      if (one.id.ends_with("scaling")) ids += one.id + " ";
    }
    return ids;
  };
  CHECK(sections(report_of(3)) == "scaling ");
  CHECK(sections(report_of(1)).empty());
}

TEST_CASE("ridgepoint report has the curves of a saved run over ranks") {
  const Folder folder;
  const std::string page = folder / "r.md";
  const Outcome made =
      Program(variable("RIDGE_BIN"),
              {"report", source_folder() + "/tests/golden/screens/scaling.jsonl", "--out", page})
          .finish();
  REQUIRE(made.code == 0);
  const std::string text = read_all(page);
  CHECK(has(text, "Strong scaling"));
  CHECK(has(text, "| Rung, rows of a step = 64 | 1 rank | 2 ranks | 4 ranks | 8 ranks |"));
}

TEST_CASE("scaling curves are legible at every width, and the golden one") {
  const Case made = strong();
  for (const float width : {480.0f, 800.0f, 1300.0f}) {
    for (const float height : {300.0f, 600.0f}) {
      for (const bool is_weak : {false, true}) {
        const Scaling of =
            is_weak ? Scaling{.param = "ranks", .work = "batch", .is_each = true, .counts = "2,4"}
                    : kRanks;
        INFO(width << " x " << height << " weak " << is_weak);
        check_scene(layout(chart_of(made, of, is_weak), {.width = width, .height = height}));
      }
    }
  }
  LayoutOptions options;
  options.width = 900;
  check_golden("scaling.svg", to_svg(chart_of(made), options));
}
