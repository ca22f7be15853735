// Predictions held against results: which result answers which, what is after the fact, what the
// roofline model says; in report, Markdown and JSON.
#include "common/view/report/predictions.h"

#include <nlohmann/json.hpp>

#include "common/view/chart/ladder.h"
#include "common/view/chart/ladder_predictions.h"
#include "common/view/report/document.h"
#include "common/view/report/format.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

namespace ridge::test {
namespace {

constexpr const char* kKernel = "gemm.cpu.naive_o1";

/// A transcript in which one rung is predicted and run, in the order the test asks for.
struct Told {
  Transcript out;
  Run run;
  int64_t next = 1;

  Told() {
    out.worker("hello", {{"version", "0"}, {"pid", 1}, {"build", Json::object()}});
    const std::vector<Ceiling> ceilings = {
        {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1e12, "FLOP/s", "measured"}};
    out.worker("result", {{"request", 99}, {"ceilings", ceilings}});
  }
  void predict(double value_ns, int64_t n = 64) {
    out.app("predict", {{"kernel", kKernel}, {"params", {{"n", n}}}, {"value", value_ns}});
  }
  void measure(double t_ns, bool passes = true, int64_t n = 64, const char* kernel = kKernel) {
    WorkRequest request;
    request.type = RequestType::run;
    request.id = next++;
    request.lab = "gemm";
    request.kernels = {{kernel, {{"n", n}}}};
    out.send(request);
    Series series = outcome(request.id, 0, kernel);
    series.params = {{"n", n}};
    series.stats = Stats{20, t_ns, t_ns, t_ns, t_ns, t_ns, interval(t_ns), 0, 0, 1, {}};
    series.checks = {check(passes)};
    series.flop = 1e6;
    series.bytes_min = 0;
    if (!passes) {
      series.status = SeriesStatus::failed;
      series.reason = "wrong";
    }
    if (share) {
      std::vector<Sample> taken = samples(20, t_ns);
      for (Sample& sample : taken) sample.cpu_ns = sample.t_ns * *share;
      out.worker("samples",
                 {{"request", request.id}, {"series", 0}, {"phase", "call"}, {"samples", taken}});
    }
    out.worker("result", {{"request", request.id}, {"series", 0}, {"outcome", series}});
    out.worker("done", {{"request", request.id}, {"status", "ok"}});
  }
  std::optional<double> share;  ///< of its time that a rung had the processor; absent: no samples
  double spread = 0;            ///< of the intervals, as a share of the time
  Interval interval(double t_ns) const { return {t_ns * (1 - spread), t_ns * (1 + spread)}; }
  const Run& told() {
    run = Run();
    for (const std::string& line : out.lines) run.apply_line(line);
    return run;
  }
};

TEST_CASE("the first valid result after a prediction answers it, that of its own step") {
  Told told;
  told.predict(3e6);
  told.measure(5e6, false);  // a rung that fails its check has no speed
  told.measure(6e6);
  told.measure(9e6);  // of a later step
  told.measure(8e6, false);
  const auto all = report::reveal(told.told());
  REQUIRE(all.size() == 1);
  CHECK(*all[0].measured_ns == Approx(6e6));
  CHECK(*all[0].factor == Approx(2));
  CHECK_FALSE(all[0].after_the_fact);
  // 1e6 FLOP under 1e12 FLOP/s
  REQUIRE(all[0].least.time_ns);
  CHECK(*all[0].least.time_ns == Approx(1e3));
  CHECK(all[0].least.ceiling == "FMA fp32, 1 thread");
  CHECK(report::prediction_sentence(all[0]) ==
        "Predicted 3.00 ms, measured 6.00 ms: 2.00× as long as predicted.");
}

TEST_CASE("after the fact: a result for the same parameters was there") {
  Told told;
  told.measure(6e6);
  told.predict(6e6);
  told.predict(6.3e6, 128);
  told.measure(6e6);
  told.measure(6e6, true, 128);
  const auto all = report::reveal(told.told());
  REQUIRE(all.size() == 2);
  CHECK(all[0].after_the_fact);
  CHECK(all[0].series == &told.run.series()[1]);  // not the one it was read off
  CHECK_FALSE(all[1].after_the_fact);
  CHECK(report::prediction_sentence(all[0]).starts_with("After the fact: predicted "));
  CHECK(report::prediction_sentence(all[1]).find("right within a tenth") != std::string::npos);
}

TEST_CASE("a prediction is right where the interval of what was measured holds it") {
  Told told;
  told.spread = 0.2;
  told.predict(7e6);
  told.measure(6e6);
  CHECK(report::prediction_sentence(report::reveal(told.told()).front()) ==
        "Predicted 7.00 ms, measured 6.00 ms: right, inside its interval [4.80, 7.20] ms.");
  told.spread = 0.5;  // three times as long at the one end as at the other
  told.predict(7e6);
  told.measure(6e6);
  CHECK(test::contains(
      report::prediction_sentence(report::reveal(told.told()).back()),
      "inside its interval [3.00, 9.00] ms, which is so wide that this says little"));
}

TEST_CASE("a factor is answered as a factor, of pairs where there are any") {
  Told told;
  const auto say = [&](double factor) {
    told.out.app("predict", {{"kernel", kKernel},
                             {"params", {{"n", 64}}},
                             {"value", 0},
                             {"factor", factor},
                             {"of", "gemm.cpu.naive_o3"}});
  };
  say(8);
  told.measure(1e6);
  auto one = report::reveal(told.told()).front();
  CHECK_FALSE(one.ratio);
  CHECK(test::contains(report::prediction_sentence(one), "has no result here"));
  told.measure(19e6, true, 64, "gemm.cpu.naive_o3");
  one = report::reveal(told.told()).front();
  CHECK(*one.predicted_ns == Approx(19e6 / 8));
  CHECK(report::prediction_sentence(one) ==
        "You said 8×, it is ≈ 19× (each alone: no interval): faster than you said, by 2.38×.");
  // A side of a comparison is no run of its own: the ladder shows the run.
  Series side = outcome(90, 0, kKernel);
  side.params = {{"n", int64_t{64}}};
  side.mode = RunMode::compare;
  side.stats = Stats{20, 3e6, 3e6, 3e6, 3e6, 3e6, Interval{3e6, 3e6}, 0, 0, 1, {}};
  side.checks = {check(true)};
  told.out.worker("result", {{"request", 90}, {"series", 0}, {"outcome", side}});
  one = report::reveal(told.told()).front();
  CHECK(*one.measured_ns == Approx(1e6));
  Comparison made;
  made.request = 91;
  made.baseline = "gemm.cpu.naive_o3";
  made.candidate = kKernel;
  made.baseline_params = made.candidate_params = {{"n", int64_t{64}}};
  made.cache = CacheMode::hot;
  made.ratio = 8.2;
  made.verdict = Verdict::faster;
  told.out.worker("result", {{"request", 91}, {"comparisons", std::vector<Comparison>{made}}});
  one = report::reveal(told.told()).front();
  // What judged it stays: the pair is named beside it.
  CHECK(report::prediction_sentence(one) ==
        "You said 8×, it is ≈ 19× (each alone: no interval): faster than you said, by 2.38×. A "
        "pair since then: 8.20× (no interval: too few samples).");
  told.measure(38e6, true, 64, "gemm.cpu.naive_o3");  // another minute's
  CHECK(*report::reveal(told.told()).front().ratio == Approx(19));
  // A pair with an interval knows better than two times that were each taken alone.
  made.request = 95;
  made.ci = Interval{7.9, 8.5};
  told.out.worker("result", {{"request", 95}, {"comparisons", std::vector<Comparison>{made}}});
  const std::string settled = report::prediction_sentence(report::reveal(told.told()).front());
  INFO(settled);
  CHECK(test::contains(settled, "it is 8.20× [7.90, 8.50] in pairs: right, inside its interval"));
}

TEST_CASE(
    "a pair that was made before the run answers a factor, and not two times of other minutes") {
  Told told;
  told.measure(19e6, true, 64, "gemm.cpu.naive_o3");
  Comparison made;
  made.baseline = "gemm.cpu.naive_o3";
  made.candidate = kKernel;
  made.baseline_params = made.candidate_params = {{"n", int64_t{64}}};
  made.cache = CacheMode::hot;
  made.ratio = 7.67;
  made.ci = Interval{7.52, 8.05};
  made.verdict = Verdict::faster;
  told.out.worker("result", {{"request", 0}, {"comparisons", std::vector<Comparison>{made}}});
  told.out.app("predict", {{"kernel", kKernel},
                           {"params", {{"n", 64}}},
                           {"value", 0},
                           {"factor", 20},
                           {"of", "gemm.cpu.naive_o3"}});
  told.measure(1e6);
  const auto revealed = report::reveal(told.told()).front();
  CHECK(*revealed.ratio == Approx(7.67));  // what the verdict says beside it
  CHECK(test::contains(report::prediction_sentence(revealed), "it is 7.67× [7.52, 8.05] in pairs"));
}

TEST_CASE("two rough times settle a factor that is far off, and none near their quotient") {
  const auto said = [](double factor) {
    Told told;
    told.spread = 0.9;
    told.out.app("predict", {{"kernel", kKernel},
                             {"params", {{"n", 64}}},
                             {"value", 0},
                             {"factor", factor},
                             {"of", "gemm.cpu.naive_o3"}});
    told.measure(1e6);
    told.measure(1.2e6, true, 64, "gemm.cpu.naive_o3");
    return report::prediction_sentence(report::reveal(told.told()).front());
  };
  CHECK(test::contains(said(1.5), "two rough times do not settle it; compare them in turns."));
  CHECK(test::contains(said(9), "slower than you said, by "));
}

TEST_CASE("a factor over a rung that lost another part of its time is not judged") {
  Told told;
  told.out.app("predict", {{"kernel", kKernel},
                           {"params", {{"n", 64}}},
                           {"value", 0},
                           {"factor", 3},
                           {"of", "gemm.cpu.naive_o3"}});
  told.share = 1;
  told.measure(1e6);
  told.share = 0.5;
  told.measure(4e6, true, 64, "gemm.cpu.naive_o3");
  const auto revealed = report::reveal(told.told()).front();
  CHECK_FALSE(revealed.factor);  // 3 lies between
  CHECK(revealed.range == "between 2.00× and 4.00×");
  const std::string said = report::prediction_sentence(revealed);
  CHECK(test::contains(said, "it is between 2.00× and 4.00×, by processor and by wall time"));
  CHECK(test::contains(said, "so it is not judged"));
}

TEST_CASE(
    "what lies outside of all that processor and wall time leave is judged by the nearer end") {
  const auto revealed_of_time = [](Told& told, double value_ns) {
    told.share = 0.5;
    told.predict(value_ns);
    told.measure(4e6);
    return report::reveal(told.told()).front();
  };
  Told low, inside, factor;
  const auto below = revealed_of_time(low, 1e6);
  REQUIRE(below.factor);
  CHECK(*below.factor == Approx(2));  // Home and the class page count the same
  CHECK(
      report::prediction_sentence(below) ==
      "Predicted 1.00 ms, measured between 2.00 ms and 4.00 ms, by processor and by wall time: at "
      "least 2.00× as long as predicted.");
  const auto between = revealed_of_time(inside, 3e6);
  CHECK_FALSE(between.factor);
  CHECK(test::contains(report::prediction_sentence(between), "so it is not judged"));
  factor.out.app("predict", {{"kernel", kKernel},
                             {"params", {{"n", 64}}},
                             {"value", 0},
                             {"factor", 5},
                             {"of", "gemm.cpu.naive_o3"}});
  factor.share = 1;
  factor.measure(1e6);
  factor.share = 0.5;
  factor.measure(4e6, true, 64, "gemm.cpu.naive_o3");
  CHECK(test::contains(report::prediction_sentence(report::reveal(factor.told()).front()),
                       "slower than you said, by at least 1.25×"));
}

TEST_CASE("without a result a prediction says why") {
  Told told;
  told.predict(3e6);
  CHECK(report::reveal(told.told())[0].reason == "not run since");
  told.measure(5e6, false);
  const auto failed = report::reveal(told.told())[0];
  CHECK_FALSE(failed.measured_ns);
  CHECK_FALSE(failed.factor);
  CHECK(failed.reason.find("check") != std::string::npos);
  CHECK(report::model_sentence(failed).find("unavailable") != std::string::npos);
}

TEST_CASE("report and document hold the predictions, and nothing where there are none") {
  Told told;
  told.measure(6e6, true, 32);
  const auto sections_of = [&](const Run& run) {
    const report::Input input{&run, "run.jsonl"};
    auto made = report::build_report({&input, 1}, {});
    REQUIRE(made);
    return report::print_as(*made, ".md");
  };
  CHECK(sections_of(told.told()).find("Predictions") == std::string::npos);
  told.predict(3e6);
  told.measure(6e6);
  const std::string text = sections_of(told.told());
  CHECK(text.find("## Predictions") != std::string::npos);
  CHECK(text.find("| 3.00 ms | 1.00 µs (FMA fp32, 1 thread) | 6.00 ms | 2.00× as long as predicted "
                  "| before the run |") != std::string::npos);
  const Json json = document(told.run).at("predictions");
  REQUIRE(json.size() == 1);
  CHECK(json[0].at("factor").get<double>() == Approx(2));
  CHECK(json[0].at("after_the_fact") == false);
}

TEST_CASE("page 1 has what was predicted in the lab, also at another size than the one in view") {
  Told told;
  told.predict(3e6, 32);
  told.measure(6e6, true, 32);
  told.measure(9e6);
  const report::Input input{&told.told(), "run.jsonl"};
  report::Options in_view;
  in_view.lab = "gemm";
  in_view.only = {{"n", int64_t{64}}};
  const auto made = report::build_report({&input, 1}, in_view);
  REQUIRE(made);
  const auto section =
      std::find_if(made->front.begin(), made->front.end(),
                   [](const report::Section& one) { return one.id == "predicted"; });
  REQUIRE(section != made->front.end());
  REQUIRE(section->bullets.size() == 1);
  CHECK(section->bullets[0].find("at n=32: Predicted 3.00 ms, measured 6.00 ms") !=
        std::string::npos);
}

TEST_CASE("marks stand beside the bar, inside the axis, without labels of their own") {
  Told told;
  told.measure(6e6);
  const Run& run = told.told();
  const chart::LadderRow row{.label = "naive", .series = &run.series()[0], .run = &run};
  chart::ChartModel model = chart::ladder_chart({&row, 1});
  const chart::PredictedRow predicted{0, 90e-3, 1e-6, "Predicted 90 ms."};
  chart::add_predictions(&model, {&predicted, 1});
  const chart::Panel& panel = model.panels.front();
  REQUIRE(panel.marks.size() == 3);
  CHECK(panel.axis.low < 1e-6);
  CHECK(panel.axis.high > 90e-3);
  CHECK(panel.marks[0].note.find("Predicted 90 ms.") != std::string::npos);
  const chart::Scene scene = chart::layout(model, {});
  size_t markers = 0, labels = 0;
  for (const chart::Primitive& one : scene.primitives) {
    markers += one.kind == chart::Primitive::Kind::marker && !one.filled;
    labels += one.text == "6.00 ms";
  }
  CHECK(markers == 2);
  CHECK(labels == 1);
}

}  // namespace
}  // namespace ridge::test
