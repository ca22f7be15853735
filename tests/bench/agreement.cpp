// The harness against Google Benchmark: the same kernels, the same buffers, taking turns. Not a test:
// it prints both medians and their ratio, for docs/measuring.md.
//   bench_agreement [PASSES]      default 15; on a busy machine: taskset -c 1 chrt -f 50 bench_agreement
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace {

using namespace ridge;

constexpr double kTurn_s = 0.2;  ///< of each harness in a pass
/// Theirs is the mean of a repetition: of one long one, an interruption would be part of the figure.
constexpr int kRepetitions = 10;

struct Case {
  const char* kernel;
  int64_t n;
};
constexpr Case kCases[] = {
    {"gemm.cpu.loop_order", 128}, {"gemm.cpu.cache_blocks", 256}, {"gemm.cpu.packed", 384}};

/// Keeps the times of the repetitions of the one benchmark that ran.
class Keep : public benchmark::BenchmarkReporter {
 public:
  std::vector<double> call_ns;
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) call_ns.push_back(run.GetAdjustedRealTime());
    }
  }
};

Result<void> compare_one(const Case& one, int passes) {
  RIDGE_TRY(auto device, measure::make_cpu_device());
  const KernelDesc* kernel = find_kernel(one.kernel);
  const FamilyDesc* family = find_family("gemm");
  if (kernel == nullptr || family == nullptr)
    return Error{ErrorCode::unavailable, "is not in this build", one.kernel, ""};
  RIDGE_TRY(const Params params, resolve_params(family->params(), {{"n", one.n}}, "gemm"));
  RIDGE_TRY(auto instance, measure::make_instance(*family, params, 1, *device));
  RIDGE_TRY(measure::ReadyRung rung, measure::make_ready(*kernel, device.get(), instance));
  measure::Observer quiet;
  RIDGE_TRY(const double call_ns, measure::warm_up(rung, {}, 0, &quiet));
  RIDGE_TRY(const auto side,
            device->make_side(*kernel, rung.launch(), measure::Cache::hot, call_ns));
  measure::Side* sides[] = {side.get()};

  const Launch launch = rung.launch();
  benchmark::RegisterBenchmark(one.kernel,
                               [kernel, launch](benchmark::State& state) {
                                 for (auto _ : state) {
                                   if (!kernel->launch(launch).ok())
                                     state.SkipWithError("the kernel failed");
                                 }
                               })
      ->UseRealTime()
      ->MinTime(kTurn_s / kRepetitions)
      ->Repetitions(kRepetitions)
      ->Unit(benchmark::kNanosecond);

  std::vector<double> ours, theirs, ratios;
  int stolen = 0, samples = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<double> mine;
    double other = 0;
    const auto time_ours = [&]() -> Result<void> {
      const double start = measure::now_s();
      while (measure::now_s() - start < kTurn_s) {
        const std::vector<uint8_t> order(static_cast<size_t>(device->slots_per_block(sides)), 0);
        RIDGE_TRY(const auto block, device->time(sides, order));
        for (const Sample& sample : block) {
          mine.push_back(sample.t_ns);
          stolen += !sample.flags.empty();
        }
      }
      return {};
    };
    const auto time_theirs = [&] {
      Keep keep;
      benchmark::RunSpecifiedBenchmarks(&keep, one.kernel);
      other = stats::median(keep.call_ns);
    };
    if (pass % 2 == 0) RIDGE_TRY_VOID(time_ours());
    time_theirs();
    if (pass % 2 == 1) RIDGE_TRY_VOID(time_ours());
    samples += static_cast<int>(mine.size());
    ours.push_back(stats::median(mine));
    theirs.push_back(other);
    ratios.push_back(ours.back() / other);
  }
  const auto ci = stats::median_interval(ratios);
  std::printf("%-24s %5lld  %10.2f  %10.2f  %+6.2f %%", one.kernel, static_cast<long long>(one.n),
              stats::median(ours) * 1e-3, stats::median(theirs) * 1e-3,
              100 * (stats::median(ours) / stats::median(theirs) - 1));
  if (ci) {
    std::printf("  pass by pass %+.2f %% [%+.2f, %+.2f]", 100 * (stats::median(ratios) - 1),
                100 * (ci->low - 1), 100 * (ci->high - 1));
  }
  std::printf("  %d of %d samples disturbed\n", stolen, samples);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 15;
  if (passes < 1) {
    std::fputs("bench_agreement: PASSES is a number, 1 or more\n", stderr);
    return 64;
  }
  int none = 0;
  benchmark::Initialize(&none, argv);
  std::printf("%-24s %5s  %10s  %10s  %8s\n", "kernel", "n", "ours us", "theirs us", "ours");
  for (const Case& one : kCases) {
    if (const auto done = compare_one(one, passes); !done) {
      std::fprintf(stderr, "%s\n", done.error().sentence().c_str());
      return 70;
    }
    std::fflush(stdout);
  }
  return 0;
}
