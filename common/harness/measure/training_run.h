// A training that is being made: stepped, looked at on the way, judged at the end. A run makes one by itself, a
// comparison several in turns.
#pragma once

#include "common/harness/measure/harness.h"

namespace ridge::measure {

/// Seconds since some moment; a test's own where its steps take what it says.
using StepClock = double (*)();

/// The task metric is looked at this many times on the way, for the time to an accuracy.
inline constexpr int64_t kLooks = 8;
/// Samples and curve points are sent together, this often.
inline constexpr double kReport_s = 0.1;

/// What is known of a training's series before it is set up.
Series training_series(const TrainDesc& desc, const Params& params, RunMode mode, int index);

class TrainingRun {
 public:
  /// Sets the training up and sends its problem. All that is pointed at outlives it.
  static Result<std::unique_ptr<TrainingRun>> set_up(const TrainDesc& desc, Device* device,
                                                     Series* series, Observer* observer,
                                                     int64_t looks = kLooks,
                                                     StepClock clock = now_s);

  /// One step, timed by itself, with what it observed; then a look, where one is due.
  Result<void> step();
  /// Sends the samples and curve points that are new.
  void report();
  /// Memory, stats and rate of the steps so far.
  void sum_up(bool contended);
  /// Steps for so long beyond what was judged, of which nothing is kept; how many.
  Result<int64_t> go_on(double seconds);
  /// The task metric on held-out data, as a check. Error invalid: it did not pass.
  Result<void> judge();

  int64_t made() const { return static_cast<int64_t>(series_->samples.size()); }
  int64_t steps() const { return training_->steps(); }
  bool is_over() const { return made() >= steps(); }
  /// The time in steps alone.
  double trained_s() const { return trained_s_; }
  const Training& training() const { return *training_; }

 private:
  TrainingRun(std::unique_ptr<Training> training, Device* device, Series* series,
              Observer* observer, int64_t looks, StepClock clock);

  std::unique_ptr<Training> training_;
  Device* device_;
  Series* series_;
  Observer* observer_;
  int64_t looks_;
  StepClock clock_;
  double trained_s_ = 0;
  size_t sent_samples_ = 0, sent_points_ = 0;
};

/// A training that its limit ended before its last step: partial, and why.
void stop_at_limit(const TrainingRun& training, double limit_s, Series* series);

}  // namespace ridge::measure
