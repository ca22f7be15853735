// Watches an energy counter from a thread of its own, and takes the power between two of its ticks. Between the
// first and the last tick of a window the power is the slope: counting from tick to tick instead of from start to end
// is what makes a counter that is renewed ten times a second good to about a per cent within one.
#pragma once

#include <mutex>
#include <span>
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

}  // namespace ridge::measure
