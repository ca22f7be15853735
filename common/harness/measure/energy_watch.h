// Watches an energy counter from a thread of its own, and takes the power between two of its ticks. Between the
// first and the last tick of a window the power is the slope: counting from tick to tick instead of from start to end
// is what makes a counter that is renewed ten times a second good to about a per cent within one.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/harness/measure/energy_meter.h"

namespace ridge::measure {

/// One look at a meter: it showed `value` (J, or W where it is no counter) at some moment from begin_s
/// to end_s.
struct EnergyReading {
  double begin_s = 0, end_s = 0, value = 0;
};

struct EnergySlope {
  double power_w = 0;
  double error = 0;     ///< relative: how well the two ticks are known in time, over their distance
  double period_s = 0;  ///< of the counter's ticks as seen; never under the pause between readings
};

/// From ticks within [from_s, to_s]. A tick lies between the reading before it and its own, and so is
/// known to half of that. Error unavailable: the counter moved less than twice, or too late to tell.
Result<EnergySlope> slope_between_ticks(std::span<const EnergyReading> readings, double from_s,
                                        double to_s);

/// Reads a meter from a thread of its own until it is stopped.
class EnergyWatch {
 public:
  explicit EnergyWatch(EnergyMeter* meter) : meter_(meter), thread_(&EnergyWatch::loop, this) {}
  ~EnergyWatch() { stop(); }
  void stop();
  /// Changes of the reading so far.
  int ticks() const;
  /// All so far, in order.
  std::vector<EnergyReading> readings() const;

 private:
  void loop();

  EnergyMeter* meter_;
  mutable std::mutex mutex_;
  bool ending_ = false;
  int ticks_ = 0;
  std::vector<EnergyReading> readings_;
  std::thread thread_;  // last: it uses the others
};

/// The meters of all devices that calls work on, each watched by itself: their counters tick at different moments.
class EnergyWatches {
 public:
  /// At least one.
  explicit EnergyWatches(std::vector<std::unique_ptr<EnergyMeter>> meters);
  void stop();
  /// Of the one that has moved least.
  int ticks() const;
  bool is_counter() const { return meters_.front()->is_counter(); }
  /// "NVML, whole GPU, others included; the sum of 4".
  std::string source() const;
  /// Of the first.
  std::vector<EnergyReading> readings() const { return watches_.front()->readings(); }
  /// Of all together.
  Result<EnergySlope> slope(double from_s, double to_s) const {
    return slope(from_s, to_s, std::ssize(meters_));
  }
  /// Of the first `devices`: the sum of their slopes and of their errors. Errors as of slope_between_ticks().
  Result<EnergySlope> slope(double from_s, double to_s, int64_t devices) const;

 private:
  std::vector<std::unique_ptr<EnergyMeter>> meters_;
  std::vector<std::unique_ptr<EnergyWatch>> watches_;  ///< after the meters that they read
};

}  // namespace ridge::measure
