#include "common/harness/measure/harness.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/counters.h"
#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/isa.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/range.h"
#include "common/harness/measure/sustained.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr int kLiveSamples = 50, kLiveMin = 11;
constexpr int kLiveFirst = 3;  ///< somebody waits for the first number
constexpr double kLiveStop_s = 0.5;
constexpr int kFirstLook = 20;

double timing_limit_s(const Options& options) {
  return options.limit(1, 10);
}

/// Gate before timing. Error: no check could be made. False in `passed`: the rung has no speed.
Result<void> gate_before(Bench* bench, const FamilyDesc& family, const Params& params,
                         const Options& options, ReadyRung* rung, Series* series,
                         Observer* observer, double* call_s) {
  const Range range("check");
  const bool awkward = options.mode == Mode::measure || bench->full_checks.of_edits;
  const bool full = awkward && options.gate && family.awkward != nullptr;
  observer->phase(
      series->index,
      {.phase = "check", .text = full ? "checking awkward shapes" : "checking the output"});
  if (full) {
    RIDGE_TRY(const QualityCheck check,
              bench->full_checks.get(*rung->kernel, family, params, rung->device, *observer));
    series->checks.push_back(check);
    observer->check(series->index, check);
    if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  }
  RIDGE_TRY(const QualityCheck check,
            check_rung(rung, false, "timed shape, before timing", call_s));
  series->checks.push_back(check);
  observer->check(series->index, check);
  if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  return {};
}

struct Pace {
  int slots = 0;  ///< of the next block
  bool stop = false;
  bool noisy = false;
  std::string open;  ///< what is still unmet
  double left_s = 0;
};

/// What to do after `samples`: the row "stops at" of the table in docs/measuring.md.
Pace next_pace(const Samples& samples, double elapsed_s, const Options& options,
               Backend backend) {
  const int n = static_cast<int>(samples.size());
  const double limit_s = timing_limit_s(options);
  Pace pace;
  pace.left_s = std::max(0.0, limit_s - elapsed_s);
  if (options.mode == Mode::live) {
    pace.stop = n >= kLiveSamples || elapsed_s >= limit_s ||
                (n >= kLiveMin && elapsed_s >= std::min(kLiveStop_s, limit_s));
    pace.open = std::to_string(n) + " of " + std::to_string(kLiveSamples) + " samples";
    pace.slots = std::min(kLiveSamples - n, n == 0 ? kLiveFirst : kLiveMin);
    return pace;
  }
  stats::StopRule rule;
  rule.target_half_width = backend == Backend::cpu ? 0.01 : 0.005;
  rule.limit_s = limit_s;
  if (n == 0) {
    pace.open = "first samples";
    pace.slots = kFirstLook;
    return pace;
  }
  const stats::StopState state = stats::should_stop_times(samples.times_ns(), elapsed_s, rule);
  pace.stop = state.stop || n >= rule.max_samples || elapsed_s >= limit_s;
  pace.noisy = state.noisy || (pace.stop && !state.stop);
  pace.open = state.open;
  pace.slots = std::max(1, std::min(state.next_look, rule.max_samples) - n);
  return pace;
}

Phase timing_phase(const Samples& samples, const Pace& pace, const Options& options) {
  Phase phase{.phase = "timing",
              .text = "timing, calls back to back",
              .open = pace.open,
              .left_s = pace.left_s};
  const double limit_s = timing_limit_s(options);
  phase.progress = limit_s > 0 ? 1 - pace.left_s / limit_s : 1;
  if (!samples.empty()) {
    const Stats now = stats::summarize_times(samples.times_ns());
    phase.median_ns = now.median_ns;
    phase.ci_ns = now.ci_ns;
  }
  return phase;
}

/// The timing proper: announced blocks until the mode's rule says stop.
Result<void> time_rung(const ReadyRung& rung, double call_ns, const Options& options,
                       Series* series, Observer* observer) {
  const Range range("timing");
  Device* device = rung.device;
  RIDGE_TRY(const auto side,
            device->make_side(*rung.kernel, rung.launch(), options.cache, call_ns));
  if (options.mode == Mode::measure && options.cache == Cache::hot) {
    RIDGE_TRY_VOID(settle_clock({device, side.get()}, series->index, observer));
  }
  Side* sides[] = {side.get()};
  const bool external = rung.kernel->time_calls != nullptr;
  const ForeignLoad foreign;
  const auto contended = [&] { return is_contended(foreign.cpus(), rung.kernel->backend); };
  const double start = now_s();
  Pace pace = next_pace(series->samples, 0, options, rung.kernel->backend);
  while (!pace.stop) {
    if (observer->cancelled()) {
      summarize(series, contended(), false, external);
      return cancelled_error();
    }
    const int slots = std::max(1, std::min(pace.slots, device->slots_per_block(sides)));
    const std::vector<uint8_t> order(static_cast<size_t>(slots), 0);
    observer->announce(series->index);
    RIDGE_TRY(std::vector<Sample> block, device->time(sides, order));
    if (external && !block.empty()) block.back().sm_clock_hz = device->clock_now_hz();
    for (Sample& sample : block) {
      sample.index = static_cast<int64_t>(series->samples.size());
      series->samples.push_back(sample);
    }
    observer->samples(series->index, "call", block);
    pace = next_pace(series->samples, now_s() - start, options, rung.kernel->backend);
    observer->phase(series->index, timing_phase(series->samples, pace, options));
    gap();
  }
  summarize(series, contended(), pace.noisy, external);
  return {};
}

