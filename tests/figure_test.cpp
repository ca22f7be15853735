// Figures that texts name: looked up in a small made-up recording and a made-up run of this machine.
#include <cmath>
#include <string>
#include <vector>

#include "common/record/params.h"
#include "common/view/figure/arithmetic.h"
#include "common/view/figure/machines.h"
#include "common/view/figure/markers.h"
#include "common/view/figure/metrics.h"
#include "common/view/figure/text.h"
#include "common/view/figure/unit.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::figure;
using test::Transcript;

namespace {

const std::string kWide = "gemm.cuda.wide_tile", kProducer = "gemm.cuda.producer_consumer";

Params at(int64_t n, const std::string& dtype = "fp32") {
  return {{"n", n}, {"m", n}, {"k", n}, {"dtype", dtype}};
}

void add_head(Transcript* out, const std::vector<ParamSpec>& more = {}) {
  out->app("list", {{"id", 1}});
  out->worker("hello", {{"version", "0.1.0"},
                        {"pid", 77},
                        {"build", {{"commit", ""}, {"compiler", ""}, {"type", ""}, {"cuda", ""}}},
                        {"capabilities", {"cpu"}}});
  for (const std::string& id : {kWide, kProducer, test::kFirst}) {
    KernelInfo info = test::kernel_info(id);
    info.params.back().choices = {"fp32", "bf16"};
    info.params.insert(info.params.end(), more.begin(), more.end());
    info.hash = "00beef00";
    out->worker("kernel", {{"request", 1}, {"kernel", info}});
  }
  out->worker("end", {{"request", 1}});
  out->worker("done", {{"request", 1}, {"status", "ok"}});
}

void add_series(Transcript* out, int64_t request, const std::string& kernel, const Params& params,
                double median_ns, const char* hash = "00beef00") {
  WorkRequest asked = test::request_for(RequestType::run, request);
  asked.kernels = {{kernel, params}};
  out->send(asked);
  Series series = test::outcome(request, 0, kernel);
  series.params = params;
  series.hash = hash;
  series.flop = 1e9;
  series.stats->median_ns = median_ns;
  series.stats->q1_ns = median_ns * 0.995;
  series.stats->ci_ns = Interval{median_ns * 0.99, median_ns * 1.01};
  series.energy_j.reset();
  series.work = {{"model_l2", 115e6}};
  series.counters = {{"smsp__issue_active.avg.pct_of_peak_sustained_active", 77.0, "%"},
                     {"dram__bytes_read.sum", 1048576, "B"}};
  out->worker("result", test::with(test::about(request, 0), "outcome", series));
  out->worker("done", {{"request", request}, {"status", "ok"}});
}

void add_ceilings(Transcript* out) {
  const auto one = [](const char* name, const char* resource, const char* dtype, double value,
                      const char* unit) {
    return Ceiling{.name = name,
                   .backend = Backend::cuda,
                   .resource = resource,
                   .dtype = dtype,
                   .value = value,
                   .unit = unit,
                   .source = "measured"};
  };
  out->worker("result", {{"request", 1},
                         {"ceilings",
                          {one("DRAM read", "dram_read", "", 4.66e12, "B/s"),
                           one("L2 read", "l2_read", "", 11.65e12, "B/s"),
                           one("kernel launch", "launch", "", 3.8e-6, "s"),
                           one("FFMA fp32", "flop", "fp32", 65.09e12, "FLOP/s")}}});
}

Comparison pair(int64_t request, const Params& params, double ratio, Interval ci, Verdict verdict) {
  Comparison made;
  made.request = request;
  made.lab = "gemm";
  made.baseline = kProducer;
  made.candidate = kWide;
  made.cache = CacheMode::hot;
  made.baseline_params = made.candidate_params = params;
  made.rounds = 40;
  made.ratio = ratio;
  made.ci = ci;
  made.margin = 0.01;
  made.verdict = verdict;
  return made;
}

void add_pair(Transcript* out, const Comparison& comparison) {
  WorkRequest asked = test::request_for(RequestType::compare, comparison.request);
  asked.kernels = {{kProducer, comparison.baseline_params}, {kWide, comparison.candidate_params}};
  out->send(asked);
  out->worker("result", {{"request", comparison.request}, {"comparisons", {comparison}}});
  out->worker("done", {{"request", comparison.request}, {"status", "ok"}});
}

/// At 4096 a plain pair, at 8192 one that the sustained turns turn round, at 2048 an invalid one.
Run recorded(int64_t l2_bytes = 0) {
  Transcript out;
  add_head(&out);
  out.worker("env", {{"request", 4},
                     {"environment",
                      [&] {
                        Environment made = test::environment();
                        made.commit = "abc1234";
                        made.gpus = {{.index = 0, .name = "NVIDIA H200", .l2_bytes = l2_bytes}};
                        return made;
                      }()},
                     {"when", "before"}});
  add_ceilings(&out);
  add_series(&out, 4, kWide, at(4096), 1e6);
  add_series(&out, 5, kProducer, at(4096), 2e6);
  add_series(&out, 6, kWide, at(1024, "bf16"), 1e3);
  add_pair(&out, pair(11, at(4096), 1.5, {1.49, 1.51}, Verdict::faster));
  Comparison sustained = pair(12, at(8192), 0.938, {0.934, 0.939}, Verdict::slower);
  sustained.rounds = 6;
  sustained.equal_clock = PairedVerdict{40, 1.013, Interval{1.010, 1.015}, Verdict::faster, 0};
  sustained.sustained = {{6, 1.61e6, 1.335e9, 697, 1.1}, {6, 1.72e6, 1.235e9, 698, 1.2}};
  add_pair(&out, sustained);
  Comparison invalid = pair(13, at(2048), 1.2, {1.1, 1.3}, Verdict::invalid);
  invalid.reasons = {"its check failed"};
  add_pair(&out, invalid);
  return test::run_of(out);
}

Run own() {
  Transcript out;
  add_head(&out);
  Environment environment = test::environment();
  environment.cpu.l2_bytes = 2 << 20;
  out.worker("env", {{"request", 4}, {"environment", environment}, {"when", "before"}});
  add_series(&out, 4, kWide, at(4096), 5e6);
  return test::run_of(out);
}

/// A recording, this machine's run, and what the build says of its rungs.
struct Fixture {
  Run recording = recorded(), here = own();
  Sources sources{&here, false, {{&recording, "NVIDIA H200"}}};

