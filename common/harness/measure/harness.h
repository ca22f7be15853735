// Measures one rung: prepare, check, warm up, time, latency pass, check again (docs/measuring.md).
// The four kinds of rung share the frame and return the same Series.
#pragma once

#include <optional>
#include <string>

#include "common/core/result.h"
#include "common/harness/kernel/pipeline.h"
#include "common/harness/kernel/training.h"
#include "common/harness/kernel/trap.h"
#include "common/harness/measure/estimate.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/observer.h"
#include "common/harness/measure/rung.h"

namespace ridge::measure {

using Mode = RunMode;  ///< live or measure

struct Options {
  Mode mode = Mode::measure;
  Cache cache = Cache::hot;
  std::optional<double> limit_s;  ///< of each timed pass; absent: 1 s live, 10 s measure
  bool gate = true;               ///< false: only the timed shape is checked (ceilings)
  bool latency = true;            ///< false: no latency pass (ceilings)
  bool energy = true;             ///< false: no energy pass (ceilings); live mode has none anyway
  int64_t devices = 1;            ///< on how many a call works: its energy is of all of them
  double warmup_s = 0.3;          ///< the least of measure mode
  bool describe = true;           ///< false: no resources and counters (ceilings)
  bool count_only = false;        ///< check, then counters alone: nothing is timed

  bool has_energy() const { return mode == Mode::measure && energy; }
  /// limit_s, or what such a pass has in this mode.
  double limit(double live_s, double measure_s) const {
    return limit_s.value_or(mode == Mode::live ? live_s : measure_s);
  }
};

/// What outlives one rung: kept by the worker, and by a test.
struct Bench {
  FullChecks full_checks;
  InstanceCache instance;
  EstimateCache estimates;
};

/// Everything that happened is in the Series: status ok, failed (a check or a launch), skipped (not
/// possible here) or cancelled, with the reason, and the samples kept. An Error means that the
/// device is lost and the process has to end.
Result<Series> measure_kernel(Bench* bench, Device* device, const KernelDesc& kernel,
                              const Params& params, const Options& options, int series,
                              Observer* observer);
/// Samples are step times, the curve holds what each step observed; limit_s absent: 10 s live, 60 s measure. Of `device`,
/// where there is one, the clock is read between steps, and in measure mode the energy of a step: of steps that go on
/// when the training was judged.
Result<Series> measure_training(const TrainDesc& training, const Params& params, Device* device,
                                const Options& options, int series, Observer* observer);
/// Samples are windows, their time per item. Where its stages can run alone, each round measures them
/// beside a window: Series::pipeline. limit_s absent: 2 s live, 10 s measure. Of `device`, where there is one, the clock
/// and in measure mode the energy of an item.
Result<Series> measure_pipeline(const PipelineDesc& pipeline, const Params& params, Device* device,
                                const Options& options, int series, Observer* observer);

/// Lie and honest figure in turns, in palindromes drawn at random; then the guard. The outcome is
/// Series::trap: a trap has no samples, stats and latency of its own. limit_s absent: 2 s live, 4 s
/// measure.
Result<Series> measure_trap(const TrapDesc& trap, const Params& params, Device* device,
                            const Options& options, int series, Observer* observer);

// ---- steps that compare.cpp shares ---------------------------------------------------------------

/// What a rung computes in: the parameter dtype where its family has one, else the rung's own type.
std::string dtype_of(const KernelDesc& kernel, const Params& params);

/// dtype is one the kernel computes, its requirement (isa) is met on this CPU, and it can be timed
/// with this cache: another process has its own caches, which no flush here reaches.
Result<void> check_supported(const KernelDesc& kernel, const Params& params, const Device& device,
                             Cache cache = Cache::hot);
/// Whether a GPU of this compute capability runs the kernel; `reason` says what it needs instead.
bool capability_suffices(int arch, bool arch_exact, const std::string& gpu, int capability,
                         std::string* reason);
/// Runs the kernel until the clock is steady, by the mode's rule; returns ns of one call.
Result<double> warm_up(const ReadyRung& rung, const Options& options, int series,
                       Observer* observer);
struct LatencyRule {
  int samples = 300;
  double limit_s = 5;
};
/// Single calls, appended to `latency`.
Result<void> latency_pass(const ReadyRung& rung, Cache cache, const LatencyRule& rule,
                          double call_ns, int series, Observer* observer,
                          Samples* latency);
/// The pause after a timed block in which the window may draw.
void gap();
/// Seconds of a steady clock.
double now_s();

// ---- how long the other kinds of rung take, before they run; of a kernel estimate.h says it ----

/// Sets the training up and makes a few of its steps, a quarter of a second of them.
Result<double> predict_training_s(const TrainDesc& training, const Params& params, Device* device,
                                  const Options& options);
/// From the limits that rule them; what has to be written first (image files) is not in it.
double predict_pipeline_s(Device* device, const Options& options);
double predict_trap_s(const TrapDesc& trap, Device* device, const Options& options);

}  // namespace ridge::measure