/// NVIDIA's name for the first GPUs of this compute capability or those before the next.
const char* generation_name(int capability) {
  return capability >= 100  ? "Blackwell"
         : capability >= 90 ? "Hopper"
         : capability >= 89 ? "Ada"
         : capability >= 80 ? "Ampere"
         : capability >= 75 ? "Turing"
         : capability >= 70 ? "Volta"
                            : "an older GPU";
}

Result<void> run_steps(Bench* bench, Device* device, const KernelDesc& kernel,
                       const Options& options, Series* series, Observer* observer) {
  const FamilyDesc* family = find_family(family_of(kernel.id));
  if (family == nullptr) {
    return Error{ErrorCode::unavailable, "its family is not in this worker", kernel.id, ""};
  }
  RIDGE_TRY_VOID(check_supported(kernel, series->params, *device, options.cache));
  observer->phase(series->index, {.phase = "prepare", .text = "making the inputs"});
  RIDGE_TRY_VOID(get_ready(*family, series->params, series->index, observer));
  RIDGE_TRY(const CallEstimate estimate,
            bench->estimates.get(kernel, *family, series->params, device));
  series->params = estimate.params;
  series->reduced_from = estimate.reduced_from;
  if (observer->cancelled()) return cancelled_error();

  RIDGE_TRY(auto instance, bench->instance.get(*family, series->params, 1, *device));
  instance->describe(series);
  // Between any two steps: each may take a second on a large problem or a busy machine.
  if (observer->cancelled()) return cancelled_error();
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance, nullptr, &series->memory_bytes));
  if (observer->cancelled()) return cancelled_error();
  rung.describe(series);
  observer->problem(*series);
  double checked_s = 0;
  RIDGE_TRY_VOID(
      gate_before(bench, *family, series->params, options, &rung, series, observer, &checked_s));
  if (instance->problem->is_emulated()) {
    series->flop = 0, series->unavailable["stats"] = kEmulated;
    return {};
  }
  double call_ns = checked_s * 1e9;
  if (options.mode != Mode::live || checked_s < kWarmCall_s) {
    RIDGE_TRY(call_ns, warm_up(rung, options, series->index, observer));
  }
  if (options.count_only) return describe_calls(rung, call_ns, options, series, observer);
  RIDGE_TRY_VOID(time_rung(rung, call_ns, options, series, observer));
  if (series->stats && series->stats->median_ns > 0) {
    series->items_per_s = instance->problem->items() * 1e9 / series->stats->median_ns;
  }
  if (options.latency) {
    LatencyRule rule = options.mode == Mode::live ? LatencyRule{59, 0.3} : LatencyRule{};
    rule.limit_s = std::min(rule.limit_s, options.limit_s.value_or(rule.limit_s));
    RIDGE_TRY_VOID(latency_pass(rung, options.cache, rule, call_ns, series->index, observer,
                                &series->latency_samples));
  }
  if (options.has_energy()) {
    RIDGE_TRY_VOID(energy_pass(rung, options, call_ns, series, observer));
  }
  if (options.describe) {
    RIDGE_TRY_VOID(describe_calls(rung, call_ns, options, series, observer));
  }
  if (observer->cancelled()) return cancelled_error();
  RIDGE_TRY(const QualityCheck after, check_rung(&rung, false, "timed shape, after timing"));
  series->checks.push_back(after);
  observer->check(series->index, after);
  if (!after.passed) return Error{ErrorCode::invalid, after.reason, after.what, ""};
  return {};
}

}  // namespace

double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void gap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

std::string dtype_of(const KernelDesc& kernel, const Params& params) {
  const std::string own = kernel.dtypes;
  return param_text(params, "dtype", own.substr(0, own.find(' ')));
}

