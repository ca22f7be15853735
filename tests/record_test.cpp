// The plain data of a run: JSON there and back, tolerant reading, parameters, requests, derived
// figures.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/record/derive.h"
#include "common/record/json.h"
#include "common/record/params.h"
#include "common/record/request.h"
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
  round_trip(Ceiling{"FMA", "cpu", "flop", "fp32", 2, 1e11, "FLOP/s", "measured"}, 8);
  round_trip(KernelInfo{"gemm.cpu.a",
                        "gemm",
                        "cpu",
                        "kernel",
                        {"fp32"},
                        "avx2",
                        "lib",
                        "p",
                        "-O1",
                        "beef",
                        true,
                        "why",
                        {full_spec()}},
             13);
  round_trip(SourceText{"k", "p", "t", "f", "h"}, 5);
  round_trip(Utilization{"FMA", 0.5, "derived"}, 3);
  round_trip(CurvePoint{3, 1.5, {{"loss", 0.25}}}, 3);
  round_trip(Span{"decode", 1, 2, 3, 4, 5}, 6);
  round_trip(Round{2, "0110", {1, 2, 3, 4}}, 3);
  round_trip(Error{ErrorCode::worker, "what", "where", "hint"}, 4);
}

TEST_CASE("series and comparisons come back from JSON") {
  Series series;
  series.request = 5;
  series.index = 2;
  series.lab = "gemm";
  series.kernel = "gemm.cpu.naive_o1";
  series.kind = "kernel";
  series.dtype = "fp32";
  series.cache = "hot";
  series.mode = "live";
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
  series.items_per_s = 5;
  series.unavailable = {{"energy_j", "no meter"}};
  round_trip(series, 22);

  Comparison comparison{5,
                        2,
                        "gemm",
                        "a",
                        "b",
                        "cold",
                        {{"n", int64_t{1}}},
                        {{"n", int64_t{2}}},
                        40,
                        1.25,
                        Interval{1.2, 1.3},
                        0.02,
                        Verdict::faster,
                        80,
                        {"why"}};
  round_trip(comparison, 15);
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

// ---- parameters ----------------------------------------------------------------------------------

namespace {

std::vector<ParamSpec> gemm_specs() {
  const auto whole = [](const char* name, int64_t max, int64_t fallback, const char* same_as) {
    return ParamSpec{name, "", false, {}, 1, max, fallback, same_as};
  };
  return {whole("k", 65536, 512, "m"), whole("m", 4096, 512, "n"), whole("n", 65536, 512, ""),
          ParamSpec{"dtype", "", true, {"fp32", "bf16"}, 1, 1, std::string("fp32"), ""}};
}

std::string refusal(const Params& given) {
  const Result<Params> resolved = resolve_params(gemm_specs(), given, "gemm");
  REQUIRE(!resolved.ok());
  CHECK(resolved.error().code == ErrorCode::usage);
  return resolved.error().sentence();
}

}  // namespace

TEST_CASE("assignments become parameters") {
  const Result<Params> params = parse_params({"n=1024", "dtype=bf16", "m=-3", "tag=7b", "n=2"});
  REQUIRE(params.ok());
  CHECK(to_string(*params) == "dtype=bf16 m=-3 n=2 tag=7b");
  CHECK(param_int(*params, "n") == 2);
  CHECK(param_int(*params, "tag", 9) == 9);
  CHECK(param_text(*params, "dtype") == "bf16");
  CHECK(param_text(*params, "n", "none") == "none");
  for (const char* wrong : {"n", "=4", "n=", ""}) {
    CHECK(parse_params({wrong}).error().code == ErrorCode::usage);
  }
}

TEST_CASE("parameters are filled in from others, then from defaults") {
  const auto resolved = [](const Params& given) {
    const Result<Params> params = resolve_params(gemm_specs(), given, "gemm");
    REQUIRE(params.ok());
    return to_string(*params);
  };
  CHECK(resolved({}) == "dtype=fp32 k=512 m=512 n=512");
  CHECK(resolved({{"n", int64_t{64}}}) == "dtype=fp32 k=64 m=64 n=64");
  CHECK(resolved({{"m", int64_t{7}}}) == "dtype=fp32 k=7 m=7 n=512");

  std::vector<ParamSpec> circle = gemm_specs();
  circle[2].same_as = "k";
  CHECK(resolve_params(circle, {}, "gemm").ok());
}

TEST_CASE("a wrong parameter is named with its range") {
  CHECK(refusal({{"n", int64_t{0}}}) ==
        "parameter n of gemm: n = 0 is below 1; choose a whole number from 1 to 65536");
  CHECK(refusal({{"n", int64_t{100000}}}).find("n = 100000 is above 65536") != std::string::npos);
  CHECK(refusal({{"n", std::string("big")}}).find("n = big is not a whole number") !=
        std::string::npos);
  CHECK(refusal({{"n", std::string("1e3")}}).find("n = 1e3") != std::string::npos);
  CHECK(refusal({{"n", int64_t{8192}}}).find("m = 8192 (copied from n) is above 4096") !=
        std::string::npos);
  CHECK(refusal({{"dtype", std::string("fp8")}}) ==
        "parameter dtype of gemm: dtype = fp8 is not one of its choices; choose from fp32, bf16");
  CHECK(refusal({{"dtype", int64_t{32}}}).find("dtype = 32") != std::string::npos);
  CHECK(refusal({{"q", int64_t{1}}}) ==
        "parameter q of gemm: gemm has no parameter q; choose from k, m, n, dtype");
}

// ---- requests ------------------------------------------------------------------------------------

TEST_CASE("requests come back from their line") {
  WorkRequest request;
  request.type = "compare";
  request.id = 12;
  request.lab = "gemm";
  request.kernels = {{"gemm.cpu.a", {{"n", int64_t{64}}}}, {"gemm.cpu.b", {}}};
  request.cache = "cold";
  request.margin = 0.01;
  request.device = 1;
  const Json line = to_line(request);
  CHECK(line["ridgepoint"] == 1);
  CHECK(line["from"] == "app");
  CHECK(line["limit_s"].is_null());
  const Result<WorkRequest> back = work_request_from(line);
  REQUIRE(back.ok());
  CHECK(dump_json(to_line(*back)) == dump_json(line));
  CHECK(back->margin == 0.01);
  CHECK(!back->limit_s);
  CHECK(to_string(back->kernels[0].params) == "n=64");
}

TEST_CASE("a request that makes no sense is refused") {
  const auto refused = [](const char* text) {
    const Result<WorkRequest> request = work_request_from(Json::parse(text));
    return !request.ok() && request.error().code == ErrorCode::usage;
  };
  const auto run_with = [&](const std::string& field) {
    const std::string text =
        R"({"type": "run", "id": 1, "kernels": [{"kernel": "a"}], )" + field + "}";
    return refused(text.c_str());
  };
  CHECK(!run_with(R"("colour": "blue")"));
  CHECK(!run_with(R"("limit_s": 2, "mode": "live", "cache": "cold")"));
  CHECK(run_with(R"("mode": "fast")"));
  CHECK(run_with(R"("cache": 3)"));
  CHECK(run_with(R"("limit_s": 0)"));
  CHECK(run_with(R"("limit_s": "long")"));
  CHECK(run_with(R"("margin": -0.1)"));
  CHECK(run_with(R"("device": -1)"));
  CHECK(run_with(R"("device": 0.5)"));
  CHECK(refused(R"({"type": "run", "id": 1})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": "all"})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": [7]})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": [{"kernel": ""}]})"));
  CHECK(refused(R"({"type": "run", "id": 1, "kernels": [{"kernel": "a", "params": 3}]})"));
  CHECK(refused(R"({"type": "compare", "id": 1, "kernels": [{"kernel": "a"}]})"));
  CHECK(refused(R"({"type": "quit"})"));
  CHECK(refused(R"({"id": 3})"));
  CHECK(refused("[]"));
  CHECK(!refused(R"({"type": "probe", "id": 1})"));
}

