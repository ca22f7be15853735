// What a counted kernel would need on a chip at least, beside the time that a recording has of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/query/recordings.h"
#include "common/record/gpu_bound.h"

namespace ridge::app {

/// The largest problem of this kernel that a recording of this chip has, of its data type, not stale, and with sizes that
/// are multiples of those that were counted.
struct RecordedTime {
  const Series* series = nullptr;  ///< null: there is none
  double seconds = 0;              ///< the median
  int registers = 0;               ///< of a thread; 0: not recorded
  TimedProblem problem;
};
RecordedTime recorded_time(const KernelCounts& counts, const Chip& chip,
                           std::span<const Recording> recordings);

struct ChipBound {
  const Chip* chip = nullptr;
  GpuBound counted;            ///< of the problem that was counted
  Occupancy occupancy;         ///< of the launch that leaves an SM emptiest
  bool has_registers = false;  ///< they come from the recording's compiler
  RecordedTime recorded;
  std::optional<GpuBound> timed;  ///< of the recorded problem
};
/// Absent where there is no bound (gpu_bound.h).
std::optional<ChipBound> chip_bound(const KernelCounts& counts, const Chip& chip,
                                    std::span<const Recording> recordings);

/// "H200: 4.1 µs at least, by L1 and shared memory; recorded 275 ms at n = 4096: 1.01 times the 272 ms that as much work
/// needs, by L1 and shared memory"; where the recording took less, that the count is no lower bound. `counted`: the
/// parameters that it was counted at.
std::string bound_line(const ChipBound& bound, const Params& counted);
/// A table of chips, and a line for each that has a recorded time. Empty where there is no bound.
std::string bounds_text(std::span<const ChipBound> bounds, const Params& counted);

}  // namespace ridge::app