  Figure figure(const std::string& text) const {
    const auto reference = parse_reference(text);
    REQUIRE(reference.ok());
    auto made = resolve(*reference, sources);
    INFO((made ? "" : made.error().sentence()));
    REQUIRE(made.ok());
    return *made;
  }
  std::string error(const std::string& text) const {
    const auto made = expand(text, sources, "lesson.md");
    REQUIRE_FALSE(made.ok());
    return made.error().sentence();
  }
  std::string print(const std::string& text) const {
    const auto made = expand(text, sources, "lesson.md");
    INFO((made ? "" : made.error().sentence()));
    REQUIRE(made.ok());
    return Footnotes().print(*made);
  }
};

}  // namespace

TEST_CASE("a machine's word asks its recording, none asks this machine first") {
  const Fixture f;
  const Figure there = f.figure("h200 gemm.cuda.wide_tile n=4096");
  CHECK(there.value == Approx(1e-3));
  CHECK(there.text == "1.00 ms");
  CHECK(there.is_recorded);
  CHECK(test::contains(there.source, "NVIDIA H200, 2026-11-20, commit abc1234"));
  const Figure here = f.figure("gemm.cuda.wide_tile n=4096");
  CHECK(here.value == Approx(5e-3));
  CHECK_FALSE(here.is_recorded);
  CHECK(test::contains(here.source, "Test CPU"));
  // This machine has not run it.
  const Figure other = f.figure("gemm.cuda.producer_consumer n=4096 metric=throughput in=GFLOP/s");
  CHECK(other.is_recorded);
  CHECK(other.text == "500");
}

TEST_CASE("data that stay in a GPU's L2 have no share of DRAM's rate in a text") {
  Fixture f;
  const std::string asked = "h200 gemm.cuda.wide_tile n=1024 dtype=bf16 metric=bandwidth_share";
  const double of_dram = f.figure(asked).value;
  f.recording = recorded(60 << 20);
  CHECK(f.figure(asked).value == Approx(of_dram * 4.66 / 11.65));
}

TEST_CASE("arithmetic that divides by a figure of 0 has no value, and is no author's error") {
  CHECK(evaluate_arithmetic("640 / [x]", std::vector{0.0}).ok());
  CHECK_FALSE(evaluate_arithmetic("640 / 0", {}).ok());
}

TEST_CASE("an interval has the prefix of the value before it") {
  using figure::interval_like;
  const std::string past_a_thousand = interval_like({842e-6, 1.03e-3}, 919e-6, "919 µs");
  CHECK(past_a_thousand.starts_with("[842, 1"));
  CHECK(past_a_thousand.ends_with("030]"));
  CHECK(interval_like({0.98e9, 1.20e9}, 1.1e9, "1.10 GFLOP/s") == "[0.980, 1.20]");
}

TEST_CASE("the ratio of a pair is its comparison's, never the quotient of two rows") {
  const Fixture f;
  const Figure made = f.figure("h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer");
  CHECK(made.value == 1.5);  // the rows would give 2
  CHECK(made.text == "1.50×");
  CHECK(made.interval_text == "[1.49, 1.51]");
  CHECK(made.verdict == Verdict::faster);
  CHECK(verdict_words(made) == "faster");
  // The same pair answers the reverse question: the inverse, its interval turned.
  const Figure reverse = f.figure("h200 gemm.cuda.producer_consumer n=4096 vs=wide_tile");
  CHECK(reverse.gap.empty());
  CHECK(reverse.value == Approx(1 / 1.5));
  CHECK(reverse.text == "0.667×");
  REQUIRE(reverse.interval);
  CHECK(reverse.interval->low == Approx(1 / 1.51));
  CHECK(reverse.interval->high == Approx(1 / 1.49));
  CHECK(reverse.verdict == Verdict::slower);
  CHECK(reverse.source.find("against gemm.cuda.wide_tile, slower") != std::string::npos);
}

TEST_CASE("a figure is of the size in view where this run has it, and else says of which") {
  Fixture f;
  f.sources.view = {.params = {{"n", int64_t{4096}}}, .sizes = {"n"}};
  CHECK(f.figure("gemm.cuda.wide_tile n=8192").text == "5.00 ms");
  CHECK(f.figure("gemm.cuda.wide_tile n=8192 size=fixed").text == "not measured here");
  CHECK(f.figure("gemm.cuda.producer_consumer n=4096").text == "2.00 ms (recorded)");
  f.sources.view.params["n"] = int64_t{512};
  CHECK(f.figure("gemm.cuda.wide_tile n=4096").text == "5.00 ms (n = 4096)");
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=4096").text == "1.00 ms");
  CHECK(f.figure("gemm.cuda.producer_consumer n=4096 vs=wide_tile").text ==
        "0.667× (n = 4096, recorded)");
  CHECK(f.print("at {{size n=4096}}?") == "at n = 4096?");
  CHECK(f.print("Set {{set n=4096}}.") == "Set [n to 4096](<set:n=4096>).");
  f.sources.view.asked = [](const Params&) { return Params{{"n", int64_t{1024}}}; };
  CHECK(f.print("at {{size n=4096}}?") == "at n = 1024?");
  CHECK(f.print("Set {{set n=4096}}.") == "Set [n to 1024](<set:n=1024>).");
}

