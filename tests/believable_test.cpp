// Figures that cannot be right: INVALID, whatever the worker says of them. Honest ones stay as they are.
#include "common/record/believable.h"

#include <limits>

#include "common/view/report/decision.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

using namespace ridge;

namespace {

std::vector<Ceiling> ceilings(const std::string& doubt = "") {
  return {
      {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1e11, "FLOP/s", "measured", doubt},
      {"L2 read, 1 thread", Backend::cpu, "l2_read", "", 1, 1e11, "B/s", "measured", doubt},
      {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 1e10, "B/s", "measured", doubt},
      {"DRAM copy, 1 thread", Backend::cpu, "dram_copy", "", 1, 2e10, "B/s", "measured", doubt}};
}

Environment machine() {
  Environment made = test::environment();
  made.cpu.l1d_bytes = 32 << 10, made.cpu.l2_bytes = 1 << 20, made.cpu.l3_bytes = 32 << 20;
  return made;
}

const std::string kEdited = test::kFirst + "_edit";

/// A call of 1 us of a learner's rung.
Series measured(double flop, double bytes) {
  Series series = test::outcome(1, 0, kEdited);
  series.stats->median_ns = 1000;
  series.flop = flop, series.bytes_min = bytes;
  return series;
}

std::string judged(const Series& series, const std::string& accuracy = "componentwise",
                   const std::string& doubt = "") {
  const Environment here = machine();
  return impossible_rate(series, accuracy, ceilings(doubt), &here);
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("FLOP above the ceiling are impossible, by what the class of accuracy must compute") {
  CHECK(judged(measured(1.04e5, 0)).empty());
  CHECK(judged(measured(1.06e5, 0)) ==
        "impossible: 106 GFLOP/s at least were needed for 1.00 µs a call, and FMA fp32, 1 thread "
        "gives 100 GFLOP/s");
  // Winograd's F(2x2, 3x3) does 4/9 of the operations that are counted, F(4x4, 3x3) a quarter.
  CHECK(judged(measured(2.3e5, 0), "row_column").empty());
  CHECK_FALSE(judged(measured(2.4e5, 0), "row_column").empty());
  CHECK(judged(measured(4.1e5, 0), "max_norm").empty());
  CHECK_FALSE(judged(measured(4.3e5, 0), "max_norm").empty());
  CHECK(judged(measured(4.1e5, 0), "").empty());  // its class is not known
}

TEST_CASE("a ceiling in doubt was too low, and not by so much") {
  CHECK(judged(measured(2e5, 0), "componentwise", "others used the CPU").empty());
  CHECK(
      has(judged(measured(5e5, 0), "componentwise", "others used the CPU"), "but not by so much"));
}

TEST_CASE("a rung of ours that passes a ceiling puts it in question, up to a point") {
  Series series = measured(2e5, 0);
  series.kernel = test::kFirst;
  CHECK(judged(series).empty());
  series.flop = 5e5;
  CHECK(has(judged(series), "FMA fp32, 1 thread gives 100 GFLOP/s"));
}

TEST_CASE("other threads, another type, no ceiling: nothing is said") {
  Series series = measured(1e9, 0);
  series.params["threads"] = int64_t{2};
  CHECK(judged(series).empty());
  series = measured(1e9, 0);
  series.dtype = "bf16";
  CHECK(judged(series).empty());
  CHECK(impossible_rate(measured(1e9, 1e9), "componentwise", {}, nullptr).empty());
}

TEST_CASE("bytes are held to the level that they live in") {
  const auto at = [](double bytes, double per_s) {
    Series series = measured(0, bytes);
    series.stats->median_ns = 1e9 * bytes / per_s;
    return judged(series);
  };
  CHECK(at(64e3, 1e15).empty());         // in the first level, whose rate nobody measured
  CHECK(at(512e3, 1.9e11).empty());      // in the second: it reads and writes at once
  CHECK_FALSE(at(512e3, 3e11).empty());  //
  CHECK(at(64e6, 4e10).empty());         // a part of it may still be in the third
  CHECK(at(1e9, 2e10).empty());          // a copy moves more than reading does
  CHECK(has(at(1e9, 3e10), "DRAM copy, 1 thread gives 20.0 GB/s"));
}

TEST_CASE("statistics have to follow from their samples") {
  Series series = measured(1e4, 0);
  series.samples = test::samples(20, 1000);  // 1000 to 1004
  series.stats->n = 20, series.stats->median_ns = 1002;
  CHECK(unsupported_stats(series).empty());
  series.stats->median_ns = 1.5;
  CHECK(has(unsupported_stats(series), "its result says 1.50 ns a call, and its 20 samples say"));
  series.samples.clear();  // a recording keeps none
  CHECK(unsupported_stats(series).empty());
  for (const double wrong : {0.0, -5.0, std::numeric_limits<double>::quiet_NaN()}) {
    series.stats->median_ns = wrong;
    CHECK(has(unsupported_stats(series), "is no time"));
  }
}

TEST_CASE("samples add up to no more than the time that went by") {
  Series series = measured(1e4, 0);
  std::vector<Sample> samples = test::samples(20, 1000);
  for (Sample& sample : samples) sample.calls = 100;
  series.samples = samples;
  CHECK(longer_than_wall(series, 3e-3).empty());
  CHECK(has(longer_than_wall(series, 1e-3), "its samples add up to 2.00 ms, and only 1.00 ms"));
}

namespace {

/// A run and a comparison of a rung, both of whose calls take `t_ns`.
Run replayed(double t_ns, double said_ns, double ratio) {
  test::Transcript lines;
  lines.worker("hello", {{"version", "test"}});
  KernelInfo info = test::kernel_info(kEdited);
  info.accuracy = "componentwise";
  lines.worker("kernel", {{"request", 1}, {"kernel", info}});
  lines.worker("env", {{"request", 2}, {"when", "before"}, {"environment", machine()}});
  WorkRequest request;
  request.type = RequestType::compare, request.id = 2, request.lab = "gemm";
  request.kernels = {{test::kSecond, {}}, {kEdited, {}}};
  lines.send(request);
  Json rounds = Json::array();
  for (int i = 0; i < 20; ++i)
    rounds.push_back(Round{i, "0110", {10 * t_ns, t_ns, t_ns, 10 * t_ns}, {}});
  for (int side = 0; side < 2; ++side) {
    const double own_ns = side == 0 ? 10 * t_ns : t_ns;
    lines.worker("samples", {{"request", 2},
                             {"series", side},
                             {"phase", "call"},
                             {"samples", Json(test::samples(40, own_ns))}});
    Series outcome = test::outcome(2, side, side == 0 ? test::kSecond : kEdited);
    outcome.mode = RunMode::compare;
    outcome.stats->n = 40;
    outcome.stats->median_ns = side == 0 ? own_ns + 2 : said_ns;
    outcome.stats->ci_ns.reset();  // a median outside of it does not come in at all (door_test)
    lines.worker("result", {{"request", 2}, {"series", side}, {"outcome", Json(outcome)}});
  }
  lines.worker("samples", {{"request", 2}, {"phase", "rounds"}, {"rounds", rounds}});
  Comparison comparison;
  comparison.baseline = test::kSecond, comparison.candidate = kEdited;
  comparison.rounds = 20, comparison.ratio = ratio;
  comparison.ci = Interval{0.99 * ratio, 1.01 * ratio};
  comparison.verdict = Verdict::faster;
  comparison.margin = 0.02;
  lines.worker("result", {{"request", 2}, {"comparisons", Json::array({Json(comparison)})}});
  lines.worker("result", {{"request", 2}, {"ceilings", ceilings()}});
  lines.worker("done", {{"request", 2}, {"status", "ok"}});
  Run run;
  for (const std::string& line : lines.lines) run.apply_line(line);
  return run;
}

}  // namespace

TEST_CASE("an honest comparison stays what it is") {
  const Run run = replayed(10000, 10002, 10);
  REQUIRE(run.comparisons().size() == 1);
  CHECK(run.comparisons()[0].verdict == Verdict::faster);
  CHECK(run.series()[1].status == SeriesStatus::ok);
  CHECK(decide(run, run.comparisons()[0], {}).decision == "adopt");
}

TEST_CASE("an impossible rate is INVALID, has no speed, and is never adopted") {
  const Run run = replayed(100, 102, 10);  // 524288 FLOP in 0.1 us: 5 TFLOP/s of 100 GFLOP/s
  REQUIRE(run.comparisons().size() == 1);
  const Comparison& comparison = run.comparisons()[0];
  CHECK(comparison.verdict == Verdict::invalid);
  CHECK(has(comparison.reasons.front(), "impossible: "));
  CHECK(run.series()[1].status == SeriesStatus::failed);
  CHECK_FALSE(run.series()[1].stats);
  const Decision decision = decide(run, comparison, {});
  CHECK(decision.verdict == Verdict::invalid);
  CHECK(decision.decision != "adopt");
}

TEST_CASE("a result is believed as far as its samples and its rounds carry it") {
  const Run forged = replayed(10000, 1.5, 10);
  CHECK(forged.series()[1].status == SeriesStatus::failed);
  CHECK(has(forged.series()[1].reason, "its result says 1.50 ns a call"));
  CHECK(decide(forged, forged.comparisons()[0], {}).decision != "adopt");
  const Run inflated = replayed(10000, 10002, 25);
  CHECK(inflated.comparisons()[0].verdict == Verdict::invalid);
  CHECK(has(inflated.comparisons()[0].reasons.front(),
            "its result says a ratio of 25, and its 20 rounds say 10"));
}
