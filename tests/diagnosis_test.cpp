// The diagnosis: twelve kernels, pipelines and trainings that are short of one thing by construction,
// run through the harness; and the cases in which it must not be sure.
#include "common/record/diagnosis.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/counters.h"
#include "common/harness/measure/environment.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/record/json.h"
#include "tests/catch.h"
#include "tests/skip.h"
#include "tests/synthetic_kernels.h"
#include "tests/synthetic_pipelines.h"

namespace ridge {
namespace {

using measure::Device;

measure::Observer silent;

Device* cpu() {
  // Plain C++ on both sides: the kernels here use no instruction set beyond it.
  setenv("RIDGE_MAX_ISA", "portable", 1);
  static Result<std::unique_ptr<Device>> device = measure::make_cpu_device();
  REQUIRE(device.ok());
  return device->get();
}

measure::Bench* bench() {
  static measure::Bench shared;
  return &shared;
}

/// Measured once, and again where a try has failed.
const std::vector<Ceiling>& ceilings_of(int threads, bool again) {
  static std::map<int, std::vector<Ceiling>> measured;
  std::vector<Ceiling>& all = measured[threads];
  if (!all.empty() && !again) return all;
  all.clear();
  for (const char* dtype : {"fp32", ""}) {
    const auto some = measure::measure_ceilings(bench(), cpu(), threads, dtype, &silent);
    REQUIRE(some.ok());
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

const std::optional<Environment>& environment() {
  static const std::optional<Environment> read = measure::read_environment();
  return read;
}

measure::Options quick() {
  measure::Options options;
  options.mode = measure::Mode::live;
  options.limit_s = 0.15;
  return options;
}

Series run(const KernelDesc& kernel, const Params& params) {
  auto series = measure::measure_kernel(bench(), cpu(), kernel, params, quick(), 0, &silent);
  REQUIRE(series.ok());
  INFO(series->reason);
  REQUIRE(series->status == SeriesStatus::ok);
  return *series;
}
Params sizes(int64_t n, int64_t steps, int64_t threads = 1) {
  return {{"n", n}, {"steps", steps}, {"threads", threads}};
}

Series run(const synthetic::TwoStagesSpec& spec) {
  synthetic::next_spec = spec;
  auto series = measure::measure_pipeline(synthetic::pipeline(), {}, nullptr, quick(), 0, &silent);
  REQUIRE(series.ok());
  REQUIRE(series->status == SeriesStatus::ok);
  return *series;
}
Series run(const synthetic::TrainSpec& spec) {
  synthetic::next_training = spec;
  measure::Options options = quick();
  options.limit_s = 10;  // it ends after its steps; a busy machine may sleep them long
  auto series = measure::measure_training(synthetic::training(), {}, nullptr, options, 0, &silent);
  REQUIRE(series.ok());
  REQUIRE(series->status == SeriesStatus::ok);
  return *series;
}

/// Three tries, since others may take the core in one; then a machine that was busy throughout is
/// no witness, and a quiet one is.
void expect(Bottleneck wanted, int threads, const std::function<Series()>& measure_it) {
  std::string seen;
  bool busy = true;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const measure::ForeignLoad foreign;
    const auto ceilings = threads > 0 ? ceilings_of(threads, attempt > 0) : std::vector<Ceiling>{};
    const Series series = measure_it();
    const auto diagnosis = diagnose(series, ceilings, environment());
    REQUIRE(diagnosis);
    if (diagnosis->bottleneck == wanted) {
      CHECK_FALSE(diagnosis->evidence.empty());
      return;
    }
    seen = std::string(to_string(diagnosis->bottleneck)) + " " + diagnosis->reason + ": " +
           evidence_text(*diagnosis, 9);
    const auto& stats = series.stats;
    const bool contended =
        stats && std::count(stats->flags.begin(), stats->flags.end(), "contended");
    busy = busy && (contended || !(foreign.cpus() < 0.15));
  }
  if (busy) RIDGE_SKIP("others use this machine; wanted " << to_string(wanted) << ", saw " << seen);
  INFO("wanted " << to_string(wanted));
  FAIL_CHECK(seen);
}

// ---- twelve that are known by construction -------------------------------------------------------

/// As on a machine that lets its instructions be counted, where the kernel allows it or not.
Series counted_chain() {
  Series series = run(synthetic::kDependentChain, sizes(48, 20000));
  std::erase_if(series.counters, [](const Counter& counter) { return counter.name == "ipc"; });
  series.counters.push_back({"ipc", 0.5, ""});
  return series;
}

TEST_CASE("a chain of dependent multiply-adds is latency") {
  expect(Bottleneck::latency, 1, counted_chain);
}
TEST_CASE("far below its ceilings, and its instructions were not counted: not sure") {
  expect(Bottleneck::not_sure, 1, [] {
    Series series = counted_chain();
    series.counters.clear();
    return series;
  });
}
TEST_CASE("independent chains in every unit are compute") {
  expect(Bottleneck::compute, 1, [] { return run(synthetic::kFmaBound, sizes(48, 100000)); });
}
TEST_CASE("reading far more than the caches hold is memory bandwidth") {
  const int64_t n = std::max<int64_t>(measure::last_level_cache_bytes(), 32 << 20) / 32 * 32;
  expect(Bottleneck::memory_bandwidth, 1, [&] { return run(synthetic::kStream, sizes(n, 1)); });
}
/// On a CPU a launch is a call: whether a single one takes longer than one of many is the processor's
/// and the compiler's matter, so that it is looked at first. On a GPU it is sure (cuda_diagnosis_test).
TEST_CASE("a call that does next to nothing is launch overhead") {
  const auto measure_it = [] { return run(synthetic::kDependentChain, sizes(1, 1)); };
  const Series series = measure_it();
  REQUIRE(series.latency);
  const double share = 1 - series.stats->median_ns / series.latency->p50_ns.value_or(0);
  if (!(share > 0.6))
    RIDGE_SKIP("here a single call takes little longer than one of many: " << share);
  expect(Bottleneck::launch_overhead, 1, measure_it);
}
TEST_CASE("threads that share one lock are synchronisation") {
  expect(Bottleneck::synchronisation, 0,
         [] { return run(synthetic::kLockContention, sizes(48, 50000, 2)); });
}
TEST_CASE("threads that wait for one with all the work are synchronisation") {
  expect(Bottleneck::synchronisation, 0,
         [] { return run(synthetic::kUnevenShares, sizes(48, 50000, 2)); });
}
TEST_CASE("a training stage that starves is the input pipeline") {
  expect(Bottleneck::input_pipeline, 0, [] { return run({"decode", 2, "train", 0.1}); });
}
TEST_CASE("a training stage that is always busy is compute") {
  expect(Bottleneck::compute, 0, [] { return run({"decode", 0.1, "train", 2}); });
}
TEST_CASE("a copy stage that is always busy is host-device copy") {
  expect(Bottleneck::host_copy, 0, [] { return run({"copy_to_device", 2, "train", 0.1}); });
}
TEST_CASE("a reduction between replicas that is always busy is collectives") {
  expect(Bottleneck::collectives, 0, [] { return run({"backward", 0.1, "all_reduce", 2}); });
}
TEST_CASE("requests that wait longer than they are served are the inference queue") {
  expect(Bottleneck::inference_queue, 0, [] {
    return run({"arrive", 0.1, "infer", 1, 16, "queue"});
  });
}
TEST_CASE("a step that waits for its batch is the input pipeline") {
  expect(Bottleneck::input_pipeline, 0, [] { return run(synthetic::TrainSpec{3, 0.3}); });
}
TEST_CASE("memory full of activations is activation memory") {
  expect(Bottleneck::activation_memory, 0, [] {
    return run(synthetic::TrainSpec{0.1, 2, 1 << 16, 1 << 20});
  });
}

// ---- and when it is not sure ---------------------------------------------------------------------

Series kernel_series(const char* kernel) {
  Series series;
  series.kernel = kernel;
  series.kind = RungKind::kernel;
  series.dtype = "fp32";
  series.status = SeriesStatus::ok;
  series.checks = {QualityCheck{.passed = true}};
  series.stats = Stats{.n = 20, .median_ns = 1e6};
  return series;
}
Ceiling ceiling(Backend backend, const char* resource, double value) {
  return {std::string(resource) + " of this machine",
          backend,
          resource,
          "",
          backend == Backend::cpu ? 1 : 0,
          value,
          "",
          "measured"};
}

TEST_CASE("near both ceilings it is not sure, and says both shares") {
  Series series = kernel_series("x.cpu.both");
  series.flop = 90, series.bytes_min = 85;
  const auto diagnosis = diagnose(
      series, {ceiling(Backend::cpu, "flop", 100e3), ceiling(Backend::cpu, "dram_read", 100e3)},
      std::nullopt);
  REQUIRE(diagnosis);
  CHECK(diagnosis->bottleneck == Bottleneck::not_sure);
  CHECK(diagnosis->reason.find("90.0 %") != std::string::npos);
  CHECK(diagnosis->reason.find("85.0 %") != std::string::npos);
  series.bytes_min = 10;
  const auto clear = diagnose(
      series, {ceiling(Backend::cpu, "flop", 100e3), ceiling(Backend::cpu, "dram_read", 100e3)},
      std::nullopt);
  CHECK(clear->bottleneck == Bottleneck::compute);
}

TEST_CASE("half of a ceiling, or no ceiling, is not sure") {
  Series series = kernel_series("x.cpu.half");
  series.flop = 50;
  const auto half = diagnose(series, {ceiling(Backend::cpu, "flop", 100e3)}, std::nullopt);
  CHECK(half->bottleneck == Bottleneck::not_sure);
  CHECK_FALSE(half->reason.empty());
  CHECK_FALSE(half->to_do.empty());
  const auto none = diagnose(series, {}, std::nullopt);
  CHECK(none->bottleneck == Bottleneck::not_sure);
  CHECK(none->evidence.empty());
  CHECK(none->reason.starts_with("no ceiling"));
}

TEST_CASE("a ceiling in doubt was measured: it is measured again, not called missing") {
  Series series = kernel_series("x.cpu.doubted");
  series.flop = 90;
  Ceiling doubted = ceiling(Backend::cpu, "flop", 100e3);
  doubted.doubt = "other programs used the CPU";
  const auto found = diagnose(series, {doubted}, std::nullopt);
  CHECK(found->bottleneck == Bottleneck::not_sure);
  CHECK(found->reason ==
        "the ceiling flop of this machine is in doubt: other programs used the CPU");
  CHECK(found->to_do == "Measure the ceilings again while nothing else runs");
}

TEST_CASE("faster than its FLOP ceiling it is not sure, however far it is from memory's") {
  Series series = kernel_series("x.cpu.fewer_products");
  series.flop = 130, series.bytes_min = 2;
  const std::vector<Ceiling> ceilings = {ceiling(Backend::cpu, "flop", 100e3),
                                         ceiling(Backend::cpu, "dram_read", 100e3)};
  const auto above = diagnose(series, ceilings, std::nullopt);
  CHECK(above->bottleneck == Bottleneck::not_sure);
  CHECK(above->reason.find("above the measured ceiling flop") != std::string::npos);
  series.bytes_min = 90;  // what counts still speaks
  CHECK(diagnose(series, ceilings, std::nullopt)->bottleneck == Bottleneck::memory_bandwidth);
}

TEST_CASE("bytes that stay in a cache are no evidence of memory bandwidth") {
  Series series = kernel_series("x.cpu.cached");
  series.cache = CacheMode::hot;
  series.bytes_min = 90, series.memory_bytes = 1000;
  Environment machine;
  machine.cpu.l3_bytes = 1 << 20;
  const std::vector<Ceiling> ceilings = {ceiling(Backend::cpu, "dram_read", 100e3)};
  CHECK(diagnose(series, ceilings, machine)->bottleneck == Bottleneck::not_sure);
  series.memory_bytes = 4 << 20;
  CHECK(diagnose(series, ceilings, machine)->bottleneck == Bottleneck::memory_bandwidth);
  series.memory_bytes = 1000, series.cache = CacheMode::cold;
  CHECK(diagnose(series, ceilings, machine)->bottleneck == Bottleneck::memory_bandwidth);
}

TEST_CASE("launches that take the time are launch overhead, a replayed graph's nodes are less") {
  Series series = kernel_series("x.cuda.chain");  // 1 ms
  series.resources = Resources{};
  series.resources->kernels.push_back({.name = "step", .launches = 300});
  series.stats->flags = {"ungated"};
  const std::vector<Ceiling> ceilings = {ceiling(Backend::cuda, "launch", 3e-6),
                                         ceiling(Backend::cuda, "graph_node", 0.5e-6)};
  const auto launched = diagnose(series, ceilings, std::nullopt);
  CHECK(launched->bottleneck == Bottleneck::launch_overhead);
  CHECK(launched->evidence.front().value == Approx(0.9));
  // 1000 launches would take 3 ms: it was a graph, whose nodes take half of the time.
  series.resources->kernels.front().launches = 1000;
  const auto replayed = diagnose(series, ceilings, std::nullopt);
  CHECK(replayed->evidence.front().value == Approx(0.5));
  CHECK(replayed->evidence.front().name.find("graph_node") != std::string::npos);
  // Behind a gate the host's launches are over before the clock starts.
  series.stats->flags.clear();
  CHECK(diagnose(series, ceilings, std::nullopt)->evidence.empty());
}

TEST_CASE("a grid that leaves SMs without a block names them before the launch of a single call") {
  Series series = kernel_series("x.cuda.tiles");  // 1 ms
  series.flop = 10;
  series.latency = LatencyStats{.p50_ns = 4e6};
  series.resources = Resources{.kernels = {{.name = "tile", .grid = {4, 4}, .occupancy = 0.5}}};
  const std::vector<Ceiling> ceilings = {ceiling(Backend::cuda, "flop", 100e3)};
  Environment machine;
  machine.gpus = {GpuInfo{.sm_count = 132}};
  const auto idle = diagnose(series, ceilings, machine);
  CHECK(idle->bottleneck == Bottleneck::latency);
  CHECK(idle->basis == Basis::measured);
  CHECK(bottleneck_text(*idle) == "idle SMs");
  CHECK(idle->reason == "its grid is 16 blocks for 132 SMs");
  CHECK(evidence_text(*idle, 2) ==
        "12.1 % of the SMs have a block; 10.0 % of flop of this machine");
  CHECK(lever_of(*idle, Backend::cuda).starts_with("more blocks"));
  const auto cause_with = [&](std::vector<int64_t> grid) {
    series.resources->kernels[0].grid = std::move(grid);
    return diagnose(series, ceilings, machine);
  };
  CHECK(cause_with({12, 8})->bottleneck == Bottleneck::launch_overhead);  // 96 of 132 have a block
  CHECK_FALSE(cause_with({1})->leaves_sms_idle);  // one SM is what it asks about
  // What is near its limit binds, however few SMs get it there.
  series.flop = 70;
  CHECK(cause_with({4, 4})->bottleneck == Bottleneck::compute);
  // Launches in its time are in what the kernel is measured by.
  series.flop = 10;
  series.stats->flags = {"ungated"};
  series.resources->kernels[0].launches = 300;
  CHECK(cause_with({4, 4})->bottleneck == Bottleneck::launch_overhead);
}

TEST_CASE("on a GPU, latency needs its caches counted or few warps") {
  Series series = kernel_series("x.cuda.slow");
  series.flop = 10;
  const std::vector<Ceiling> ceilings = {ceiling(Backend::cuda, "flop", 100e3)};
  const auto unseen = diagnose(series, ceilings, std::nullopt);
  CHECK(unseen->bottleneck == Bottleneck::not_sure);
  CHECK(unseen->to_do.find("--counters") != std::string::npos);
  CHECK(unconfirmed_sentences(*unseen, "") ==
        "This run does not confirm that: its caches were not looked at.");
  CHECK(
      open_sentences(*unseen) ==
      "What limits it is not known yet: its caches were not looked at. Switch hardware counters on "
      "(--counters) and run it again.");
  series.resources = Resources{.kernels = {{.name = "few", .occupancy = 0.5, .waves = 0.1}}};
  CHECK(diagnose(series, ceilings, std::nullopt)->bottleneck == Bottleneck::latency);
  series.resources->kernels[0].waves = 4;
  CHECK(diagnose(series, ceilings, std::nullopt)->bottleneck == Bottleneck::not_sure);
  const auto counted = [&](double l1) {
    series.counters = {{"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", l1, "%"}};
    return diagnose(series, ceilings, std::nullopt)->bottleneck;
  };
  CHECK(counted(20) == Bottleneck::latency);
  CHECK(counted(93) == Bottleneck::memory_bandwidth);
  CHECK(bottleneck_text(*diagnose(series, ceilings, std::nullopt)) == "L1 bandwidth");
}

TEST_CASE("what others' load could explain is no evidence; what failed has no diagnosis") {
  Series series = kernel_series("x.cpu.waits");
  series.samples = {Sample{.t_ns = 1e6, .cpu_ns = 1e5}};
  CHECK(diagnose(series, {}, std::nullopt)->bottleneck == Bottleneck::synchronisation);
  series.stats->flags = {"contended"};
  CHECK(diagnose(series, {}, std::nullopt)->bottleneck == Bottleneck::not_sure);
  series.status = SeriesStatus::failed;
  CHECK_FALSE(diagnose(series, {}, std::nullopt));
}

TEST_CASE("stages of an unknown kind, or two that are as busy, are not sure") {
  CHECK(diagnose(run({"polish", 2, "varnish", 0.1}), {}, environment())->bottleneck ==
        Bottleneck::not_sure);
  Series series = kernel_series("x.cpu.pipe");
  series.kind = RungKind::pipeline;
  series.samples = {Sample{.t_ns = 100, .calls = 1}};
  series.spans = {{.stage = "decode", .worker = 0, .start_ns = 0, .end_ns = 95},
                  {.stage = "train", .worker = 1, .start_ns = 0, .end_ns = 93}};
  const auto split = diagnose(series, {}, std::nullopt);
  CHECK(split->bottleneck == Bottleneck::not_sure);
  CHECK(split->reason.find("95.0 %") != std::string::npos);
}

TEST_CASE("stages measured alone: what the pace comes near to, by whose work it is") {
  const auto series_of = [](double t_ns, double load_ns, double copy_ns, double step_ns,
                            double cpu_ns) {
    Series series = kernel_series("x.cpu.loader");
    series.kind = RungKind::pipeline;
    series.stats->median_ns = t_ns;
    series.pipeline = PipelineOutcome{};
    series.pipeline->cores = 2;
    series.pipeline->stages = {{"load", 2, load_ns, cpu_ns, {}, {}},
                               {"copy", 1, copy_ns, 0, {}, {}},
                               {"step", 1, step_ns, 0, {}, {}}};
    return series;
  };
  const auto judged = [](const Series& series) {
    return diagnose(series, {}, std::nullopt)->bottleneck;
  };
  CHECK(judged(series_of(100, 95, 10, 40, 50)) == Bottleneck::input_pipeline);
  CHECK(judged(series_of(100, 40, 97, 40, 50)) == Bottleneck::host_copy);
  CHECK(judged(series_of(100, 40, 10, 97, 50)) == Bottleneck::compute);
  // No stage is near it, but all cores are busy, most of it loading.
  CHECK(judged(series_of(100, 60, 10, 50, 190)) == Bottleneck::input_pipeline);
  // One after the other: the longest is what to overlap.
  CHECK(judged(series_of(100, 55, 5, 38, 60)) == Bottleneck::input_pipeline);
  CHECK(judged(series_of(100, 38, 5, 55, 60)) == Bottleneck::compute);
  CHECK(judged(series_of(100, 70, 10, 60, 60)) == Bottleneck::not_sure);
}

// ---- counters ------------------------------------------------------------------------------------

TEST_CASE("events are counted on every thread, or the refusal names the remedy") {
  constexpr measure::PerfEvent kFaults[] = {
      {"page_faults", 1 /* PERF_TYPE_SOFTWARE */, 2 /* PERF_COUNT_SW_PAGE_FAULTS */}};
  const auto counted = measure::count_events(kFaults, []() -> Result<void> {
    std::vector<char> fresh(64 << 20);
    for (size_t i = 0; i < fresh.size(); i += 4096) fresh[i] = 1;
    return {};
  });
  if (!counted) {
    CHECK(counted.error().code == ErrorCode::unavailable);
    CHECK_FALSE(counted.error().hint.empty());
    return;
  }
  CHECK((*counted)[0] >= 10);  // huge pages make few
}

TEST_CASE("each refusal of perf_event_open has its own sentence and remedy") {
  CHECK(measure::perf_refusal(ENOENT, "2").what.find("virtual machines") != std::string::npos);
  const Error refused = measure::perf_refusal(EACCES, "4");
  CHECK(refused.what.find("perf_event_paranoid is 4") != std::string::npos);
  CHECK(refused.hint.find("sysctl") != std::string::npos);
  CHECK(measure::perf_refusal(ENOSYS, "").hint.find("seccomp") != std::string::npos);
}

TEST_CASE("a measured rung has its CPU counters, or says why not") {
  measure::Options options = quick();
  options.mode = measure::Mode::measure;
  options.warmup_s = 0.01;
  options.latency = options.gate = false;
  const auto series = measure::measure_kernel(bench(), cpu(), synthetic::kDependentChain,
                                              sizes(48, 2000), options, 0, &silent);
  REQUIRE(series.ok());
  CHECK(series->counters.empty() == (series->unavailable.count("counters") == 1));
  for (const Counter& counter : series->counters) {
    // 48 x 2000 steps are at least as many instructions; loops and loads make some more.
    if (counter.name == "instructions") CHECK(counter.value > 1e5);
    if (counter.name == "ipc") CHECK((counter.value > 0 && counter.value < 10));
  }
}

TEST_CASE("resources and counters come back from their JSON as they were") {
  Series series = kernel_series("x.cuda.k");
  series.resources = Resources{.kernels = {{.name = "k", .registers = 168, .grid = {132, 1, 1}}},
                               .host_copy_bytes = 64,
                               .host_copy_ns = 12.5};
  series.counters = {{"lts__t_sector_hit_rate.pct", 71.5, "%"}};
  Series read;
  from_json(Json(series), read);
  CHECK(read.resources == series.resources);
  CHECK(read.counters == series.counters);
}

}  // namespace
}  // namespace ridge