TEST_CASE("a parameter of an odd kind reaches the check of ranges as text") {
  const char* text =
      R"({"type": "run", "id": 1, "kernels": [{"kernel": "a", "params": {"n": 1.5}}]})";
  const Result<WorkRequest> request = work_request_from(Json::parse(text));
  REQUIRE(request.ok());
  CHECK(refusal(request->kernels[0].params).find("n = 1.5 is not a whole number") !=
        std::string::npos);
}

// ---- derived figures -----------------------------------------------------------------------------

namespace {

Series measured(const std::string& kernel, int64_t threads) {
  Series series;
  series.kernel = kernel;
  series.dtype = "fp32";
  series.params = {{"threads", threads}};
  series.status = SeriesStatus::ok;
  series.stats = Stats{};
  series.stats->n = 20;
  series.stats->median_ns = 1000;
  series.stats->ci_ns = Interval{800, 1250};
  series.flop = 50000;
  series.bytes_min = 8000;
  series.checks.emplace_back().passed = true;
  return series;
}

std::vector<Ceiling> cpu_ceilings() {
  return {{"FMA fp32, 1 thread", "cpu", "flop", "fp32", 1, 1e11, "FLOP/s", "measured"},
          {"FMA fp32, 2 threads", "cpu", "flop", "fp32", 2, 2e11, "FLOP/s", "measured"},
          {"FMA fp64, 1 thread", "cpu", "flop", "fp64", 1, 5e10, "FLOP/s", "measured"},
          {"DRAM read, 1 thread", "cpu", "dram_read", "", 1, 1.6e10, "B/s", "measured"},
          {"DRAM copy", "cuda", "dram_copy", "", 0, 4e12, "B/s", "measured"},
          {"FFMA", "cuda", "flop", "fp32", 0, 6e13, "FLOP/s", "datasheet"}};
}

}  // namespace