TEST_CASE("of several baselines the one that was compared counts") {
  const Fixture f;
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=4096 vs=cublas,producer_consumer").value == 1.5);
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer,cublas").value == 1.5);
  CHECK_FALSE(f.figure("h200 gemm.cuda.wide_tile n=4096 vs=cublas,cublaslt").gap.empty());
}

TEST_CASE(
    "of one machine's recordings the sustained pair counts, then the fresh one, then the newest") {
  const Fixture f;
  const auto recorded = [](double ratio, bool sustained) {
    Transcript out;
    add_head(&out);
    Comparison one = pair(11, at(4096), ratio, {ratio - 0.01, ratio + 0.01}, Verdict::faster);
    if (sustained) one.equal_clock = PairedVerdict{.ratio = 1.9, .ci = Interval{1.8, 2.0}};
    add_pair(&out, one);
    return test::run_of(out);
  };
  const Run plain = recorded(1.3, false), sustained = recorded(1.1, true);
  Run old = recorded(1.2, true);
  const RungHash now[] = {{"gemm.cuda.wide_tile", "another"}};
  old.mark_stale(now);
  const auto value = [&](const std::string& clock, const Run& first, const Run& second) {
    const Sources sources{nullptr, false, {{&first, "NVIDIA H200"}, {&second, "NVIDIA H200"}}};
    const auto made = resolve(
        *parse_reference("h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer" + clock), sources);
    REQUIRE(made.ok());
    return made->value;
  };
  CHECK(value("", plain, sustained) == 1.1);
  CHECK(value("", sustained, plain) == 1.1);
  CHECK(value("", old, sustained) == 1.1);
  CHECK(value("", sustained, old) == 1.1);
  CHECK(value(" clock=equal", plain, sustained) == 1.3);  // as good: the first of equals
  CHECK(value(" clock=equal", old, plain) == 1.3);
  CHECK(value("", old, plain) == 1.2);  // what was asked, if marked
}

TEST_CASE("several baselines are compared on one machine") {
  const Fixture f;
  // Another machine, which alone compared with naive_o1, and where the ratio is lower.
  Transcript out;
  add_head(&out);
  Comparison other = pair(11, at(4096), 1.1, {1.09, 1.11}, Verdict::faster);
  other.baseline = test::kFirst;
  add_pair(&out, other);
  const Run there = test::run_of(out);
  const auto value = [&](const std::string& text, const Sources& sources) {
    const auto made = resolve(*parse_reference(text), sources);
    REQUIRE(made.ok());
    return *made;
  };
  const std::string both = "gemm.cuda.wide_tile n=4096 vs=producer_consumer," + test::kFirst;
  const Place h200{&f.recording, "NVIDIA H200"}, t4{&there, "Tesla T4"};
  CHECK(value(both, {&f.here, false, {h200, t4}}).value == 1.5);
  CHECK(value(both, {&f.here, false, {t4, h200}}).value == 1.1);
  CHECK(value("t4 " + both, {&f.here, false, {h200, t4}}).value == 1.1);
  // This machine's run is one machine, a recording another.
  CHECK(value(both, {&there, false, {h200}}).value == 1.1);
  CHECK(value(both, {&f.recording, false, {t4}}).value == 1.5);
  // Two recordings of one machine are looked at together, whatever lies between them.
  const Place more{&there, "NVIDIA H200"};
  CHECK(value(both, {&f.here, false, {h200, t4, more}}).value == 1.1);
  CHECK(value("gb300 " + both, {&f.here, false, {h200, t4}}).gap ==
        "there is no recording of a machine called gb300");
}

TEST_CASE("an unresolved pair is said to show no difference, or none beyond the margin") {
  Figure made;
  made.verdict = Verdict::unresolved;
  made.interval = Interval{0.98, 1.03};
  CHECK(verdict_words(made) == "no difference shown");
  made.interval = Interval{1.003, 1.03};
  CHECK(verdict_words(made) == "no difference beyond the margin shown");
  made.verdict = Verdict::same;
  CHECK(verdict_words(made) == "the same");
}

TEST_CASE("without a pair the run that is shown gives the quotient of its two medians") {
  Fixture f;
  const std::string text = "gemm.cuda.wide_tile n=512 vs=producer_consumer";
  CHECK_FALSE(f.figure(text).gap.empty());
  Transcript out;
  add_head(&out);
  add_series(&out, 4, kWide, at(512), 1e6);
  add_series(&out, 5, kProducer, at(512), 3e6);
  const Run both = test::run_of(out);
  f.sources.own = &both;
  const Figure made = f.figure(text);
  CHECK(made.text == "≈ 3.00×");
  CHECK_FALSE(made.verdict);
  CHECK(test::contains(made.source, "each timed alone; no pair was made"));
  f.sources = {nullptr, false, {{&both, "NVIDIA H200"}}};
  CHECK_FALSE(f.figure(text).gap.empty());  // of a recording two medians are not put together
}

