// The plain data of a run: JSON there and back, and tolerant reading.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/record/json.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

QualityCheck full_check() {
  return {"17x31x7", 1e-13, 2e-12, 1e-3, 1e-2, 0.5, 3, 4, false, 4096, {{"accuracy", 0.91}},
          true,      "why"};
}

Stats full_stats() {
  return {20, 1, 2, 3, 4, 5, Interval{2.5, 3.5}, 6, 0.25, 1.5, {"noisy"}};
}

ParamSpec full_spec() {
  return {"n", "columns", true, {"a", "b"}, 2, 9, std::string("a"), "m"};
}

/// Every field of `full` must differ from its default, be written, and come back.
template <class T>
void round_trip(const T& full, size_t field_count) {
  const Json written = full;
  const Json initial = T{};
  CHECK(written.size() == field_count);
  for (const auto& [name, value] : written.items()) {
    INFO("field " << name);
    CHECK((!initial.contains(name) || initial[name] != value));
  }
  const Result<Json> parsed = parse_json(dump_json(written), "test");
  REQUIRE(parsed.ok());
  const T back = parsed->template get<T>();
  CHECK(dump_json(Json(back)) == dump_json(written));
}

}  // namespace

TEST_CASE("every struct comes back from JSON") {
  round_trip(full_spec(), 8);
  round_trip(Sample{7, 1.5, 1.25, 4, 1.9e9, 61.5, 350.0, {"outlier"}}, 8);
  round_trip(Interval{1, 2}, 2);
  round_trip(full_stats(), 11);
  round_trip(LatencyStats{300, 1.0, 2.0, 3.0, 4.0}, 5);
  round_trip(full_check(), 13);
  round_trip(CpuInfo{"CPU", "avx2", 8, 1, 2, 3, 4, "performance"}, 8);
  round_trip(GpuInfo{1, "GPU", 90, 132, 5, 6, 1.98e9, "580", "13.0"}, 9);
  round_trip(QuietState{false, {"load 3"}}, 2);
  Environment environment;
  environment.os = "os";
  environment.time_utc = "2026-11-20T18:00:00Z";
  environment.cpu.model = "CPU";
  environment.gpus = {GpuInfo{}};
  environment.no_gpu_reason = "none";
  environment.version = "1";
  environment.commit = "abc";
  environment.compiler = "g++";
  environment.build_type = "Release";
  environment.cuda = "13.0";
  environment.libraries = {{"oneDNN", "2.6.3"}};
  environment.power_source = "mains";
  environment.quiet.quiet = false;
  round_trip(environment, 13);
  round_trip(Ceiling{"FMA", Backend::cpu, "flop", "fp32", 2, 1e11, "FLOP/s", "measured", "too low"},
             9);
  round_trip(KernelInfo{"gemm.cpu.a",
                        "gemm",
                        Backend::cpu,
                        RungKind::kernel,
                        {"fp32"},
                        "avx2",
                        "lib",
                        "p",
                        "-O1",
                        "beef",
                        true,
                        "max_norm",
                        true,
                        true,
                        "why",
                        {full_spec()}},
             16);
  round_trip(SourceText{"k", "p", "t", "f", "h"}, 5);
  round_trip(Utilization{"FMA", 0.5, "derived"}, 3);
  round_trip(CurvePoint{3, 1.5, {{"loss", 0.25}}}, 3);
  round_trip(Span{"decode", 1, 2, 3, 64, 4, 5}, 7);
  const StageTime stage = {"load", 2, 3, 4, 5, {{"pixels", 1.0}}};
  round_trip(stage, 6);
  round_trip(PipelineOutcome{{stage}, 64, 2, "load alone", 3, 1.02, Interval{1, 2}, 10, 5e10}, 9);
  round_trip(Round{2, "0110", {1, 2, 3, 4}, {1e9, 2e9, 1e9, 2e9}}, 4);
  round_trip(SustainedSide{6, 1e6, 1.4e9, 700, 0.7}, 5);
  round_trip(Error{ErrorCode::worker, "what", "where", "hint"}, 4);
}

TEST_CASE("series and comparisons come back from JSON") {
  Series series;
  series.request = 5;
  series.index = 2;
  series.lab = "gemm";
  series.kernel = "gemm.cpu.naive_o1";
  series.kind = RungKind::kernel;
  series.dtype = "fp32";
  series.cache = CacheMode::hot;
  series.mode = RunMode::live;
  series.hash = "beef";
  series.params = {{"n", int64_t{64}}, {"dtype", std::string("fp32")}};
  series.reduced_from = "n=4096";
  series.status = SeriesStatus::partial;
  series.reason = "why";
  series.stats = full_stats();
  series.latency = LatencyStats{2, 1.0, {}, {}, {}};
  series.checks = {full_check()};
  series.flop = 1;
  series.bytes_min = 2;
  series.memory_bytes = 3;
  series.energy_j = 4;
  series.energy_error_j = 0.5;
  series.energy_source = "RAPL";
  series.items_per_s = 5;
  series.note = "tile 128x256";
  series.unavailable = {{"energy_j", "no meter"}};
  round_trip(series, 25);

  Comparison comparison;
  comparison.request = 5;
  comparison.baseline_index = 1;
  comparison.candidate_index = 2;
  comparison.lab = "gemm";
  comparison.baseline = "a";
  comparison.candidate = "b";
  comparison.cache = CacheMode::cold;
  comparison.baseline_params = {{"n", int64_t{1}}};
  comparison.candidate_params = {{"n", int64_t{2}}};
  comparison.rounds = 40;
  comparison.ratio = 1.25;
  comparison.ci = Interval{1.2, 1.3};
  comparison.margin = 0.02;
  comparison.verdict = Verdict::faster;
  comparison.rounds_needed = 80;
  comparison.reasons = {"why"};
  comparison.equal_clock = PairedVerdict{40, 1.3, Interval{1.2, 1.4}, Verdict::faster, 80};
  comparison.sustained = {{6, 1e6, 1.4e9, 700, 0.7}, {6, 8e5, 1.3e9, 700, 0.56}};
  comparison.clock_held = true;
  comparison.clock = "held";
  round_trip(*comparison.equal_clock, 5);
  round_trip(comparison, 20);
  for (const Verdict verdict :
       {Verdict::faster, Verdict::slower, Verdict::same, Verdict::unresolved, Verdict::invalid}) {
    comparison.verdict = verdict;
    CHECK(Json(comparison).get<Comparison>().verdict == verdict);
  }
  for (const SeriesStatus status :
       {SeriesStatus::pending, SeriesStatus::running, SeriesStatus::ok, SeriesStatus::failed,
        SeriesStatus::skipped, SeriesStatus::cancelled, SeriesStatus::partial}) {
    series.status = status;
    CHECK(Json(series).get<Series>().status == status);
  }
}

