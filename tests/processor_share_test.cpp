// Two sides of which other programs took different parts: what is left of their ratio, in a comparison and beside it.
#include "common/record/processor_share.h"

#include <string>

#include "common/record/one_run.h"
#include "common/record/ratio_text.h"
#include "common/view/report/decision.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

namespace ridge::test {
namespace {

/// Samples of so long a call that had the processor for this share of it.
std::vector<Sample> samples_with(double share, double t_ns) {
  std::vector<Sample> made = samples(12, t_ns);
  for (Sample& sample : made) sample.cpu_ns = sample.t_ns * share;
  return made;
}

Series series_with(double share, double t_ns, const std::string& kernel = kFirst) {
  Series made;
  made.kernel = kernel;
  made.kind = RungKind::kernel;
  made.params = {{"n", int64_t{512}}, {"threads", int64_t{1}}};
  made.samples = samples_with(share, t_ns);
  return made;
}

/// The transcript's comparison, 2.00× in rounds, with sides of these shares.
Run compared(double baseline, double candidate, Verdict verdict = Verdict::faster) {
  Transcript out;
  add_start(&out);
  add_compare(&out);
  for (std::string& line : out.lines) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("samples")) {
      const bool is_candidate = json["series"] == 1;
      json["samples"] =
          samples_with(is_candidate ? candidate : baseline, is_candidate ? 500 : 1000);
    }
    if (json.contains("outcome")) json["outcome"].erase("stats");
    if (json.contains("comparisons")) json["comparisons"][0]["verdict"] = to_string(verdict);
    line = json.dump();
  }
  return run_of(out);
}

TEST_CASE(
    "the gain of times that a busy machine makes rough has both ends, as that of uneven ones") {
  const auto timed = [](double t_ns, std::vector<std::string> flags, double half = 0.1) {
    Series made = series_with(1, t_ns);
    made.stats = Stats{20,
                       t_ns,
                       t_ns,
                       t_ns,
                       t_ns,
                       t_ns,
                       Interval{t_ns * (1 - half), t_ns * (1 + half)},
                       0,
                       0,
                       1,
                       std::move(flags)};
    return made;
  };
  const GainText rough = gain_text(nullptr, 170, timed(170e6, {"contended"}), timed(1e6, {}));
  CHECK(gain_headline(rough) == "about 170×");  // as the bars say
  CHECK(
      gain_small_print(rough) ==
      "between 139× and 208×, each timed alone, by what their times differ; rough: other programs "
      "took processor time meanwhile");
  CHECK(rough.is_rough);
  CHECK(is_rough_ratio(*timed(170e6, {"contended"}).stats, *timed(1e6, {}).stats));
  // The figure stands within the range beside it: 153 is not "about 150×" of "between 152× and 156×".
  const auto near = [&](double t_ns) {
    Series made = timed(t_ns, {"contended"});
    made.stats->ci_ns = Interval{t_ns * 0.994, t_ns * 1.006};
    return made;
  };
  CHECK(gain_headline(gain_text(nullptr, 153, near(153e6), near(1e6))) == "about 153×");
  const GainText quiet = gain_text(nullptr, 170, timed(170e6, {}), timed(1e6, {}));
  CHECK(gain_headline(quiet) == "≈ 170×");
  // In a narrow range the figure has as many digits as keep it inside.
  const GainText narrow =
      gain_text(nullptr, 154, timed(154e6, {"contended"}, 0.004), timed(1e6, {}, 0.004));
  CHECK(gain_headline(narrow) == "about 154×");
  CHECK(gain_small_print(narrow).starts_with("between 152× and 156×"));
}

TEST_CASE("the share of a rung is known of a CPU kernel of one thread, and of nothing that rests") {
  Series series = series_with(0.4, 7e8);
  REQUIRE(processor_share(series));
  CHECK(*processor_share(series) == Approx(0.4));
  std::vector<Sample> taken = series.samples.from(0);
  taken.front().cpu_ns = taken.front().t_ns * 3;  // a helper's time is in it
  series.samples = taken;
  CHECK(*processor_share(series) == Approx(0.4));
  series.params["threads"] = int64_t{2};
  CHECK_FALSE(processor_share(series));
  series = series_with(0.4, 7e8);
  for (const RungKind kind : {RungKind::training, RungKind::pipeline, RungKind::command}) {
    series.kind = kind;
    CHECK_FALSE(processor_share(series));
  }
  CHECK_FALSE(processor_share(series_with(0, 7e8)));  // no processor time was read
  CHECK_FALSE(processor_share(Series()));
  CHECK(*processor_share(series_with(0, 7e8, "gemm.cuda.naive")) == 1);
}