TEST_CASE("a pair of other parameters gives way to two medians of those in view") {
  Fixture f;
  Transcript out;
  add_head(&out);
  add_series(&out, 4, kWide, at(512), 1e6);
  add_series(&out, 5, kProducer, at(512), 3e6);
  add_pair(&out, pair(6, at(512, "bf16"), 2, {1.9, 2.1}, Verdict::faster));
  const Run both = test::run_of(out);
  f.sources.own = &both;
  const std::string text = "gemm.cuda.wide_tile n=512 vs=producer_consumer";
  f.sources.view = {.params = at(512), .sizes = {"n"}};
  CHECK(f.figure(text).text == "≈ 3.00×");
  f.sources.is_own_saved = true;
  CHECK(f.figure(text).text == "≈ 3.00× (recorded)");
  f.sources.view.params = at(512, "bf16");
  CHECK(f.figure(text).value == 2);
  f.sources.view.params = at(512);
  CHECK(f.figure(text + " dtype=bf16").value == 2);  // what is written is asked for
}

TEST_CASE("where a sustained verdict was taken it leads") {
  const Fixture f;
  const Figure made = f.figure("h200 gemm.cuda.wide_tile n=8192 vs=producer_consumer");
  CHECK(made.value == 0.938);
  CHECK(made.verdict == Verdict::slower);
  CHECK(test::contains(made.source, "sustained; at equal clock 1.013×"));
  const Figure equal = f.figure("h200 gemm.cuda.wide_tile n=8192 vs=producer_consumer clock=equal");
  CHECK(equal.value == 1.013);
  CHECK(equal.verdict == Verdict::faster);
}

TEST_CASE("a number that rounding moves out of its interval gets the digits of the ends") {
  CHECK(within("[259.6, 259.9]", {259.6e-9, 259.9e-9}, 259.8e-9, "260 ns") == "259.8 ns");
  CHECK(within("[1.881, 1.884]", {1.881e12, 1.884e12}, 1.8826e12, "1.88 TFLOP/s") ==
        "1.883 TFLOP/s");
  CHECK(within("[88.81, 88.84]", {0.8881, 0.8884}, 0.8882, "88.8 %") == "88.82 %");
  CHECK(within("[259, 261]", {259e-9, 261e-9}, 259.8e-9, "260 ns") == "260 ns");
}

TEST_CASE("a lower quartile stands for the step that most samples hold more than") {
  const Fixture f;
  const Figure made = f.figure("h200 gemm.cuda.wide_tile n=4096 metric=time_lower_quartile");
  CHECK(made.text == "995 µs");
  CHECK(made.interval_text.empty());
  CHECK(test::contains(made.source, "a quarter of them took less"));
}

TEST_CASE("what was not measured is a gap with a reason") {
  const Fixture f;
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=512").text == "not recorded");
  CHECK(f.figure("gemm.cpu.naive_o1 n=512").text == "not measured here");
  CHECK(f.figure("b300 gemm.cuda.wide_tile n=4096").gap ==
        "there is no recording of a machine called b300");
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=4096 metric=energy").gap ==
        "its result has no energy");
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=4096 metric=energy").text == "not known");
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=2048 vs=producer_consumer").gap == "its check failed");
}

TEST_CASE("a figure of older code is marked as such") {
  Fixture f;
  const RungHash now[] = {{kProducer.c_str(), "11111111"}, {kWide.c_str(), "00beef00"}};
  f.recording.mark_stale(now);
  CHECK(f.figure("h200 gemm.cuda.producer_consumer n=4096").is_stale);
  CHECK_FALSE(f.figure("h200 gemm.cuda.wide_tile n=4096").is_stale);
  // Either side of a pair makes it old.
  const Figure pair = f.figure("h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer");
  CHECK(pair.is_stale);
  CHECK(test::contains(pair.source, "the code has changed since"));
  const std::string text = "{{h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer}}";
  CHECK(test::contains(f.print(text), "]†‡"));
  const auto made = expand(text, f.sources, "lesson.md");
  REQUIRE(made.ok());
  Footnotes notes;
  notes.print(*made);
  REQUIRE(notes.lines().size() == 2);
  CHECK(test::contains(notes.lines()[1], "has changed since"));
  const auto page = fill_markers(
      "<!-- figure h200 gemm.cuda.producer_consumer n=4096 -->"
      "<!-- /figure -->",
      f.sources, "README.md");
  REQUIRE(page.ok());
  CHECK(test::contains(*page, "‡<!-- /figure -->"));
}

TEST_CASE("m and k follow n, and what is left open is the family's fallback or the only one") {
  const Fixture f;
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=1024").value == Approx(1e-6));
  CHECK_FALSE(f.figure("h200 gemm.cuda.wide_tile n=4096 m=512").gap.empty());
  // No n: two points, neither the fallback's 512; the types differ, and fp32 is nearer to it.
  CHECK(f.figure("h200 gemm.cuda.wide_tile").value == Approx(1e-3));
  CHECK(test::contains(f.error("{{h200 gemm.cuda.wide_tile vs=producer_consumer}}"),
                       "several such points"));
}

TEST_CASE("what is left open is the fallback where a recording holds it, be another point later") {
  const auto made = [](const std::vector<int64_t>& sizes, const char* time_utc, double median_ns) {
    Transcript out;
    add_head(&out);
    Environment environment = test::environment();
    environment.time_utc = time_utc;
    out.worker("env", {{"request", 4}, {"environment", environment}, {"when", "before"}});
    for (const int64_t n : sizes) add_series(&out, 4, kWide, at(n), median_ns);
    return test::run_of(out);
  };
  // The later one's two points are equally far from the fallback: a doubt only where no other recording is nearer.
  const Run early = made({512}, "2026-01-01T00:00:00Z", 1e3),
            late = made({4096, 8192}, "2026-02-01T00:00:00Z", 1e6);
  const Sources sources{nullptr, false, {{&early, "NVIDIA H200"}, {&late, "NVIDIA H200"}}};
  const auto seconds = [&](const std::string& text) {
    const auto figure = resolve(*parse_reference(text), sources);
    REQUIRE(figure.ok());
    return figure->value;
  };
  CHECK(seconds("h200 gemm.cuda.wide_tile") == Approx(1e-6));
  CHECK(seconds("h200 gemm.cuda.wide_tile n=4096") == Approx(1e-3));
  // Two machines of one word: the first of them only where it is as near.
  const Sources two{nullptr, false, {{&late, "NVIDIA H200, two"}, {&early, "NVIDIA H200"}}};
  CHECK(resolve(*parse_reference("h200 gemm.cuda.wide_tile"), two)->value == Approx(1e-6));
  CHECK(resolve(*parse_reference("h200 gemm.cuda.wide_tile n=4096"), two)->value == Approx(1e-3));
  const Sources no_fallback{nullptr, false, {{&late, "NVIDIA H200"}}};
  const auto doubt = resolve(*parse_reference("h200 gemm.cuda.wide_tile"), no_fallback);
  REQUIRE_FALSE(doubt.ok());
  CHECK(test::contains(doubt.error().what, "several such points"));
}