TEST_CASE("reading is tolerant") {
  SECTION("unknown fields are ignored, missing ones keep their defaults") {
    const Sample sample = Json::parse(R"({"t_ns": 5, "colour": "blue"})").get<Sample>();
    CHECK(sample.t_ns == 5);
    CHECK(sample.calls == 1);
    CHECK(!sample.power_w);
    CHECK(Json::parse("{}").get<Stats>().n == 0);
  }
  SECTION("a field of the wrong kind counts as missing") {
    const char* text =
        R"({"t_ns": "fast", "calls": [3], "flags": 7, "power_w": {}, "index": true})";
    const Sample sample = Json::parse(text).get<Sample>();
    CHECK(sample.t_ns == 0);
    CHECK(sample.calls == 1);
    CHECK(sample.index == 0);
    CHECK(sample.flags.empty());
    CHECK(!sample.power_w);
    CHECK(Json::parse(R"([1, 2])").get<Sample>().calls == 1);
    CHECK(Json::parse(R"({"status": "splendid"})").get<Series>().status == SeriesStatus::pending);
    CHECK(Json::parse(R"({"verdict": 3})").get<Comparison>().verdict == Verdict::unresolved);
  }
  SECTION("numbers that do not fit count as missing") {
    const auto n = [](const char* text) { return Json::parse(text).get<Stats>().n; };
    CHECK(n(R"({"n": 12.0})") == 12);
    CHECK(n(R"({"n": 12.5})") == 0);
    CHECK(n(R"({"n": 1e300})") == 0);
    CHECK(n(R"({"n": 5000000000})") == 0);
    CHECK(n(R"({"n": 18446744073709551615})") == 0);
  }
  SECTION("a check that says nothing has not passed") {
    CHECK(!Json::parse("{}").get<QualityCheck>().passed);
    CHECK(!Json::parse(R"({"passed": 1})").get<QualityCheck>().passed);
  }
  SECTION("elements of the wrong kind are left out of lists and maps") {
    const Stats stats = Json::parse(R"({"flags": ["a", 3, "b"]})").get<Stats>();
    CHECK(stats.flags == std::vector<std::string>{"a", "b"});
  }
}

TEST_CASE("what is not finite is written as null and read as NaN or as absent") {
  QualityCheck check;
  check.nmse = kNaN;
  check.max_abs = std::numeric_limits<double>::infinity();
  const Json json = check;
  CHECK(json["nmse"].is_null());
  CHECK(json["max_abs"].is_null());
  const QualityCheck back = json.get<QualityCheck>();
  CHECK(std::isnan(back.nmse));
  CHECK(std::isnan(back.max_abs));

  Sample sample;
  sample.power_w = kNaN;
  CHECK(dump_json(Json(sample)).find("nan") == std::string::npos);
  CHECK(!Json(sample).get<Sample>().power_w);
  CHECK(std::isnan(Json(Round{0, "01", {1, kNaN}}).get<Round>().t_ns.at(1)));
}

TEST_CASE("JSON texts") {
  const Result<Json> broken = parse_json(R"({"a": })", "line 3");
  REQUIRE(!broken.ok());
  CHECK(broken.error().code == ErrorCode::bad_input);
  CHECK(broken.error().sentence().find("line 3") == 0);
  CHECK(broken.error().what.find("byte 7") != std::string::npos);

  const std::string dumped = dump_json(Json{{"text", "caf\xe9\nline"}});
  CHECK(dumped.find('\n') == std::string::npos);
  CHECK(parse_json(dumped, "").ok());
}

TEST_CASE("quality of a series") {
  Series series;
  CHECK(!series.quality_passed());  // nothing checked
  CHECK(series.quality() == nullptr);
  const auto check = [](double nmse, bool passed) {
    QualityCheck made;
    made.nmse = nmse;
    made.passed = passed;
    return made;
  };
  series.checks = {check(1e-13, true), check(3e-13, true), check(2e-13, true)};
  CHECK(series.quality_passed());
  CHECK(series.quality() == &series.checks[1]);
  series.checks.push_back(check(kNaN, true));
  CHECK(series.quality() == &series.checks[3]);
  series.checks.push_back(check(0, false));
  CHECK(!series.quality_passed());
  CHECK(series.quality() == &series.checks[4]);
}
