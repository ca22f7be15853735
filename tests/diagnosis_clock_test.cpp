// The diagnosis on constructions that are the same on every machine: the synthetic kernels through the
// whole harness on a made-up clock, pipelines and trainings by spans and observations that are worked
// out instead of slept. None can be skipped. diagnosis_test runs the same for real.
#include <algorithm>
#include <cmath>

#include "common/record/diagnosis.h"
#include "tests/synthetic_kernels.h"
#include "tests/toy_family.h"

namespace ridge {
namespace {

/// Ceilings in round numbers: 100 GFLOP/s and 40 GB/s for one thread, the same for two.
std::vector<Ceiling> ceilings(int threads) {
  return {{"FMA", Backend::cpu, "flop", "fp32", threads, 100e9, "FLOP/s", "measured"},
          {"DRAM read", Backend::cpu, "dram_read", "", threads, 40e9, "B/s", "measured"}};
}

Environment machine() {
  Environment made;
  made.cpu.l3_bytes = 1 << 20;
  return made;
}

/// What a kernel would take where its construction says so.
struct Clock {
  double t_ns = 0;         ///< a call, back to back
  double latency_ns = 0;   ///< a single call
  double threads_ran = 1;  ///< CPU time over wall time
};

class ClockedDevice : public FakeDevice {
 public:
  ClockedDevice(const KernelDesc& kernel, const Clock& clock) : clock_(clock) {
    call_ns[&kernel] = clock.t_ns;
  }
  Result<Sample> time_latency(const measure::Side& side) override {
    RIDGE_TRY(Sample sample, FakeDevice::time_latency(side));
    sample.t_ns *= clock_.latency_ns / clock_.t_ns;
    return sample;
  }
  Result<std::vector<Sample>> time(std::span<measure::Side* const> sides,
                                   std::span<const uint8_t> order) override {
    RIDGE_TRY(auto samples, FakeDevice::time(sides, order));
    for (Sample& sample : samples) sample.cpu_ns = sample.t_ns * clock_.threads_ran;
    return samples;
  }