TEST_CASE("a run of a build without a parameter leaves the answer to a recording that has it") {
  const auto made = [](const std::vector<ParamSpec>& more, const Params& params) {
    Transcript out;
    add_head(&out, more);
    out.worker("env", {{"request", 4}, {"environment", test::environment()}, {"when", "before"}});
    add_series(&out, 4, kWide, params, 1e6);
    return test::run_of(out);
  };
  Params split = at(4096);
  split["splits"] = int64_t{4};
  const Run own = made({}, at(4096)), recorded = made({int_param("splits", "", 1, 8, 1)}, split);
  const Sources sources{&own, false, {{&recorded, "NVIDIA H200"}}};
  const auto figure = resolve(*parse_reference("gemm.cuda.wide_tile n=4096 splits=4"), sources);
  REQUIRE(figure.ok());
  CHECK(figure->value == Approx(1e-3));
}

TEST_CASE("a pipeline's stages alone, both terms of its bound, and the cores can be named") {
  Series series;
  const Run run;
  const auto asked = [&](const std::string& name) {
    const NamedMetric named = find_metric(name);
    REQUIRE(named.metric != nullptr);
    return named.metric->of({series, {}, run, named.part});
  };
  for (const char* name : {"stage_alone.load", "cpu_over_cores", "cores"}) CHECK_FALSE(asked(name));
  series.pipeline.emplace();
  series.pipeline->cores = 4;
  series.pipeline->stages = {{.name = "load", .threads = 4, .alone_ns = 200, .cpu_ns = 800},
                             {.name = "copy and decode", .alone_ns = 90, .cpu_ns = 40},
                             {.name = "step", .alone_ns = 300, .cpu_ns = 1160}};
  CHECK(asked("stage_alone.load")->value == Approx(200e-9));
  CHECK(asked("stage_alone.copy")->value == Approx(90e-9));
  CHECK(asked("stage_alone.step")->value == Approx(300e-9));
  CHECK_FALSE(asked("stage_alone.shuffle"));
  CHECK(asked("cpu_over_cores")->value == Approx(500e-9));
  CHECK(asked("cores")->value == 4);
  CHECK(find_metric("stage_alone").metric == nullptr);
  CHECK(find_metric("cores.load").metric == nullptr);
}

TEST_CASE("ceilings, counters, caches and parameters of a rung's run can be named") {
  const Fixture f;
  const std::string wide = "h200 gemm.cuda.wide_tile n=4096 metric=";
  CHECK(f.figure(wide + "ceiling.dram_read").text == "4.66 TB/s");
  CHECK(test::contains(f.figure(wide + "ceiling.dram_read").source, "the ceiling DRAM read"));
  CHECK(f.figure(wide + "ceiling.launch").text == "3.80 µs");
  CHECK(f.figure(wide + "ceiling.flop in=TFLOP/s").text == "65.1");
  // The counter's name goes on behind a point.
  CHECK(f.figure(wide + "counters.smsp__issue_active").text == "77.0 %");
  CHECK(f.figure(wide + "counters.dram__bytes_read").text == "1.00 MiB");
  CHECK(f.figure(wide + "counters.smsp__issue").text == "not known");
  CHECK(f.figure(wide + "parameter.m").text == "4\u202f096");
  CHECK(f.figure(wide + "parameter.dtype").text == "fp32");
  CHECK(f.figure("gemm.cuda.wide_tile n=4096 metric=machine.l2").text == "2.00 MiB");
  CHECK(f.figure("gemm.cuda.wide_tile n=4096 metric=machine.cores").text == "2");
  CHECK(f.figure("gemm.cuda.wide_tile n=4096 metric=machine.l9").text == "not known");
  CHECK(f.figure("h200 gemm.cuda.wide_tile n=8192 vs=producer_consumer metric=margin").text ==
        "±1.0 %");
  CHECK(test::contains(f.error("{{gemm.cuda.wide_tile n=4096 metric=ceiling}}"), "no metric"));
  CHECK(test::contains(f.error("{{gemm.cuda.wide_tile vs=x metric=energy}}"), "a pair has no"));
  CHECK(test::contains(f.error("{{" + wide + "ceiling.launch in=GB/s}}"), "is no unit"));
  CHECK(test::contains(f.error("{{calc [" + wide + "parameter.dtype] * 2}}"), "is no number"));
}