Result<void> check_supported(const KernelDesc& kernel, const Params& params, const Device& device,
                             Cache cache) {
  if (kernel.time_calls != nullptr && cache == Cache::cold) {
    return Error{ErrorCode::unavailable,
                 "runs in another process, whose caches cannot be flushed from here", kernel.id,
                 "measure it with hot caches"};
  }
  const std::string dtype = dtype_of(kernel, params);
  std::istringstream list(kernel.dtypes);
  std::string name;
  while (list >> name && name != dtype) {
  }
  if (name != dtype) {
    return Error{ErrorCode::unavailable,
                 std::string("computes ") + kernel.dtypes + ", not " + dtype, kernel.id, ""};
  }
  std::string reason;
  const bool runs = kernel.backend == Backend::cpu
                        ? isa_available(kernel.isa, &reason)
                        : capability_suffices(kernel.arch, kernel.arch_exact, device.name(),
                                              device.capability(), &reason);
  if (!runs) return Error{ErrorCode::unavailable, reason, kernel.id, ""};
  return {};
}

bool capability_suffices(int arch, bool arch_exact, const std::string& gpu, int capability,
                         std::string* reason) {
  if (arch_exact ? capability == arch : capability >= arch) return true;
  const bool too_new = capability > arch;  // an "a" target: its instructions are gone again
  *reason = std::string("needs ") + generation_name(arch) + " (sm_" + std::to_string(arch) +
            (arch_exact ? "a" : "") + (too_new ? ", no later" : "") + "); this " + gpu + " is sm_" +
            std::to_string(capability);
  return false;
}

Result<double> warm_up(const ReadyRung& rung, const Options& options, int series,
                       Observer* observer) {
  constexpr double kMax_s = 2;
  const Range range("warm-up");
  const double chunk_s = options.warmup_s / 6;
  observer->phase(series, {.phase = "warmup", .text = "warming up until the clock is steady"});
  const Side side = rung.plain_side(options.cache);
  const double start = now_s();
  double last_ns = 0;
  int64_t runs = 0;
  for (;;) {
    // A chunk is one call, or as many as fit into a sixth of the warm-up; its median shows where the clock is.
    std::vector<double> chunk;
    const double chunk_start = now_s();
    do {
      RIDGE_TRY(const Sample sample, rung.device->time_latency(side));
      chunk.push_back(sample.t_ns);
      ++runs;
    } while (options.mode == Mode::measure && now_s() - chunk_start < chunk_s);
    const double ns = stats::median(chunk);
    const bool steady = last_ns > 0 && std::fabs(ns / last_ns - 1) <= 0.01;
    last_ns = ns;
    const double elapsed = now_s() - start;
    if (observer->cancelled()) return cancelled_error();
    if (ns > 1e9) break;  // one call of over a second has warmed everything
    if (options.mode == Mode::live && runs >= 2) break;
    if (runs >= 3 && elapsed >= options.warmup_s && (steady || elapsed >= kMax_s)) break;
  }
  return last_ns;
}

Result<void> latency_pass(const ReadyRung& rung, Cache cache, const LatencyRule& rule,
                          double call_ns, int series, Observer* observer,
                          Samples* latency) {
  const Range range("latency");
  const Side side = rung.plain_side(cache);
  const double start = now_s();
  const auto per_block = static_cast<size_t>(std::clamp(50e6 / std::max(call_ns, 1.0), 1.0, 100.0));
  while (static_cast<int>(latency->size()) < rule.samples && now_s() - start < rule.limit_s) {
    if (observer->cancelled()) return cancelled_error();
    observer->announce(series);
    std::vector<Sample> block;
    while (block.size() < per_block &&
           static_cast<int>(latency->size() + block.size()) < rule.samples &&
           now_s() - start < rule.limit_s) {
      RIDGE_TRY(Sample sample, rung.device->time_latency(side));
      sample.index = static_cast<int64_t>(latency->size() + block.size());
      block.push_back(std::move(sample));
    }
    latency->append(block);
    observer->samples(series, "latency", block);
    observer->phase(series, {.phase = "latency",
                             .text = "latency, one call at a time",
                             .open = std::to_string(latency->size()) + " of " +
                                     std::to_string(rule.samples) + " calls",
                             .progress = double(latency->size()) / rule.samples,
                             .left_s = rule.limit_s - (now_s() - start)});
    gap();
  }
  return {};
}

Result<Series> measure_kernel(Bench* bench, Device* device, const KernelDesc& kernel,
                              const Params& params, const Options& options, int series,
                              Observer* observer) {
  const Range range(kernel.id);
  Series out;
  out.index = series;
  out.kernel = kernel.id;
  out.kind = RungKind::kernel;
  out.params = params;
  out.dtype = dtype_of(kernel, params);
  out.cache = options.cache;
  out.mode = options.mode;
  out.status = SeriesStatus::ok;
  const auto steps = run_steps(bench, device, kernel, options, &out, observer);
  if (!steps && steps.error().code == ErrorCode::worker) return steps.error();
  if (!out.latency_samples.empty()) out.latency = stats::summarize_latency_times(out.latency_samples.times_ns());
  if (!steps) take_error(steps.error(), &out);
  describe_unavailable(&out);
  return out;
}

}  // namespace ridge::measure
