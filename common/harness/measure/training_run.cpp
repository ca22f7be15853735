#include "common/harness/measure/training_run.h"

#include <algorithm>

#include "common/harness/measure/outcome.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::measure {

Series training_series(const TrainDesc& desc, const Params& params, RunMode mode, int index) {
  Series series;
  series.index = index;
  series.kernel = desc.id;
  series.kind = RungKind::training;
  series.params = params;
  series.dtype = param_text(params, "dtype", desc.dtypes);
  series.cache = CacheMode::hot;
  series.mode = mode;
  series.status = SeriesStatus::ok;
  return series;
}

TrainingRun::TrainingRun(std::unique_ptr<Training> training, Device* device, Series* series,
                         Observer* observer, int64_t looks, StepClock clock)
    : training_(std::move(training)),
      device_(device),
      series_(series),
      observer_(observer),
      looks_(looks),
      clock_(clock) {}

Result<std::unique_ptr<TrainingRun>> TrainingRun::set_up(const TrainDesc& desc, Device* device,
                                                         Series* series, Observer* observer,
                                                         int64_t looks, StepClock clock) {
  observer->phase(series->index, {.phase = "prepare", .text = "setting up the training"});
  RIDGE_TRY(auto training, desc.maker->build(desc, series->params, 1));
  series->flop = training->flop_per_step();
  series->note = training->note();
  observer->problem(*series);
  return std::unique_ptr<TrainingRun>(
      new TrainingRun(std::move(training), device, series, observer, looks, clock));
}

Result<void> TrainingRun::step() {
  const double start_s = clock_();
  RIDGE_TRY_VOID(training_->step());
  const double step_s = clock_() - start_s;
  trained_s_ += step_s;
  Sample sample;
  sample.index = made();
  sample.t_ns = step_s * 1e9;
  series_->samples.push_back(sample);

  CurvePoint point;
  point.step = made();
  point.t_s = trained_s_;
  point.values = training_->observe();
  const int64_t between = std::max<int64_t>(1, steps() / looks_);
  if (point.step % between == 0 && point.step < steps()) {
    for (const auto& [name, value] : training_->look()) point.values[name] = value;
  }
  series_->curve.push_back(std::move(point));
  return {};
}

void TrainingRun::report() {
  if (device_ && !series_->samples.empty())
    series_->samples.set_clock(series_->samples.size() - 1, device_->clock_now_hz());
  observer_->samples(series_->index, "call", series_->samples.from(sent_samples_));
  observer_->curve(series_->index,
                   std::span<const CurvePoint>(series_->curve).subspan(sent_points_));
  sent_samples_ = series_->samples.size();
  sent_points_ = series_->curve.size();
}

void TrainingRun::sum_up(bool contended) {
  series_->memory_bytes = training_->memory_bytes();  // a library's is known when it has made steps
  summarize(series_, contended, false);
  if (training_->is_emulated()) {
    series_->stats.reset(), series_->flop = 0;
    series_->unavailable["stats"] = kEmulated;
  }
  if (series_->stats && series_->stats->median_ns > 0) {
    series_->items_per_s = double(training_->items_per_step()) * 1e9 / series_->stats->median_ns;
  }
}

Result<int64_t> TrainingRun::go_on(double seconds) {
  int64_t steps = 0;
  for (const double start_s = clock_(); steps == 0 || clock_() - start_s < seconds; ++steps)
    RIDGE_TRY_VOID(training_->step());
  return steps;
}

Result<void> TrainingRun::judge() {
  observer_->phase(series_->index, {.phase = "check", .text = "evaluating on held-out data"});
  const QualityCheck check = training_->evaluate();
  series_->checks.push_back(check);
  observer_->check(series_->index, check);
  if (!check.passed) return Error{ErrorCode::invalid, check.reason, check.what, ""};
  return {};
}

void stop_at_limit(const TrainingRun& training, double limit_s, Series* series) {
  series->reason = "stopped at the limit of " + std::to_string(int(limit_s)) + " s after " +
                   std::to_string(training.made()) + " of " + std::to_string(training.steps()) +
                   " steps";
  series->status = SeriesStatus::partial;
}

}  // namespace ridge::measure