TEST_CASE("what is of the machine is of no size, and not older than the rung's code") {
  Fixture f;
  const RungHash now[] = {{kProducer.c_str(), "00beef00"}, {kWide.c_str(), "another"}};
  f.recording.mark_stale(now);
  const std::string wide = "h200 gemm.cuda.wide_tile n=4096 metric=";
  CHECK(f.figure(wide + "counters.smsp__issue_active").is_stale);
  CHECK_FALSE(f.figure(wide + "ceiling.launch").is_stale);
  f.sources = {nullptr, false, {{&f.recording, "NVIDIA H200"}}};
  f.sources.view = {.params = {{"n", int64_t{512}}}, .sizes = {"n"}};
  CHECK(f.figure("gemm.cuda.wide_tile n=4096 metric=ceiling.launch").text == "3.80 µs (recorded)");
}

TEST_CASE("the sentence of a guard stands in a text as it was recorded") {
  Transcript out;
  add_head(&out);
  add_series(&out, 4, kWide, at(4096), 1e6);
  WorkRequest asked = test::request_for(RequestType::run, 5);
  asked.kernels = {{kProducer, at(4096)}};
  out.send(asked);
  Series series = test::outcome(5, 0, kProducer);
  series.params = at(4096);
  series.trap = TrapOutcome{.margin = 0.02, .guard_says = "threads = 1 against threads = 16"};
  out.worker("result", test::with(test::about(5, 0), "outcome", series));
  Fixture f;
  f.here = test::run_of(out);
  CHECK(f.print("It says: {{gemm.cuda.producer_consumer metric=trap_guard}}.") ==
        "It says: threads = 1 against threads = 16.");
  CHECK(f.print("{{gemm.cuda.producer_consumer metric=margin}}") == "±2.0 %");
}

TEST_CASE("a bad reference names file and line") {
  const Fixture f;
  CHECK(test::contains(f.error("one\ntwo {{h200 gemm.cuda.wide_tile n=4096 vs=}}"), "lesson.md:2"));
  CHECK(test::contains(f.error("{{gemm.cuda.wide_tile metric=speed}}"), "no metric 'speed'"));
  CHECK(test::contains(f.error("{{gemm.cuda.wide_tile sides=3}}"), "has no parameter sides"));
  CHECK(test::contains(f.error("{{gemm.cuda.wide_tile n=4096 in=GB/s}}"), "is no unit"));
  CHECK(test::contains(f.error("{{the fastest rung}}"), "neither machine, rung"));
  CHECK(test::contains(f.error("{{verdict gemm.cuda.wide_tile n=4096}}"), "one of a pair"));
  CHECK(test::contains(f.error("{{if best gemm.cuda.wide_tile vs=x}}{{end}}"), "is no verdict"));
  CHECK(test::contains(f.error("a\n{{if faster gemm.cuda.wide_tile vs=x}} b"),
                       "without its {{end}}"));
  CHECK(test::contains(f.error("{{end}}"), "without its {{if}}"));
  CHECK(test::contains(f.error("{{gemm.cuda.wide_tile"), "without its }}"));
}

TEST_CASE("a part is shown while its verdict holds, and neither part without one") {
  const Fixture f;
  const std::string pair = "h200 gemm.cuda.wide_tile vs=producer_consumer ";
  const auto text = [&](const std::string& words, int n) {
    return f.print("a {{if " + words + " " + pair + "n=" + std::to_string(n) +
                   "}}wins{{else}}loses{{end}} b");
  };
  CHECK(text("faster", 4096) == "a wins b");
  CHECK(text("faster", 8192) == "a loses b");
  CHECK(text("same|slower", 8192) == "a wins b");
  CHECK(text("faster", 512) == "a  b");
  // Lines of their own leave no empty ones.
  CHECK(f.print("a\n{{if slower " + pair + "n=8192}}\nb\n{{end}}\nc") == "a\nb\nc");
}

TEST_CASE("printed figures have their interval and are marked where another machine made them") {
  const Fixture f;
  const auto text = expand(
      "It takes {{gemm.cuda.wide_tile n=4096}}, there {{h200 gemm.cuda.wide_tile "
      "n=4096 vs=producer_consumer}} (`{{code}}`).\n```\n{{1, 2}}\n```\n",
      f.sources, "lesson.md");
  REQUIRE(text.ok());
  Footnotes notes;
  CHECK(notes.print(*text) ==
        "It takes 5.00 ms [4.95, 5.05], there 1.50× [1.49, 1.51]† (`{{code}}`).\n```\n{{1, "
        "2}}\n```\n");
  CHECK(shown(*text).starts_with("It takes 5.00 ms, there 1.50×† ("));
  CHECK(linked(*text).starts_with("It takes [5.00 ms](figure:0), there [1.50×†](figure:1) ("));
  REQUIRE(notes.lines().size() == 1);
  CHECK(notes.lines()[0] == "† recorded on NVIDIA H200 (2026-11-20, commit abc1234)");
  CHECK(f.print("{{h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer in=number interval=no}}") ==
        "1.50†");
}

TEST_CASE("each machine of a printed text has a mark and a line of its own") {
  Fixture f;
  f.sources.own = nullptr;
  f.sources.recordings = {{&f.here, "Test CPU"}, {&f.recording, "NVIDIA H200"}};
  Footnotes notes;
  const auto print = [&](const std::string& text) {
    const auto made = expand(text, f.sources, "lesson.md");
    REQUIRE(made.ok());
    return notes.print(*made);
  };
  const std::string there = "{{h200 gemm.cuda.wide_tile n=4096 interval=no}}";
  CHECK(print(there + ", {{cpu gemm.cuda.wide_tile n=4096 interval=no}}, " + there) ==
        "1.00 ms†, 5.00 ms§, 1.00 ms†");
  // The next text of the same page.
  CHECK(print("{{cpu gemm.cuda.wide_tile n=4096 interval=no}}") == "5.00 ms§");
  REQUIRE(notes.lines().size() == 2);
  CHECK(notes.lines()[0] == "† recorded on NVIDIA H200 (2026-11-20, commit abc1234)");
  CHECK(notes.lines()[1].starts_with("§ recorded on Test CPU (2026-11-20"));
}

