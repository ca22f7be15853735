// A small made-up transcript with a line of every type, for tests of whatever reads transcripts.
// Its figures are round numbers; nothing in it was measured.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/record/believable.h"
#include "common/record/edit.h"
#include "common/record/json.h"
#include "common/record/request.h"
#include "common/record/run.h"
#include "common/record/types.h"

namespace ridge::test {

inline const std::string kFirst = "gemm.cpu.naive_o1", kSecond = "gemm.cpu.naive_o3";

/// Lines as a worker and an app write them.
class Transcript {
 public:
  void worker(const std::string& type, Json fields = Json::object()) {
    fields["ridgepoint"] = 1;
    fields["type"] = type;
    fields["seq"] = ++seq_;
    lines.push_back(dump_json(fields));
  }
  void app(const std::string& type, Json fields = Json::object()) {
    fields["ridgepoint"] = 1;
    fields["from"] = "app";
    fields["type"] = type;
    lines.push_back(dump_json(fields));
  }
  void send(const WorkRequest& request) { lines.push_back(dump_json(to_line(request))); }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

  std::vector<std::string> lines;

 private:
  int seq_ = 0;
};

inline KernelInfo kernel_info(const std::string& id) {
  KernelInfo info;
  info.id = id;
  info.family = "gemm";
  info.backend = Backend::cpu;
  info.kind = RungKind::kernel;
  info.dtypes = {"fp32"};
  info.path = "kernels/gemm/rungs/naive.cpp";
  info.flags = "-O1";
  info.hash = "00beef00";
  info.available = true;
  info.params = {{"n", "columns", false, {}, 1, 65536, int64_t{512}, "", true},
                 {"m", "rows", false, {}, 1, 65536, int64_t{512}, "n"},
                 {"k", "length of the sums", false, {}, 1, 65536, int64_t{512}, "n"},
                 {"dtype", "element type", true, {"fp32"}, 1, 1, std::string("fp32"), ""}};
  return info;
}

inline Environment environment() {
  Environment made;
  made.os = "Test OS";
  made.time_utc = "2026-11-20T18:00:00Z";
  made.cpu.model = "Test CPU";
  made.cpu.isa = "portable";
  made.cpu.cores = 2;
  made.no_gpu_reason = "no CUDA device";
  made.quiet = {false, {"load 3.1 on 2 cores"}};
  return made;
}

inline QualityCheck check(bool passed) {
  QualityCheck made;
  made.what = "timed shape";
  made.nmse = passed ? 1e-13 : 0.5;
  made.nmse_limit = 2e-12;
  made.checked = 4096;
  made.passed = passed;
  if (!passed) made.reason = "NMSE 0.5 is over 2e-12";
  return made;
}

inline std::vector<Sample> samples(int n, double t_ns) {
  std::vector<Sample> made;
  for (int i = 0; i < n; ++i) {
    Sample sample;
    sample.index = i;
    sample.t_ns = t_ns + i % 5;
    sample.cpu_ns = t_ns;
    made.push_back(sample);
  }
  return made;
}

inline Series outcome(int64_t request, int index, const std::string& kernel) {
  Series made;
  made.request = request;
  made.index = index;
  made.lab = "gemm";
  made.kernel = kernel;
  made.kind = RungKind::kernel;
  made.dtype = "fp32";
  made.cache = CacheMode::hot;
  made.mode = RunMode::measure;
  made.hash = "00beef00";
  made.params = {{"n", int64_t{64}}, {"dtype", std::string("fp32")}};
  made.status = SeriesStatus::ok;
  made.checks = {check(true), check(true)};
  made.flop = 2.0 * 64 * 64 * 64;
  made.bytes_min = 3.0 * 64 * 64 * 4;
  made.memory_bytes = 3.0 * 64 * 64 * 4;
  made.stats = Stats{20, 1000, 1001, 1002, 1003, 1004, Interval{1001, 1003}, 0, 0.002, 1, {}};
  made.latency = LatencyStats{59, 1100.0, 1110.0, 1120.0, {}};
  made.unavailable = {{"energy_j", "no energy meter"}};
  if (is_edit(kernel)) {
    made.checks.insert(made.checks.begin(), check(true));
    made.checks.front().what = std::string(kWitnessed) + ": calls on new inputs";
  }
  return made;
}

inline Json about(int64_t request, int series) {
  return {{"request", request}, {"series", series}};
}
inline Json with(Json fields, const char* name, Json value) {
  fields[name] = std::move(value);
  return fields;
}

inline WorkRequest request_for(RequestType type, int64_t id) {
  WorkRequest request;
  request.type = type;
  request.id = id;
  request.lab = "gemm";
  const Params params = {{"n", int64_t{64}}};
  request.kernels = {{kFirst, params}, {kSecond, params}};
  return request;
}

/// hello, catalogue, source, ceilings.
inline void add_start(Transcript* out) {
  out->app("list", {{"id", 1}});
  out->worker("hello", {{"version", "0.1.0"},
                        {"pid", 77},
                        {"build", {{"commit", ""}, {"compiler", ""}, {"type", ""}, {"cuda", ""}}},
                        {"capabilities", {"cpu"}}});
  out->worker("kernel", {{"request", 1}, {"kernel", kernel_info(kFirst)}});
  out->worker("kernel", {{"request", 1}, {"kernel", kernel_info(kSecond)}});
  out->worker("end", {{"request", 1}});
  out->worker("done", {{"request", 1}, {"status", "ok"}});
  out->app("source", {{"id", 2}, {"kernel", kFirst}});
  const SourceText source{kFirst, "kernels/gemm/rungs/naive.cpp", "int main;\n", "-O1", "00beef00"};
  out->worker("result", {{"request", 2}, {"source", source}});
  out->worker("done", {{"request", 2}, {"status", "ok"}});
  WorkRequest probe = request_for(RequestType::probe, 3);
  probe.kernels.clear();
  out->send(probe);
  const std::vector<Ceiling> ceilings = {
      {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1e12, "FLOP/s", "measured"},
      {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 1e11, "B/s", "measured"}};
  out->worker("result", {{"request", 3}, {"ceilings", ceilings}});
  out->worker("done", {{"request", 3}, {"status", "ok"}});
}

/// Request 4: the first rung is measured, the second fails its check.
inline void add_run(Transcript* out) {
  out->app("predict", {{"kernel", kSecond}, {"params", {{"n", 64}}}, {"value", 900.5}});
  out->send(request_for(RequestType::run, 4));
  out->worker("env", {{"environment", environment()}, {"when", "before"}});
  out->worker("phase", with(about(4, 0), "phase", "check"));
  out->worker("check", with(about(4, 0), "check", check(true)));
  out->worker("timing", about(4, 0));
  out->app("ack", {{"seq", 14}});
  out->worker("samples",
              {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", samples(20, 1000)}});
  out->worker("phase", {{"request", 4},
                        {"series", 0},
                        {"phase", "timing"},
                        {"text", "timing"},
                        {"open", "interval"},
                        {"progress", 0.5},
                        {"median_ns", 1002},
                        {"ci_ns", Interval{1001, 1003}},
                        {"left_s", 1.5}});
  out->worker(
      "samples",
      {{"request", 4}, {"series", 0}, {"phase", "latency"}, {"samples", samples(59, 1100)}});
  out->worker("telemetry", {{"t_s", 0.5}, {"values", {{"power_w", 350}}}});
  out->worker("check", with(about(4, 0), "check", check(true)));
  out->worker("result", with(about(4, 0), "outcome", outcome(4, 0, kFirst)));
  out->worker("check", with(about(4, 1), "check", check(false)));
  Series refused = outcome(4, 1, kSecond);
  refused.status = SeriesStatus::failed;
  refused.hash = "0bad0bad";  // an earlier source: the comparison below is of a repaired one
  refused.reason = "NMSE 0.5 is over 2e-12";
  refused.checks = {check(false)};
  refused.stats.reset();
  refused.latency.reset();
  out->worker("result", with(about(4, 1), "outcome", refused));
  out->worker("env", {{"environment", environment()}, {"when", "after"}});
  out->worker("done", {{"request", 4}, {"status", "ok"}});
}

/// Request 5: a comparison of two verified sides.
inline void add_compare(Transcript* out) {
  WorkRequest request = request_for(RequestType::compare, 5);
  request.margin = 0.02;
  out->send(request);
  std::vector<Round> rounds;
  for (int i = 0; i < 8; ++i) rounds.push_back({i, "0110", {1000, 500, 500, 1000}});
  for (int side = 0; side < 2; ++side) {
    out->worker("check", with(about(5, side), "check", check(true)));
  }
  out->worker("samples", {{"request", 5}, {"phase", "rounds"}, {"rounds", rounds}});
  for (int side = 0; side < 2; ++side) {
    Series series = outcome(5, side, side == 0 ? kFirst : kSecond);
    series.mode = RunMode::compare;
    out->worker("samples", {{"request", 5},
                            {"series", side},
                            {"phase", "call"},
                            {"samples", samples(16, side == 0 ? 1000 : 500)}});
    out->worker("result", with(about(5, side), "outcome", series));
  }
  const Params params = outcome(5, 0, kFirst).params;
  Comparison comparison;
  comparison.request = 5;
  comparison.lab = "gemm";
  comparison.baseline = kFirst;
  comparison.candidate = kSecond;
  comparison.cache = CacheMode::hot;
  comparison.baseline_params = comparison.candidate_params = params;
  comparison.rounds = 8;
  comparison.ratio = 2;
  comparison.ci = Interval{1.99, 2.01};
  comparison.margin = 0.02;
  comparison.verdict = Verdict::faster;
  out->worker("result", {{"request", 5}, {"comparisons", {comparison}}});
  out->worker("done", {{"request", 5}, {"status", "ok"}});
}

/// What a `problem` line says of a series: of `asked`, it runs with n = 32.
inline Json smaller_problem(const std::string& asked) {
  return {{"kind", "kernel"},      {"dtype", "fp32"},       {"params", {{"n", 32}}},
          {"reduced_from", asked}, {"flop", 65536},         {"bytes_min", 12288},
          {"memory_bytes", 12288}, {"note", "made-up data"}};
}

/// The remaining types, and a worker that gives up.
inline void add_rest(Transcript* out) {
  out->send(request_for(RequestType::probe, 6));
  const Json estimate = {{"series", 1},        {"call_ns", 2000},       {"total_s", 1.5},
                         {"reduced_from", ""}, {"params", {{"n", 64}}}, {"reason", ""}};
  out->worker("result", {{"request", 6}, {"estimates", {estimate}}});
  out->worker("done", {{"request", 6}, {"status", "ok"}});
  out->app("ping", {{"id", 7}});
  out->worker("pong", {{"request", 7}});
  out->send(request_for(RequestType::run, 8));
  out->worker("curve", with(about(8, 0), "points", {CurvePoint{1, 0.5, {{"loss", 2.5}}}}));
  out->worker("span", with(about(8, 0), "spans", {Span{"decode", 1, 2, 3, 1, 100, 200}}));
  out->app("cancel", {{"id", 9}, {"target", 8}});
  out->worker("error",
              {{"request", 8}, {"error", Error{ErrorCode::cancelled, "cancelled", "", ""}}});
  out->worker("done", {{"request", 8}, {"status", "cancelled"}});
  out->send(request_for(RequestType::run, 10));
  out->worker("problem", with(about(10, 0), "problem", smaller_problem("n=64")));
  out->worker("samples",
              {{"request", 10}, {"series", 0}, {"phase", "call"}, {"samples", samples(12, 2000)}});
  out->worker("fatal", {{"error", Error{ErrorCode::worker, "the device is lost", "", ""}}});
  out->app("lost", {{"reason", "the worker exited with code 70"}});
  out->app("quit");
}

inline Transcript whole_transcript() {
  Transcript out;
  add_start(&out);
  add_run(&out);
  add_compare(&out);
  add_rest(&out);
  return out;
}

inline Run run_of(const Transcript& transcript) {
  Run run;
  for (const std::string& line : transcript.lines) run.apply_line(line);
  return run;
}

/// What must not differ between a live run and its replay.
inline std::string fingerprint(const Run& run) {
  Json all = {{"series", run.series()},     {"comparisons", run.comparisons()},
              {"ceilings", run.ceilings()}, {"catalogue", run.catalogue()},
              {"log", run.log()},           {"samples", Json::array()}};
  for (const Series& series : run.series()) {
    all["samples"].push_back({series.samples.from(0), series.latency_samples.from(0)});
    all["samples"].push_back(series.curve);
    all["samples"].push_back(series.spans);
  }
  for (const Request& request : run.requests()) {
    all["requests"].push_back(
        {request.id, request.type ? to_string(*request.type) : "", request.status});
  }
  return dump_json(all);
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ridge::test
