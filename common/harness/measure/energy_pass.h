// Energy of one call, in a pass of its own after the timing: calls back to back for a second or more
// while a thread watches the energy counter. The power between its ticks (energy_watch.h) times the
// pass's own time per call is the energy of a call, idle power included. Of a training, whose steps cannot be repeated,
// the counter is read between them.
#pragma once

#include <memory>

#include "common/harness/measure/energy_watch.h"
#include "common/harness/measure/harness.h"

namespace ridge::measure {

inline constexpr double kEnergyLeadIn_s = 0.3;  ///< uncounted calls: clock and power settle
inline constexpr double kEnergyWindow_s = 1;    ///< the least that counts; limit_s may shorten it

/// Fills in energy_j, energy_error_j and energy_source, or unavailable["energy_j"]. An Error is the
/// rung's (a launch failed), a cancel, or a lost device.
Result<void> energy_pass(const ReadyRung& rung, const Options& options, double call_ns,
                         Series* series, Observer* observer);

/// The energy of work that is done once. A reading takes milliseconds, so that none may fall into what is timed: the
/// counter is read where the work pauses.
class WorkEnergy {
 public:
  /// `device` null: nothing is read.
  explicit WorkEnergy(Device* device);
  /// To be called before the work, in its pauses, and after it.
  void look();
  /// Of each of `parts` equal parts of the work, into the series as energy_pass() does.
  void settle(double parts, Series* series);

 private:
  std::unique_ptr<EnergyMeter> meter_;
  std::vector<EnergyReading> readings_;
  std::string reason_;
};

}  // namespace ridge::measure
