// From a comparison to a decision.
#include <algorithm>
#include <limits>

#include "common/record/ratio_text.h"
#include "common/view/report/decision.h"
#include "tests/catch.h"
#include "tests/report_run.h"
#include "tests/trained_run.h"

using namespace ridge;
using test::report_run;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Decision decided(const Run& run) {
  return decide(run, run.comparisons().back());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("faster and verified is adopted") {
  const Decision decision = decided(report_run());
  CHECK(decision.decision == "adopt");
  CHECK(decision.verdict == Verdict::faster);
  CHECK(decision.division == "closed");
  REQUIRE(decision.throughput.has_value());
  CHECK(decision.throughput->unit == "FLOP/s");
  CHECK(decision.throughput->value == Approx(2.0 * 512 * 512 * 512 / 6e-3));
  CHECK(decision.p95_latency_ns.has_value());
  CHECK(decision.quality_delta == 0.0);
  CHECK(has(decision.quality_limit, "2.0e-12"));
  CHECK(has(decision.change, "n=512"));
  CHECK_FALSE(decision.not_tested.empty());
}

TEST_CASE("a check of the same source that failed in another request of the run counts") {
  for (const bool same_source : {true, false}) {
    test::Transcript out;
    test::add_start_of(&out);
    out.send(test::work(RequestType::run, 3, {test::kBlocked}));
    Series failed = test::measured(3, 0, test::kBlocked, 6e6);
    failed.checks = {test::check(false)};
    failed.status = SeriesStatus::failed;
    if (!same_source) failed.hash = "another";
    out.worker("result", test::with(test::about(3, 0), "outcome", failed));
    out.worker("done", {{"request", 3}, {"status", "ok"}});
    test::add_comparison(&out, {});
    CHECK(decided(test::read_run(out)).decision == (same_source ? "reject" : "adopt"));
  }
}

TEST_CASE(
    "unresolved by an interval that is narrow and lies at the margin: more rounds are not asked "
    "for") {
  const Run narrow =
      report_run({.verdict = Verdict::unresolved, .ratio = 0.9803, .ci = {0.979, 0.982}});
  const Decision at_margin = decided(narrow);
  CHECK(at_margin.decision == "measure_more");
  CHECK(decision_words(at_margin) == "too close to the margin to settle");
  CHECK(has(at_margin.reason, "it lies at the margin, and more rounds will hardly settle it"));
  CHECK_FALSE(more_rounds(narrow.comparisons().back()));
  const Decision wide =
      decided(report_run({.verdict = Verdict::unresolved, .ratio = 0.99, .ci = {0.96, 1.01}}));
  CHECK(decision_words(wide) == "measure more");
  CHECK_FALSE(has(wide.reason, "at the margin"));
}

TEST_CASE("same and slower keep the baseline, unresolved asks for more") {
  CHECK(decided(report_run({.verdict = Verdict::same, .ratio = 1.001, .ci = {0.995, 1.006}}))
            .decision == "keep");
  CHECK(decided(report_run({.verdict = Verdict::slower, .ratio = 0.8, .ci = {0.79, 0.81}}))
            .decision == "keep");
  const Decision open =
      decided(report_run({.verdict = Verdict::unresolved, .ratio = 1.01, .ci = {0.99, 1.04}}));
  CHECK(open.decision == "measure_more");
  CHECK(has(open.reason, "90 rounds"));
}

TEST_CASE("a comparison that was cancelled asks for another, and gives no half of an outcome") {
  const Run run = report_run({.verdict = Verdict::unresolved, .ratio = 1.01, .ci = {0.99, 1.04}});
  Comparison cancelled = run.comparisons().back();
  cancelled.reasons = {"cancelled"};
  const Decision decision = decide(run, cancelled);
  CHECK(decision.decision == "measure_more");
  CHECK(decision.reason == "it was cancelled before enough rounds; compare again");
}

TEST_CASE("an unresolved comparison says what would settle it, as what, and in what time") {
  Comparison one;
  one.verdict = Verdict::unresolved;
  one.margin = 0.02;
  one.rounds = 40, one.rounds_needed = 400, one.rounds_s = 4;
  bool holds_one = true;
  const auto of = [&](double ratio) {
    one.ratio = ratio;
    one.ci = Interval{std::min(ratio * 0.9, 0.99), std::max(ratio * 1.1, 1.01)};
    if (!holds_one) (ratio < 1 ? one.ci->high : one.ci->low) = ratio < 1 ? 0.999 : 1.001;
    return more_rounds(one);
  };
  for (const double ratio : {0.95, 1.01, 1.05}) {  // of two equal sides too: by noise
    REQUIRE(of(ratio));
    CHECK(of(ratio)->shows == Verdict::unresolved);
  }
  holds_one = false;
  CHECK(of(1.01)->shows == Verdict::same);
  CHECK(of(1.05)->shows == Verdict::faster);
  CHECK(of(0.95)->shows == Verdict::slower);
  CHECK(more_rounds_text(*of(1.05)) == "about 400 rounds (about 40.0 s)");
  one.rounds_s = 0;  // a run of before it was recorded
  CHECK(more_rounds_text(*of(1.05)) == "about 400 rounds");
  one.rounds = 6000, one.rounds_needed = 55'938;  // from one ratio: it has no five digits
  CHECK(of(1.05)->rounds == 56'000);
  one.rounds = 40, one.rounds_needed = 401;  // over ten times as many
  CHECK_FALSE(of(1.05));
  one.rounds_needed = 0;
  CHECK_FALSE(of(1.02));
  one.rounds_needed = 400, one.verdict = Verdict::faster;
  CHECK_FALSE(of(1.05));
  const Decision decision =
      decided(report_run({.verdict = Verdict::unresolved, .ratio = 1.001, .ci = {0.95, 1.06}}));
  CHECK(has(decision.reason, "about 90 rounds would settle it, in a new comparison"));
  const Decision directed =
      decided(report_run({.verdict = Verdict::unresolved, .ratio = 1.03, .ci = {1.001, 1.06}}));
  CHECK(has(directed.reason, "about 90 rounds would settle it as faster"));
}

TEST_CASE(
    "over ten times the rounds that were made are no forecast: they are said without a number") {
  const Run run = report_run({.verdict = Verdict::unresolved, .ratio = 0.981, .ci = {0.93, 1.04}});
  Comparison far = run.comparisons().back();
  far.rounds_needed = 14'000;
  const Decision decision = decide(run, far);
  CHECK(decision.decision == "measure_more");
  CHECK(decision_words(decision) == "over 10 times the rounds needed");
  CHECK(has(decision.reason,
            "; by their scatter it would take over 10 times as many rounds to settle it"));
  CHECK_FALSE(has(decision.reason, "14000"));
  CHECK_FALSE(has(decision.reason, "slower"));
}

TEST_CASE("a gain beside other processes is adopted with a reserve that is named") {
  test::Transcript out;
  test::add_start_of(&out);
  test::add_comparison(&out, {.reasons = {"contended: other processes used the CPU meanwhile"}});
  const Decision decision = decided(test::read_run(out));
  CHECK(decision.decision == "adopt");
  CHECK(decision_words(decision) == "adopt, with a reserve");
  CHECK(has(decision.reason, "; other processes used the CPU meanwhile, so measure the size"));
  CHECK(decision_words(decided(report_run())) == "adopt");
}

TEST_CASE("a verdict that its own interval does not bear out is not believed") {
  CHECK(decided(report_run({.ratio = 4, .ci = {0.9, 4.1}})).decision == "measure_more");
  CHECK(
      decided(report_run({.verdict = Verdict::slower, .ratio = 0.9, .ci = {0.8, 1.1}})).decision ==
      "measure_more");
  Run run = report_run();
  Comparison comparison = run.comparisons().back();
  comparison.ci = Interval{kNan, kNan};
  CHECK(decide(run, comparison).decision == "measure_more");
  comparison.ci.reset();
  CHECK(decide(run, comparison).decision == "measure_more");
  comparison = run.comparisons().back();
  comparison.ratio = kNan;
  CHECK(decide(run, comparison).decision == "measure_more");
}

TEST_CASE("a candidate nobody checked is not adopted") {
  Run run = report_run({.with_comparison = false});
  Comparison comparison = report_run().comparisons().back();  // its sides are not in `run`
  const Decision decision = decide(run, comparison);
  CHECK(decision.decision == "measure_more");
  CHECK(has(decision.reason, "no check"));
}

TEST_CASE("another precision is the open division") {
  Run run = report_run();
  Comparison comparison = run.comparisons().back();
  comparison.request = 99;  // no series of its own: precision from the parameters
  comparison.baseline_params["dtype"] = std::string("fp32");
  comparison.candidate_params["dtype"] = std::string("bf16");
  CHECK(decide(run, comparison).division == "open");
}

TEST_CASE(
    "of several libraries the one that wins its pairs is the fastest, whatever the medians say") {
  const std::string lead = R"({"ridgepoint":1,"type":"result","request":7,"comparisons":[)";
  const auto pair = [](const char* candidate, double ratio, const char* verdict) {
    return R"({"baseline":"gemm.cuda.cublas","candidate":")" + std::string(candidate) +
           R"(","ratio":)" + std::to_string(ratio) + R"(,"verdict":")" + verdict + "\"}";
  };
  const auto winner = [&](const std::string& list) {
    Run run;
    run.apply_line(R"({"ridgepoint":1,"from":"app","type":"compare","id":7,"lab":"gemm"})");
    run.apply_line(lead + list + "]}");
    REQUIRE_FALSE(run.comparisons().empty());
    return fastest_side(run, 7);
  };
  const std::string lt = "gemm.cuda.cublaslt", other = "gemm.cuda.cutlass";
  CHECK(winner(pair(lt.c_str(), 1.07, "faster") + "," + pair(other.c_str(), 1.02, "faster")) == lt);
  CHECK(winner(pair(lt.c_str(), 0.99, "same") + "," + pair(other.c_str(), 0.9, "slower")) ==
        "gemm.cuda.cublas");
  CHECK(winner(pair(lt.c_str(), 1.07, "faster") + "," + pair(other.c_str(), 2, "invalid")).empty());
}

TEST_CASE("a faster training is adopted only where its accuracy stays within the limit") {
  const auto said = [](const test::TrainedCase& wanted) {
    const Decision decision = decided(test::trained_run(wanted));
    return decision.decision + ": " + decision.reason;
  };
  CHECK(said({}) ==
        "adopt: it is faster and keeps its accuracy: −0.10 points [−0.40, +0.20], 8 paired seeds, "
        "and the limit is at most 1 point lost; open division: data type bf16 instead of fp32, and "
        "no quality target of a budget was set");
  CHECK(has(said({.may_lose = 0.02}), "2 points lost, and its budget is met; closed division"));
  CHECK(has(said({.delta = -0.03, .delta_ci = Interval{-0.04, -0.02}}),
            "reject: it is faster and loses accuracy: −3.00 points [−4.00, −2.00]"));
  CHECK(has(said({.delta = -0.01, .delta_ci = Interval{-0.02, 0.001}}),
            "measure_more: it is faster, and whether it keeps its accuracy is open"));
  CHECK(has(said({.judged = 7}), "measure_more: it is faster, but its accuracy was judged with 7"));
  CHECK(
      has(said({.delta = {}, .delta_ci = {}}), "measure_more: it is faster, but its accuracy is"));
  CHECK(has(said({.delta_ci = Interval{kNan, kNan}}), "measure_more"));
  CHECK(has(said({.delta = kNan}), "measure_more"));
  CHECK(has(said({.verdict = Verdict::slower, .ratio = 0.8}), "keep: the candidate is slower"));
}

TEST_CASE(
    "a training that failed its check with any seed is refused, or has nothing to be compared "
    "with") {
  const Decision candidate = decided(test::trained_run({.fails_seed = 3}));
  CHECK(candidate.decision == "reject");
  CHECK(candidate.verdict == Verdict::invalid);
  CHECK(has(candidate.reason, "it diverged (seed 3)"));
  const Decision baseline = decided(test::trained_run({.fails_seed = 3, .baseline_fails = true}));
  CHECK(baseline.decision == "measure_more");
  CHECK(has(baseline.reason, "the baseline failed its check: it diverged (seed 3)"));
  CHECK(decision_words(baseline) == "mend the baseline first, or take another");
}

TEST_CASE("what a decision about trainings names: seeds, the limit, the interval, and no tail") {
  const Decision decision = decided(test::trained_run());
  CHECK(has(decision.change,
            "mixed.cpu.fp32 → mixed.cpu.bf16_avx512 at batch=256 epochs=4, seeds 1 to 8"));
  CHECK(decision.quality_metric == "accuracy");
  CHECK(decision.quality_delta == -0.001);
  REQUIRE(decision.quality_ci);
  CHECK(decision.quality_ci->low == -0.004);
  CHECK(has(decision.quality_limit, "at most 1 point lost"));
  CHECK(decision.division == "open");
  for (const std::string& one : decision.not_tested) {
    CHECK_FALSE(has(one, "seed"));
    CHECK_FALSE(has(one, "latency"));
  }
}
