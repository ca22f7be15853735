// Energy of one call, step or item, in a pass of its own after the timing: the work back to back for a second or more
// while a thread watches the energy counter. The power between its ticks (energy_watch.h) times the pass's own time per
// call is the energy of a call, idle power included.
#pragma once

#include <cstdint>
#include <functional>

#include "common/harness/measure/harness.h"

namespace ridge::measure {

inline constexpr double kEnergyLeadIn_s = 0.3;  ///< uncounted calls: clock and power settle
inline constexpr double kEnergyWindow_s = 1;    ///< the least that counts; limit_s may shorten it

/// Does some tens of ms of the work, ended when it returns, and says how many calls, steps or items they were.
using EnergyChunk = std::function<Result<int64_t>()>;

/// Fills in energy_j, energy_error_j and energy_source, or unavailable["energy_j"]. `call_ns` is what one call takes about.
/// An Error is the rung's (a launch failed), a cancel, or a lost device.
Result<void> energy_pass(Device* device, double call_ns, const EnergyChunk& chunk,
                         const Options& options, Series* series, Observer* observer);
/// Of a kernel's calls.
Result<void> energy_pass(const ReadyRung& rung, const Options& options, double call_ns,
                         Series* series, Observer* observer);
/// What the pass adds to a rung's time, for an estimate.
double predict_energy_s(Device* device, const Options& options);

}  // namespace ridge::measure
