// Drives a pipeline rung: rounds of a steady window and of its stages alone, in turns; each window is
// one sample (time per item), its spans streamed; judged by every item arriving exactly once.
#include <algorithm>

#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/pipeline_run.h"

namespace ridge::measure {
namespace {

constexpr double kLiveLimit_s = 2, kMeasureLimit_s = 10;
constexpr int kMinRounds = 6, kMeasureRounds = 20, kMaxWindows = 60;

bool is_enough(const Series& series, bool is_live, double elapsed_s, double limit_s) {
  const auto windows = static_cast<int>(series.samples.size());
  if (elapsed_s < limit_s) return windows >= kMaxWindows;
  return is_live || windows >= kMinRounds || elapsed_s >= 4 * limit_s;
}

Result<void> pipeline_rounds(PipelineRun* run, Device* device, const Options& options,
                             Series* series, Observer* observer) {
  const bool is_live = options.mode == Mode::live;
  const double limit_s = options.limit(kLiveLimit_s, kMeasureLimit_s);
  RIDGE_TRY_VOID(
      run->fill(limit_s / (is_live ? kMinRounds : kMeasureRounds) / run->windows_per_round()));
  if (!run->has_stages()) RIDGE_TRY_VOID(run->settle());
  const double start = now_s();
  for (int r = 0; !is_enough(*series, is_live, now_s() - start, limit_s); ++r) {
    if (observer->cancelled()) return cancelled_error();
    RIDGE_TRY_VOID(run->round(r % 2 == 1, true));
    if (device) series->samples.set_clock(series->samples.size() - 1, device->clock_now_hz());
    const double share = (now_s() - start) / limit_s;
    observer->phase(series->index, {.phase = "timing",
                                    .text = run->has_stages() ? "running, then each stage alone"
                                                              : "running windows",
                                    .open = std::to_string(series->samples.size()) + " windows",
                                    .progress = std::min(1.0, share),
                                    .left_s = std::max(0.0, limit_s * (1 - share))});
  }
  return {};
}

Result<void> pipeline_steps(const PipelineDesc& desc, Device* device, const Options& options,
                            Series* series, Observer* observer) {
  RIDGE_TRY(const auto run, PipelineRun::build(desc, series, observer));
  const ForeignLoad foreign;
  const auto ran = pipeline_rounds(run.get(), device, options, series, observer);
  run->sum_up(is_contended(foreign.cpus(), desc.backend));
  RIDGE_TRY_VOID(ran);
  RIDGE_TRY_VOID(run->judge());
  if (!device || !series->stats || !options.has_energy()) return {};
  return energy_pass(
      device, series->stats->median_ns, [&] { return run->go_on(); }, options, series, observer);
}

}  // namespace

double predict_pipeline_s(Device* device, const Options& options) {
  // It is built, filled and looked at once; its last round begins before the limit and ends after it.
  constexpr double kAround_s = 1.8, kOverrun = 1.4;
  return kAround_s + kOverrun * options.limit(kLiveLimit_s, kMeasureLimit_s) +
         predict_energy_s(device, options);
}

Result<Series> measure_pipeline(const PipelineDesc& pipeline, const Params& params, Device* device,
                                const Options& options, int series, Observer* observer) {
  Series out = pipeline_series(pipeline, params, options.mode, series);
  const auto outcome = pipeline_steps(pipeline, device, options, &out, observer);
  if (!outcome && outcome.error().code == ErrorCode::worker) return outcome.error();
  if (!outcome) take_error(outcome.error(), &out);
  out.unavailable["latency"] = "a pipeline is scored by steady throughput";
  describe_unavailable(&out);
  return out;
}

}  // namespace ridge::measure