TEST_CASE("two sides that lost the same keep their ratio, two that did not have a range") {
  CHECK_FALSE(uneven_shares(series_with(0.4, 7e8), series_with(0.41, 1e7)));
  const auto uneven = uneven_shares(series_with(0.4, 7e8), series_with(1, 1e7));
  REQUIRE(uneven);
  CHECK(uneven->range(70).low == Approx(28));
  CHECK(uneven->range(70).high == Approx(70));
  CHECK(uneven->range_text(70) == "between 28.0× and 70.0×");
  // What is said to be at least holds at the ends of both medians' intervals.
  Stats slow, fast;
  slow.median_ns = 1000, slow.ci_ns = Interval{900, 1100};
  fast.median_ns = 100, fast.ci_ns = Interval{80, 125};
  const Interval range = with_medians({28, 70}, slow, fast);
  CHECK(range.low == Approx(28 * 0.9 / 1.25));
  CHECK(range.high == Approx(70 * 1.1 / 0.8));
  CHECK(with_medians({28, 70}, Stats{}, Stats{}).low == 28);
  // Of samples too few for an interval, at the ends of what they reached.
  slow.ci_ns.reset();
  slow.n = 3, slow.min_ns = 800, slow.max_ns = 1500;
  CHECK(with_medians({28, 70}, slow, Stats{}).low == Approx(28 * 0.8));
  CHECK(with_medians({28, 70}, slow, Stats{}).high == Approx(70 * 1.5));
  CHECK(uneven->sentence("“a”", "“b”", 70) ==
        "Other programs took more of one side's time than of the other's: “a” had the processor "
        "for 40 % of its time, “b” for 100 %; the ratio is 28.0× by processor time and 70.0× by "
        "wall time.");
  // The other way round the ratio was too low.
  CHECK(uneven_shares(series_with(1, 1e7), series_with(0.4, 7e8))->range(2).high == Approx(5));
  Series a = series_with(0.4, 7e8), b = series_with(1, 1e7);
  a.stats = Stats{12, 7e8, 7e8, 7e8, 7e8, 7e8, Interval{6.9e8, 7.1e8}, 0, 0, 1, {}};
  b.stats = Stats{12, 1e7, 1e7, 1e7, 1e7, 1e7, Interval{0.9e7, 1.1e7}, 0, 0, 1, {}};
  CHECK(is_noisy_quotient(a, b));
  b.samples = samples_with(0.4, 1e7);
  CHECK_FALSE(is_noisy_quotient(a, b));
}

TEST_CASE(
    "a comparison of uneven sides has an interval from one clock to the other, and a reason") {
  const Run even = compared(0.99, 1);
  REQUIRE(even.comparisons().size() == 1);
  CHECK(even.comparisons()[0].ci->low == Approx(1.99));
  CHECK(uneven_reason(even.comparisons()[0]).empty());
  CHECK(headline_ratio_text(even.comparisons()[0]) == "2.00×");

  const Run run = compared(0.8, 1);
  const Comparison& held = run.comparisons()[0];
  CHECK(held.ratio == 2);  // as it was measured
  CHECK(held.ci->low == Approx(1.6));
  CHECK(held.ci->high == Approx(2.01));
  CHECK(held.verdict == Verdict::faster);  // by both clocks
  CHECK(uneven_reason(held).find("the baseline had the processor for 80 % of its time") !=
        std::string::npos);
  CHECK(uneven_sentence(held).starts_with("Other programs"));
  CHECK(headline_ratio_text(held) == "between 1.60× and 2.01×");
  Comparison twice = held;
  hold_to_shares(run.series()[0], run.series()[1], &twice);
  CHECK(twice.ci->low == held.ci->low);
  CHECK(twice.reasons == held.reasons);
}

TEST_CASE(
    "a verdict that one of the clocks does not bear out is unresolved, and no rounds settle it") {
  const Run run = compared(0.4, 1);
  const Comparison& torn = run.comparisons()[0];
  CHECK(torn.ci->low == Approx(0.8));
  CHECK(torn.verdict == Verdict::unresolved);
  CHECK_FALSE(more_rounds(torn));
  const Decision decision = decide(run, torn);
  CHECK(decision.verdict == Verdict::unresolved);
  CHECK(decision.decision == "measure_more");
  CHECK(decision.reason.find("had the processor for 40 %") != std::string::npos);
  CHECK(decision.reason.find("compare again while nothing else runs") != std::string::npos);
  CHECK(decision.reason.find("another margin") == std::string::npos);
}

}  // namespace
}  // namespace ridge::test
