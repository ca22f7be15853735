// Drives a training rung: steps timed one by one, the curve streamed, judged by its task metric.
#include <algorithm>

#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

/// Samples and curve points are sent together, this often.
constexpr double kReport_s = 0.1;
/// The task metric is looked at this many times on the way, for the time to an accuracy.
constexpr int64_t kLooks = 8;

class TrainingDriver {
 public:
  TrainingDriver(Training* training, Device* device, const Options& options, Series* series,
                 Observer* observer)
      : training_(training),
        device_(device),
        series_(series),
        observer_(observer),
        energy_(options.mode == Mode::measure && options.energy ? device : nullptr),
        limit_s_(options.limit(10, 60)) {}

  Result<void> run();

 private:
  Result<void> one_step();
  void report();

  Training* training_;
  Device* device_;
  Series* series_;
  Observer* observer_;
  WorkEnergy energy_;
  double limit_s_;
  double trained_s_ = 0;  ///< time in steps alone
  size_t sent_samples_ = 0, sent_points_ = 0;
};

Result<void> TrainingDriver::one_step() {
  const double start = now_s();
  RIDGE_TRY_VOID(training_->step());
  const double step_s = now_s() - start;
  trained_s_ += step_s;
  Sample sample;
  sample.index = static_cast<int64_t>(series_->samples.size());
  sample.t_ns = step_s * 1e9;
  series_->samples.push_back(std::move(sample));

  CurvePoint point;
  point.step = static_cast<int64_t>(series_->samples.size());
  point.t_s = trained_s_;
  point.values = training_->observe();
  const int64_t between = std::max<int64_t>(1, training_->steps() / kLooks);
  if (point.step % between == 0 && point.step < training_->steps()) {
    for (const auto& [name, value] : training_->look()) point.values[name] = value;
  }
  series_->curve.push_back(std::move(point));
  return {};
}

void TrainingDriver::report() {
  energy_.look();
  if (device_ && !series_->samples.empty()) {
    TelemetryPoint point;
    device_->telemetry(&point);
    const auto clock = point.values.find("sm_clock_hz");
    if (clock != point.values.end()) series_->samples.back().sm_clock_hz = clock->second;
  }
  observer_->samples(series_->index, "call",
                     std::span<const Sample>(series_->samples).subspan(sent_samples_));
  observer_->curve(series_->index,
                   std::span<const CurvePoint>(series_->curve).subspan(sent_points_));
  sent_samples_ = series_->samples.size();
  sent_points_ = series_->curve.size();
  const double done =
      double(series_->samples.size()) / double(std::max<int64_t>(1, training_->steps()));
  observer_->phase(series_->index, {.phase = "timing",
                                    .text = "training",
                                    .open = std::to_string(series_->samples.size()) + " of " +
                                            std::to_string(training_->steps()) + " steps",
                                    .progress = done,
                                    .left_s = done > 0 ? trained_s_ * (1 / done - 1) : limit_s_});
}

Result<void> TrainingDriver::run() {
  energy_.look();
  const double start = now_s();
  double reported = start;
  observer_->announce(series_->index);
  while (static_cast<int64_t>(series_->samples.size()) < training_->steps()) {
    RIDGE_TRY_VOID(one_step());
    const bool cancelled = observer_->cancelled();
    if (now_s() - reported >= kReport_s || cancelled) {
      report();
      gap();
      reported = now_s();
      if (!cancelled) observer_->announce(series_->index);
    }
    if (cancelled) return cancelled_error();
    if (now_s() - start > limit_s_) break;
  }
  report();
  energy_.settle(double(series_->samples.size()), series_);
  if (static_cast<int64_t>(series_->samples.size()) < training_->steps()) {
    series_->reason = "stopped at the limit of " + std::to_string(int(limit_s_)) + " s after " +
                      std::to_string(series_->samples.size()) + " of " +
                      std::to_string(training_->steps()) + " steps";
    series_->status = SeriesStatus::partial;
  }
  return {};
}

Result<void> steps(const TrainDesc& desc, Device* device, const Options& options, Series* series,
                   Observer* observer) {
  observer->phase(series->index, {.phase = "prepare", .text = "setting up the training"});
  RIDGE_TRY(const auto training, desc.maker->build(desc, series->params, 1));
  series->flop = training->flop_per_step();
  series->note = training->note();
  observer->problem(*series);
  const ForeignLoad foreign;
  TrainingDriver driver(training.get(), device, options, series, observer);
  const auto trained = driver.run();
  series->memory_bytes = training->memory_bytes();  // a library's is known when it has made steps
  summarize(series, is_contended(foreign.cpus(), desc.backend), false);
  if (training->is_emulated()) {
    series->stats.reset(), series->flop = 0;
    series->unavailable["stats"] = kEmulated;
  }
  if (series->stats && series->stats->median_ns > 0) {
    series->items_per_s = double(training->items_per_step()) * 1e9 / series->stats->median_ns;
  }
  RIDGE_TRY_VOID(trained);
  observer->phase(series->index, {.phase = "check", .text = "evaluating on held-out data"});
  const QualityCheck check = training->evaluate();
  series->checks.push_back(check);
  observer->check(series->index, check);
  if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  return {};
}

}  // namespace

Result<double> predict_training_s(const TrainDesc& desc, const Params& params,
                                  const Options& options) {
  constexpr double kTry_s = 0.25;
  const double start = now_s();
  RIDGE_TRY(const auto training, desc.maker->build(desc, params, 1));
  RIDGE_TRY_VOID(training->step());  // the first one faults pages
  const double ready = now_s();
  int64_t made = 0;
  while (made < training->steps() && (made == 0 || now_s() - ready < kTry_s)) {
    RIDGE_TRY_VOID(training->step());
    ++made;
  }
  const double stepped = now_s(), step_s = (stepped - ready) / double(std::max<int64_t>(1, made));
  (void)training->look();
  const double look_s = now_s() - stepped;
  // The limit ends the steps and the looks between them, not the evaluation at the end.
  const double trained_s = double(training->steps()) * step_s + double(kLooks - 1) * look_s;
  return (ready - start) + std::min(trained_s, options.limit(10, 60)) + look_s;
}

Result<Series> measure_training(const TrainDesc& training, const Params& params, Device* device,
                                const Options& options, int series, Observer* observer) {
  Series out;
  out.index = series;
  out.kernel = training.id;
  out.kind = RungKind::training;
  out.params = params;
  out.dtype = param_text(params, "dtype", training.dtypes);
  out.cache = CacheMode::hot;
  out.mode = options.mode;
  out.status = SeriesStatus::ok;
  const auto outcome = steps(training, device, options, &out, observer);
  if (!outcome && outcome.error().code == ErrorCode::worker) return outcome.error();
  if (!outcome) take_error(outcome.error(), &out);
  out.unavailable["latency"] = "a training step has no latency pass of its own";
  describe_unavailable(&out);
  return out;
}

}  // namespace ridge::measure