TEST_CASE(
    "a page says once what its machines are, each in a column, with the span of its ceilings") {
  const auto recording = [](const char* gpu, double read_Bps) {
    Transcript out;
    add_head(&out);
    add_series(&out, 2, kWide, at(512), 1e6);
    Environment environment = test::environment();
    environment.cpu = {.model = "Test CPU", .isa = "avx2", .cores = 8, .l3_bytes = 32 << 20};
    environment.compiler = "g++ 12.2";
    if (*gpu != 0) environment.gpus = {{.name = gpu, .sm_count = 132, .l2_bytes = 60 << 20}};
    out.worker("env", {{"request", 2}, {"when", "before"}, {"environment", environment}});
    Ceiling ceiling{.name = *gpu != 0 ? "DRAM read" : "DRAM read, 1 thread",
                    .backend = *gpu != 0 ? Backend::cuda : Backend::cpu,
                    .resource = "dram_read",
                    .threads = *gpu != 0 ? 0 : 1,
                    .value = read_Bps,
                    .unit = "B/s",
                    .source = "measured"};
    out.worker("result", {{"request", 1}, {"ceilings", {ceiling}}});
    return test::run_of(out);
  };
  const Run slow = recording("", 9e9), fast = recording("", 12e9), gpu = recording("A GPU", 3e12);
  const std::vector<Place> places = {{&slow, "Test CPU"}, {&fast, "Test CPU"}, {&gpu, "A GPU"}};
  const MachineTable table =
      machine_table({{"Test CPU", "†"}, {"A GPU", "§"}, {"not here", "¶"}}, "gemm", places);
  REQUIRE(table.machines.size() == 2);
  const auto row = [&](const std::string& name) {
    for (const auto& [fact, cells] : table.rows) {
      if (fact == name) return cells;
    }
    return std::vector<std::string>{};
  };
  using Cells = std::vector<std::string>;
  CHECK(row("logical cores") == Cells{"8", "–"});
  CHECK(row("L3, shared") == Cells{"32.0 MiB", "–"});
  CHECK(row("compiler") == Cells{"g++ 12.2", "g++ 12.2"});
  CHECK(row("SMs") == Cells{"–", "132"});
  CHECK(row("ceiling DRAM read, 1 thread") == Cells{"9.00 GB/s to 12.0 GB/s", "–"});
  CHECK(row("ceiling DRAM read") == Cells{"–", "3.00 TB/s"});
  CHECK(row("L1 data cache, a core").empty());  // none says it
  CHECK(machine_table({{"Test CPU", "†"}}, "conv", places).machines.empty());
}

TEST_CASE("what a rung costs in accuracy is a mean over seeds, with its interval") {
  Transcript out;
  ParamSpec seed;
  seed.name = "seed";
  seed.fallback = int64_t{1};
  add_head(&out, {seed});
  const auto train = [&](int64_t request, const std::string& kernel, int64_t of, double accuracy) {
    WorkRequest asked = test::request_for(RequestType::run, request);
    asked.kernels = {{kernel, {{"seed", of}}}};
    out.send(asked);
    Series series = test::outcome(request, 0, kernel);
    series.params = {{"seed", of}};
    for (QualityCheck& check : series.checks) check.task = {{"accuracy", accuracy}};
    out.worker("result", test::with(test::about(request, 0), "outcome", series));
    out.worker("done", {{"request", request}, {"status", "ok"}});
  };
  train(4, kProducer, 1, 0.874), train(5, kProducer, 2, 0.879), train(6, kProducer, 3, 0.876);
  train(7, kWide, 1, 0.870), train(8, kWide, 2, 0.871), train(9, kWide, 3, 0.870);
  const Run run = test::run_of(out);
  const Sources sources{nullptr, false, {{&run, "NVIDIA H200"}}};
  const auto found = resolve(*parse_reference("h200 gemm.cuda.wide_tile vs=producer_consumer "
                                              "metric=accuracy_delta"),
                             sources);
  REQUIRE(found.ok());
  CHECK(found->value == Approx(-0.006));  // -0.4, -0.8 and -0.6 points
  REQUIRE(found->interval);
  CHECK(found->interval->low == Approx(-0.006 - 4.303 * 0.002 / std::sqrt(3.0)));
  CHECK(found->interval->high == Approx(-0.006 + 4.303 * 0.002 / std::sqrt(3.0)));
  CHECK(test::contains(found->source, "3 pairs of trainings"));
  CHECK_FALSE(parse_reference("h200 gemm.cuda.wide_tile metric=accuracy_delta").ok());
}

TEST_CASE("what is counted from a recorded figure has no figure of this machine beside it") {
  Fixture f;
  f.sources.view.params = at(4096);
  const auto text = [&](const std::string& written) {
    const auto made = expand(written, f.sources, "lesson.md");
    REQUIRE(made.ok());
    return shown(*made);
  };
  const std::string figure = "h200 gemm.cuda.wide_tile n=4096 interval=no";
  CHECK(text("{{" + figure + "}}") == "1.00 ms† (here 5.00 ms)");
  CHECK(text("{{calc [" + figure + "] * 1000}}") == "1.00†");  // milliseconds are no answer to it
}

