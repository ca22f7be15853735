// Energy of one call, in a pass of its own after the timing: calls back to back for a second or more
// while a thread watches the energy counter. Between the first and the last tick of the counter the
// power is the slope; times the pass's own time per call it is the energy of a call, idle power
// included. Counting from tick to tick instead of from start to end is what makes a counter that is
// renewed ten times a second good to about a per cent within one.
#pragma once

#include <span>

#include "common/harness/measure/energy_meter.h"
#include "common/harness/measure/harness.h"

namespace ridge::measure {

inline constexpr double kEnergyLeadIn_s = 0.3;  ///< uncounted calls: clock and power settle
inline constexpr double kEnergyWindow_s = 1;    ///< the least that counts; limit_s may shorten it

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

/// Fills in energy_j, energy_error_j and energy_source, or unavailable["energy_j"]. An Error is the
/// rung's (a launch failed), a cancel, or a lost device.
Result<void> energy_pass(const ReadyRung& rung, const Options& options, double call_ns,
                         Series* series, Observer* observer);

}  // namespace ridge::measure