 private:
  Clock clock_;
};

Bottleneck judge(const KernelDesc& kernel, int64_t n, int64_t steps, int threads,
                 const Clock& clock) {
  ClockedDevice device(kernel, clock);
  measure::Bench bench;
  Listener listener;
  const Params params = {{"n", n}, {"steps", steps}, {"threads", int64_t{threads}}};
  auto series = measure::measure_kernel(&bench, &device, kernel, params, live(), 0, &listener);
  REQUIRE(series);
  INFO(series->reason);
  REQUIRE(series->status == SeriesStatus::ok);
  REQUIRE(series->latency);
  // Of the machine that the test runs on, not of the construction.
  std::erase(series->stats->flags, "contended");
  std::erase_if(series->counters, [](const Counter& counter) { return counter.name == "ipc"; });
  series->counters.push_back({"ipc", 0.5, ""});
  const auto diagnosis = diagnose(*series, ceilings(threads), machine());
  REQUIRE(diagnosis);
  CHECK_FALSE(diagnosis->evidence.empty());
  return diagnosis->bottleneck;
}

/// Time of n chains of `steps` multiply-adds at this share of 100 GFLOP/s.
double flop_ns(int64_t n, int64_t steps, double share) {
  return 2.0 * double(n) * double(steps) / (100 * share);
}

TEST_CASE("a chain of dependent multiply-adds at a twentieth of the ceiling is latency") {
  const double t_ns = flop_ns(48, 200, 0.05);
  CHECK(judge(synthetic::kDependentChain, 48, 200, 1, {t_ns, t_ns * 1.01}) == Bottleneck::latency);
}
TEST_CASE("independent chains at nine tenths of the ceiling are compute") {
  const double t_ns = flop_ns(48, 200, 0.9);
  CHECK(judge(synthetic::kFmaBound, 48, 200, 1, {t_ns, t_ns * 1.01}) == Bottleneck::compute);
}
TEST_CASE("reading 8 MiB at nine tenths of the memory's speed is memory bandwidth") {
  constexpr int64_t kFloats = 2 << 20;
  const double t_ns = 4.0 * double(kFloats) / (40 * 0.9);
  CHECK(judge(synthetic::kStream, kFloats, 1, 1, {t_ns, t_ns * 1.01}) ==
        Bottleneck::memory_bandwidth);
}
TEST_CASE("a call that takes a fifth of a single one is launch overhead") {
  CHECK(judge(synthetic::kDependentChain, 1, 1, 1, {1000, 5000}) == Bottleneck::launch_overhead);
}
TEST_CASE("two threads that take turns at a lock are synchronisation") {
  const double t_ns = flop_ns(48, 200, 0.05);
  CHECK(judge(synthetic::kLockContention, 48, 200, 2, {t_ns, t_ns * 1.01, 1.0}) ==
        Bottleneck::synchronisation);
}
TEST_CASE("a thread that waits for the one with all the work is synchronisation") {
  const double t_ns = flop_ns(48, 200, 0.1);
  CHECK(judge(synthetic::kUnevenShares, 48, 200, 2, {t_ns, t_ns * 1.01, 1.02}) ==
        Bottleneck::synchronisation);
}

// ---- pipelines and trainings ---------------------------------------------------------------------

/// Two stages of fixed times with room for `buffer` items between them, worked out item by item.
Series two_stages(const char* first, double first_ns, const char* second, double second_ns,
                  int buffer = 1, const char* waiting = nullptr) {
  constexpr int kItems = 200;
  Series series;
  series.kernel = "synthetic.cpu.two_stages";
  series.kind = RungKind::pipeline;
  series.status = SeriesStatus::ok;
  series.checks = {QualityCheck{.passed = true}};
  std::vector<double> begins;  // of the second stage: an item leaves the buffer
  double made = 0, served = 0;
  for (int item = 0; item < kItems; ++item) {
    const double room = item > buffer ? begins[size_t(item - buffer - 1)] : 0;
    const double start = std::max(made, room);
    made = start + first_ns;
    const double begin = std::max(made, served);
    served = begin + second_ns;
    begins.push_back(begin);
    series.spans.push_back({first, 0, 0, item, 1, start, made});
    if (waiting) series.spans.push_back({waiting, 1, 0, item, 1, made, begin});
    series.spans.push_back({second, 1, 0, item, 1, begin, served});
  }
  series.samples = {Sample{.t_ns = served / kItems, .calls = kItems}};
  series.stats = Stats{.n = 1, .median_ns = served / kItems};
  return series;
}

Series observed(const char* name, double share) {
  Series series;
  series.kernel = "synthetic.cpu.training";
  series.kind = RungKind::training;
  series.status = SeriesStatus::ok;
  series.checks = {QualityCheck{.passed = true}};
  series.stats = Stats{.n = 20, .median_ns = 1e6};
  for (int step = 0; step < 5; ++step)
    series.curve.push_back({step, step * 1e-3, {{"loss", 1.0}, {name, share}}});
  return series;
}

Bottleneck judge(const Series& series) {
  const auto diagnosis = diagnose(series, {}, machine());
  REQUIRE(diagnosis);
  INFO(diagnosis->reason);
  return diagnosis->bottleneck;
}

TEST_CASE("stages by their times: the busy one is named for what it does") {
  CHECK(judge(two_stages("decode", 2e6, "train", 1e5)) == Bottleneck::input_pipeline);
  CHECK(judge(two_stages("decode", 1e5, "train", 2e6)) == Bottleneck::compute);
  CHECK(judge(two_stages("copy_to_device", 2e6, "train", 1e5)) == Bottleneck::host_copy);
  CHECK(judge(two_stages("backward", 1e5, "all_reduce", 2e6)) == Bottleneck::collectives);
  CHECK(judge(two_stages("arrive", 1e5, "infer", 1e6, 16, "queue")) == Bottleneck::inference_queue);
  CHECK(judge(two_stages("decode", 2e6, "train", 1.95e6)) == Bottleneck::not_sure);
}
TEST_CASE("trainings by what they observe of themselves") {
  CHECK(judge(observed("input_share", 0.9)) == Bottleneck::input_pipeline);
  CHECK(judge(observed("activation_share", 0.94)) == Bottleneck::activation_memory);
  CHECK(judge(observed("input_share", 0.3)) == Bottleneck::not_sure);
}

}  // namespace
}  // namespace ridge