TEST_CASE("arithmetic takes numbers and one figure, constants name their source") {
  const Fixture f;
  CHECK(evaluate_arithmetic("989.4 * (1 - 0.4)", {}).ok());
  CHECK(*evaluate_arithmetic("2 + 3 * -4 / 8", {}) == 0.5);
  CHECK_FALSE(evaluate_arithmetic("1 / 0", {}).ok());
  CHECK_FALSE(evaluate_arithmetic("2 +", {}).ok());
  CHECK_FALSE(evaluate_arithmetic("(2", {}).ok());
  CHECK_FALSE(evaluate_arithmetic("2 x", {}).ok());
  CHECK(f.print("{{calc 989.4 * 0.6}}") == "594");
  CHECK(f.print("{{calc 6 * 8}} and {{calc 1 / 2}}") == "48 and 0.5");  // counted, not measured
  CHECK(f.print("{{calc [h200 gemm.cuda.wide_tile n=4096] * 1000}}") == "1.00 [0.990, 1.01]†");
  CHECK(f.print("{{calc [h200 gemm.cuda.wide_tile n=4096 interval=no] * 1000}}") == "1.00†");
  CHECK(f.print("{{calc [h200 gemm.cuda.wide_tile n=512] * 1000}}") == "not recorded");
  CHECK(test::contains(f.error("{{calc [gemm.cuda.wide_tile n=4096] / [h200 gemm.cuda.wide_tile "
                               "n=4096]}}"),
                       "of one machine"));
  // Two runs: rough, without an interval. What was measured in pairs is vs=.
  CHECK(f.print("{{calc [h200 gemm.cuda.producer_consumer n=4096] / [h200 gemm.cuda.wide_tile "
                "n=4096]}}") == "≈ 2.0†");
  CHECK(f.print("{{calc [h200 gemm.cuda.wide_tile n=4096 metric=traffic.l2] / "
                "[h200 gemm.cuda.wide_tile n=4096] / 1e9}}") == "115 [114, 116]†");
  // What is of the machine may stand beside it; the interval is the rung's.
  const std::string wide = "h200 gemm.cuda.wide_tile n=4096";
  CHECK(f.print("{{calc ([" + wide + "] - [" + wide + " metric=ceiling.launch]) * 1000}}") ==
        "0.996 [0.986, 1.01]†");
  CHECK(f.print("{{calc [" + wide + " metric=ceiling.flop] / [" + wide +
                " metric=ceiling.dram_read]}}") == "14.0†");
  CHECK(test::contains(
      f.error("{{calc [gemm.cuda.wide_tile n=4096] / [" + wide + " metric=ceiling.launch]}}"),
      "of one machine"));
  // This machine ran one of the rungs, a recording has the other: no figure, and no error that would hide the whole text.
  CHECK(f.print("a {{calc [gemm.cuda.wide_tile n=4096] / [gemm.cuda.producer_consumer n=4096 "
                "metric=ceiling.launch]}} b") == "a not known b");
  CHECK(f.print("{{spec NVIDIA H200 data sheet: 989.4 TFLOP/s}}") == "989.4 TFLOP/s");
  CHECK(test::contains(f.error("{{spec 989.4}}"), "a source and a value"));
}

TEST_CASE("what stands behind a page's comments is made anew, the rest stays") {
  const Fixture f;
  const std::string pair = "h200 gemm.cuda.wide_tile n=4096 vs=producer_consumer";
  const std::string page =
      "# A\n\n<!-- figure " + pair + " -->9.99<!-- /figure --> and <!-- note -->\n" +
      "<!-- figures\n| a | {{" + pair + " in=number}} |\n-->\nold\n<!-- /figures -->\nend\n";
  const auto made = fill_markers(page, f.sources, "README.md");
  REQUIRE(made.ok());
  CHECK(*made ==
        "# A\n\n<!-- figure " + pair +
            " -->1.50× [1.49, 1.51]<!-- /figure --> and <!-- note -->\n<!-- figures\n| a | {{" +
            pair + " in=number}} |\n-->\n| a | 1.50 [1.49, 1.51] |\n<!-- /figures -->\nend\n");
  CHECK(*fill_markers(*made, f.sources, "README.md") == *made);
  CHECK(count_markers(page) == 2);
  const auto bad =
      fill_markers("a\nb <!-- figure h200 x -->1<!-- /figure -->", f.sources, "README.md");
  REQUIRE_FALSE(bad.ok());
  CHECK(test::contains(bad.error().sentence(), "README.md:2"));
  CHECK_FALSE(fill_markers("<!-- figure h200 a.b -->1", f.sources, "README.md").ok());
  const std::string one = "<!-- figure " + pair + " -->1<!-- /figure -->";
  const std::string block = "<!-- figures\n{{" + pair + "}}\n-->\nold\n<!-- /figures -->";
  for (const std::string& gap :
       {std::string("<!-- figures -->old<!-- /figures -->"),
        std::string("<!-- figures\n\n-->\n<!-- /figures -->"),
        std::string("<!-- figures {{x}} -->old<!-- /figures -->"),
        std::string("<!-- figure -->1<!-- /figure -->"),
        "<!-- figures\n{{" + pair + "}}\n-->\nold\n" + block,
        "<!-- figure " + pair + " -->1 " + one,
        "<!-- figures\n{{" + pair + "}}\nold\n<!-- /figures -->", "<!-- figure " + pair,
        std::string("<!-- /figures -->"), std::string("<!-- /figure -->")}) {
    INFO(gap);
    const auto open = fill_markers(one + "\n" + block + "\n" + gap, f.sources, "README.md");
    REQUIRE_FALSE(open.ok());
    CHECK(test::contains(open.error().sentence(), "README.md:7"));
    CHECK_FALSE(open.error().hint.empty());
  }
  CHECK(fill_markers(one + "\n" + block + "\n<!-- figurehead -->", f.sources, "README.md").ok());
  const std::string shown = "Write `<!-- figure REFERENCE -->1<!-- /figure -->`.";
  CHECK(*fill_markers(shown, f.sources, "README.md") == shown);
  CHECK(count_markers(shown) == 0);
}
