// Drives a training rung: steps timed one by one, the curve streamed, judged by its task metric.
#include <algorithm>

#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/training_run.h"

namespace ridge::measure {
namespace {

constexpr double kChunk_s = 0.05;  ///< steps of the energy pass between two looks at the clock

class TrainingDriver {
 public:
  TrainingDriver(TrainingRun* training, const Options& options, Series* series, Observer* observer)
      : training_(training),
        series_(series),
        observer_(observer),
        limit_s_(options.limit(10, 60)) {}

  Result<void> run();

 private:
  void report();

  TrainingRun* training_;
  Series* series_;
  Observer* observer_;
  double limit_s_;
};

void TrainingDriver::report() {
  training_->report();
  const double done = double(training_->made()) / double(std::max<int64_t>(1, training_->steps()));
  observer_->phase(series_->index,
                   {.phase = "timing",
                    .text = "training",
                    .open = std::to_string(training_->made()) + " of " +
                            std::to_string(training_->steps()) + " steps",
                    .progress = done,
                    .left_s = done > 0 ? training_->trained_s() * (1 / done - 1) : limit_s_});
}

Result<void> TrainingDriver::run() {
  const double start = now_s();
  double reported = start;
  observer_->announce(series_->index);
  while (!training_->is_over()) {
    RIDGE_TRY_VOID(training_->step());
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
  if (!training_->is_over()) stop_at_limit(*training_, limit_s_, series_);
  return {};
}

Result<void> steps(const TrainDesc& desc, Device* device, const Options& options, Series* series,
                   Observer* observer) {
  RIDGE_TRY(const auto training, TrainingRun::set_up(desc, device, series, observer));
  const ForeignLoad foreign;
  TrainingDriver driver(training.get(), options, series, observer);
  const auto trained = driver.run();
  training->sum_up(is_contended(foreign.cpus(), desc.backend));
  RIDGE_TRY_VOID(trained);
  RIDGE_TRY_VOID(training->judge());
  if (!device || !series->stats || !options.has_energy()) return {};
  return energy_pass(
      device, series->stats->median_ns, [&] { return training->go_on(kChunk_s); }, options, series,
      observer);
}

}  // namespace

Result<double> predict_training_s(const TrainDesc& desc, const Params& params, Device* device,
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
  return (ready - start) + std::min(trained_s, options.limit(10, 60)) + look_s +
         predict_energy_s(device, options);
}

Result<Series> measure_training(const TrainDesc& training, const Params& params, Device* device,
                                const Options& options, int series, Observer* observer) {
  Series out = training_series(training, params, options.mode, series);
  const auto outcome = steps(training, device, options, &out, observer);
  if (!outcome && outcome.error().code == ErrorCode::worker) return outcome.error();
  if (!outcome) take_error(outcome.error(), &out);
  out.unavailable["latency"] = "a training step has no latency pass of its own";
  describe_unavailable(&out);
  return out;
}

}  // namespace ridge::measure