TEST_CASE("speeds and shares follow from the median") {
  const Derived derived = derive(measured("gemm.cpu.a", 1), cpu_ceilings());
  CHECK(*derived.flop_per_s == Approx(5e10));
  CHECK(*derived.bytes_per_s == Approx(8e9));
  CHECK(derived.flop_per_s_ci->low == Approx(4e10));
  CHECK(derived.flop_per_s_ci->high == Approx(6.25e10));
  REQUIRE(derived.compute);
  CHECK(derived.compute->value == Approx(0.5));
  CHECK(derived.compute->name == "FMA fp32, 1 thread");
  CHECK(derived.compute->source == "derived");
  CHECK(derived.bandwidth->value == Approx(0.5));
  CHECK(derived.no_compute_reason.empty());
  CHECK(derived.no_bandwidth_reason.empty());
}

TEST_CASE("a ceiling must match backend, type and threads, and be measured") {
  const std::vector<Ceiling> ceilings = cpu_ceilings();
  CHECK(derive(measured("gemm.cpu.a", 2), ceilings).compute->value == Approx(0.25));
  const Derived two = derive(measured("gemm.cpu.a", 2), ceilings);
  CHECK(!two.bandwidth);
  CHECK(two.no_bandwidth_reason ==
        "no measured ceiling for memory bandwidth with 2 threads on cpu");
  const Derived gpu = derive(measured("gemm.cuda.a", 1), ceilings);
  CHECK(!gpu.compute);
  CHECK(gpu.no_compute_reason == "no measured ceiling for fp32 on cuda");
  CHECK(gpu.bandwidth->name == "DRAM copy");
  CHECK(find_ceiling(ceilings, "cpu", "flop", "fp32", 4) == nullptr);
  CHECK(find_ceiling(ceilings, "cpu", "flop", "bf16", 1) == nullptr);
  CHECK(find_ceiling({{"x", "cpu", "flop", "fp32", 1, kNaN, "FLOP/s", "measured"}}, "cpu", "flop",
                     "fp32", 1) == nullptr);
}

TEST_CASE("nothing is derived from a result that may not be used") {
  const auto refused = [](const Series& series) {
    const Derived derived = derive(series, cpu_ceilings());
    CHECK(!derived.flop_per_s);
    CHECK(!derived.bytes_per_s);
    CHECK(!derived.compute);
    CHECK(!derived.bandwidth);
    CHECK(derived.no_compute_reason == derived.no_bandwidth_reason);
    return derived.no_compute_reason;
  };
  Series series = measured("gemm.cpu.a", 1);
  series.checks[0].passed = false;
  series.checks[0].reason = "3 elements are NaN";
  CHECK(refused(series) == "3 elements are NaN");
  series.checks.clear();
  CHECK(refused(series) == "its output was not checked");
  series = measured("gemm.cpu.a", 1);
  series.status = SeriesStatus::failed;
  series.reason = "launch failed";
  CHECK(refused(series) == "launch failed");
  series = measured("gemm.cpu.a", 1);
  series.stats->median_ns = kNaN;
  CHECK(!refused(series).empty());
  series.stats.reset();
  CHECK(!refused(series).empty());
}

TEST_CASE("a share well above the ceiling is not shown as one") {
  Series series = measured("gemm.cpu.a", 1);
  series.bytes_min = 80000;  // 5 times what DRAM reads
  const Derived derived = derive(series, cpu_ceilings());
  CHECK(derived.bytes_per_s);
  CHECK(!derived.bandwidth);
  CHECK(derived.no_bandwidth_reason.find("cache") != std::string::npos);
}
