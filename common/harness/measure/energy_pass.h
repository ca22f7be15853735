// Energy of one call, in a pass of its own after the timing: calls back to back for a second or more
// while a thread watches the energy counter. The power between its ticks (energy_watch.h) times the
// pass's own time per call is the energy of a call, idle power included.
#pragma once

#include "common/harness/measure/harness.h"

namespace ridge::measure {

inline constexpr double kEnergyLeadIn_s = 0.3;  ///< uncounted calls: clock and power settle
inline constexpr double kEnergyWindow_s = 1;    ///< the least that counts; limit_s may shorten it

/// Fills in energy_j, energy_error_j and energy_source, or unavailable["energy_j"]. An Error is the
/// rung's (a launch failed), a cancel, or a lost device.
Result<void> energy_pass(const ReadyRung& rung, const Options& options, double call_ns,
                         Series* series, Observer* observer);

}  // namespace ridge::measure
