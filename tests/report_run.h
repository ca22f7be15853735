// A made-up comparison of GEMM rungs for report tests, with one peer, one rung that fails its check
// and one that needs a GPU. Its figures are invented; nothing in it was measured.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/view/report/report.h"
#include "tests/synthetic_run.h"

namespace ridge::test {

inline const std::string kNaive = "gemm.cpu.naive_o3", kBlocked = "gemm.cpu.blocked",
                         kPeer = "gemm.cpu.onednn", kWrong = "gemm.cpu.wrong",
                         kGpu = "gemm.cuda.naive";

struct ReportCase {
  Verdict verdict = Verdict::faster;
  double ratio = 4.0;
  Interval ci{3.95, 4.05};
  bool candidate_passes = true;
  bool with_comparison = true;
  bool with_latency = true;
  std::optional<PairedVerdict> equal_clock = {};  ///< with it the verdict is of sustained turns
  bool clock_held = false;
  std::string clock = {};
  Budget budget = {};
  std::string candidate_dtype = {};     ///< empty: the baseline's
  std::string candidate_accuracy = {};  ///< its class; empty: the baseline's
  int latency_calls = 72;               ///< with 300 it has a p99
  std::vector<std::string> reasons = {};
};

/// A run that measured these ceilings, and nothing else, on a machine that may be named.
inline Run run_with(const std::vector<Ceiling>& ceilings,
                    const std::optional<Environment>& machine = {}) {
  Run run;
  if (machine)
    run.apply({{"ridgepoint", 1}, {"type", "env"}, {"environment", *machine}, {"when", "before"}});
  run.apply({{"ridgepoint", 1}, {"type", "result"}, {"request", 1}, {"ceilings", ceilings}});
  return run;
}

inline KernelInfo rung_info(const std::string& id, const std::string& library) {
  KernelInfo info = kernel_info(id);
  info.library = library;
  info.path = id == kGpu ? "kernels/gemm/rungs/naive.cu" : "kernels/gemm/blocked.cpp";
  info.flags = "-O3";
  return info;
}

inline Series measured(int64_t request, int index, const std::string& kernel, double call_ns) {
  Series series = outcome(request, index, kernel);
  series.params = {{"n", int64_t{512}}, {"threads", int64_t{1}}};
  series.flop = 2.0 * 512 * 512 * 512;
  series.bytes_min = 3.0 * 512 * 512 * 4;
  series.memory_bytes = series.bytes_min;
  series.stats = Stats{40,
                       call_ns * 0.98,
                       call_ns * 0.99,
                       call_ns,
                       call_ns * 1.01,
                       call_ns * 1.1,
                       Interval{call_ns * 0.992, call_ns * 1.009},
                       1,
                       0.02,
                       1,
                       {}};
  series.latency = LatencyStats{72, call_ns * 1.1, call_ns * 1.15, call_ns * 1.2, {}};
  return series;
}

inline void add_start_of(Transcript* out) {
  out->worker("hello", {{"version", "0.1.0"}});
  for (const std::string& id : {kNaive, kBlocked, kWrong, kGpu}) {
    out->worker("kernel", {{"request", 1}, {"kernel", rung_info(id, "")}});
  }
  out->worker("kernel", {{"request", 1}, {"kernel", rung_info(kPeer, "oneDNN")}});
  const std::vector<Ceiling> ceilings = {
      {"FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1.3e11, "FLOP/s", "measured"},
      {"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1, 4.2e10, "B/s", "measured"}};
  out->worker("result", {{"request", 2}, {"ceilings", ceilings}});
  Environment env = environment();
  env.libraries = {{"oneDNN", "2.6.3"}};
  env.compiler = "g++ 12.2";
  env.build_type = "Release";
  env.version = "0.1.0";
  env.power_source = "mains";
  env.quiet = {};
  out->worker("env", {{"environment", env}, {"when", "before"}});
}

inline WorkRequest work(RequestType type, int64_t id, const std::vector<std::string>& ids) {
  WorkRequest request;
  request.type = type;
  request.id = id;
  request.lab = "gemm";
  for (const std::string& kernel : ids) {
    request.kernels.push_back({kernel, {{"n", int64_t{512}}, {"threads", int64_t{1}}}});
  }
  return request;
}

inline void add_ladder(Transcript* out) {
  out->send(work(RequestType::run, 4, {kNaive, kPeer, kWrong, kGpu}));
  out->worker("result", with(about(4, 0), "outcome", measured(4, 0, kNaive, 24e6)));
  out->worker("result", with(about(4, 1), "outcome", measured(4, 1, kPeer, 2.4e6)));
  Series wrong = measured(4, 2, kWrong, 1e6);
  wrong.status = SeriesStatus::failed;
  wrong.checks = {check(false)};
  wrong.reason = wrong.checks[0].reason;
  out->worker("result", with(about(4, 2), "outcome", wrong));
  Series missing = measured(4, 3, kGpu, 1e6);
  missing.status = SeriesStatus::skipped;
  missing.reason = "needs an NVIDIA GPU";
  missing.checks.clear();
  missing.stats.reset();
  missing.latency.reset();
  out->worker("result", with(about(4, 3), "outcome", missing));
  out->worker("done", {{"request", 4}, {"status", "ok"}});
}

inline void add_comparison(Transcript* out, const ReportCase& wanted) {
  WorkRequest request = work(RequestType::compare, 5, {kNaive, kBlocked});
  request.margin = 0.02;
  request.budget = wanted.budget;
  out->send(request);
  for (const bool is_candidate : {false, true}) {
    KernelInfo info = rung_info(is_candidate ? kBlocked : kNaive, "");
    info.accuracy = "componentwise";
    if (is_candidate && !wanted.candidate_accuracy.empty())
      info.accuracy = wanted.candidate_accuracy;
    out->worker("kernel", {{"request", 1}, {"kernel", info}});
  }
  std::vector<Round> rounds;
  for (int i = 0; i < 12; ++i) {
    // Where a clock was held, rounds are of the turns at equal clock.
    const double ratio = wanted.equal_clock ? wanted.equal_clock->ratio : wanted.ratio;
    const double slow = 24e6 * (1 + 0.001 * (i % 5)), fast = slow / ratio * (1 + 0.002 * (i % 4));
    rounds.push_back({i, "0110", {slow, fast, fast, slow}});
  }
  out->worker("samples", {{"request", 5}, {"phase", "rounds"}, {"rounds", rounds}});
  Series base = measured(5, 0, kNaive, 24e6);
  Series candidate = measured(5, 1, kBlocked, 24e6 / wanted.ratio);
  if (!wanted.candidate_dtype.empty()) candidate.dtype = wanted.candidate_dtype;
  candidate.latency->n = wanted.latency_calls;
  if (wanted.latency_calls >= 299) candidate.latency->p99_ns = 24e6 / wanted.ratio * 1.3;
  if (!wanted.with_latency) candidate.latency = LatencyStats{20, 6.6e6, {}, {}, {}};
  if (!wanted.candidate_passes) {
    candidate.checks = {check(true), check(false)};
    candidate.status = SeriesStatus::failed;
    candidate.reason = candidate.checks[1].reason;
  }
  out->worker("result", with(about(5, 0), "outcome", base));
  out->worker("result", with(about(5, 1), "outcome", candidate));
  Comparison comparison;
  comparison.request = 5;
  comparison.lab = "gemm";
  comparison.baseline = kNaive;
  comparison.candidate = kBlocked;
  comparison.cache = CacheMode::hot;
  comparison.baseline_params = comparison.candidate_params = base.params;
  comparison.rounds = 12;
  comparison.ratio = wanted.ratio;
  comparison.ci = wanted.ci;
  comparison.margin = 0.02;
  comparison.verdict = wanted.verdict;
  comparison.rounds_needed = wanted.verdict == Verdict::unresolved ? 90 : 0;
  comparison.reasons = wanted.reasons;
  comparison.clock_held = wanted.clock_held;
  comparison.clock = wanted.clock;
  comparison.equal_clock = wanted.equal_clock;
  if (wanted.equal_clock) {
    comparison.rounds = 6;
    comparison.sustained = {{6, 1.61e6, 1.34e9, 689, 1.11}, {6, 1.72e6, 1.24e9, 698, 1.20}};
  }
  out->worker("result", {{"request", 5}, {"comparisons", {comparison}}});
  out->worker("done", {{"request", 5}, {"status", "ok"}});
}

inline Run read_run(const Transcript& transcript) {
  Run run;
  for (const std::string& line : transcript.lines) run.apply_line(line);
  return run;
}

inline Run report_run(const ReportCase& wanted = {}) {
  Transcript out;
  add_start_of(&out);
  add_ladder(&out);
  if (wanted.with_comparison) add_comparison(&out, wanted);
  return read_run(out);
}

inline report::Options report_options() {
  report::Options options;
  options.lab_title = "GEMM";
  options.titles = {{kNaive, "three loops, -O3"},
                    {kBlocked, "cache blocks"},
                    {kPeer, "oneDNN"},
                    {kWrong, "dropped k"},
                    {kGpu, "naive on the GPU"}};
  options.quality_limit = "NMSE at most 4e-15 K in fp32";
  return options;
}

/// The run has to outlive the report, so a temporary is refused.
report::Report built(const Run&& run, const report::Options& options = {}) = delete;
inline report::Report built(const Run& run, const report::Options& options = report_options()) {
  const report::Input input{&run, "run.jsonl"};
  auto report = build_report(std::span(&input, 1), options);
  REQUIRE(report.ok());
  return *report;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ridge::test
