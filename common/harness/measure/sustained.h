// Sustained turns: what a comparison on a GPU needs beside interleaved rounds. Sides that take turns within
// milliseconds share one clock, the one that their mean power allows, so that their ratio near the power cap is one of
// cycles. A user runs one of them alone, at the clock that its own power allows. So each side runs alone, for seconds,
// in turns of balanced order; the k-th turns of two sides are a pair.
//
// How long (seen on an H200, bf16 GEMM, 700 W): from rest the clock falls within 0.1 s, the driver holds its mean
// power over about a second, and the time per call moves by another 1 % until 3 s have passed; after that by 0.2 %.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/harness/measure/device.h"
#include "common/harness/measure/observer.h"

namespace ridge::measure {

/// One side that is ready to run on its device.
struct SustainedEntry {
  Device* device = nullptr;
  Side* side = nullptr;
  int64_t devices = 1;  ///< on how many a call works: its power is of all of them
};

/// In seconds of the device's own work.
struct SustainedRule {
  double warm_s = 4;            ///< before the first turn, once
  double settle_s = 2.5;        ///< of each turn, uncounted: the least
  double longest_settle_s = 6;  ///< where the clock still moves
  double window_s = 1.5;        ///< of each turn, counted
  double piece_s = 0.25;        ///< between two looks at the clock and at cancel
  double steady = 0.003;  ///< the last half second's time per call and the one before agree so well
};

struct SustainedTurn {
  double call_ns = 0;  ///< mean over the window: what throughput is made of
  std::optional<double> sm_clock_hz, power_w;
  bool steady = true;
};

/// What is known of the clock under these sides' load.
struct ClockLook {
  double free_hz = 0, lowest_hz = 0;  ///< 0: not known
  std::vector<std::string> held_by;   ///< "power cap"
  /// Below 98 % of the free clock; of a chip that met its power cap, below the free clock at all.
  bool is_held() const;
  /// "the clock was held down: 1283 of 1980 MHz (power cap)"; never above the free clock.
  std::string sentence() const;
  /// Takes in a sample's clock, and what the device says holds it.
  void add(std::span<const Sample> samples);
  void add_reasons(Device* device);
};

/// Each side alone for half a second: how far its load lowers the clock. Where it does, both work on until that clock
/// is steady. Empty where a device has no such clock.
Result<ClockLook> look_at_clock(std::span<const SustainedEntry> entries, Observer* observer);

/// Before one rung is timed by itself: works until its load has brought the clock where it stays. That is half a second
/// where the clock stays free; where the chip lowers it at once, until two half seconds agree; and under the power cap,
/// whose mean moves for seconds, `settle_s` of a turn. So all rows of a table are taken in one state.
/// Does nothing on a device without such a clock.
Result<void> settle_clock(const SustainedEntry& entry, int series, Observer* observer);

/// turns[i][k]: the k-th turn of side i. On cancel, an Error.
Result<std::vector<std::vector<SustainedTurn>>> take_turns(std::span<const SustainedEntry> entries,
                                                           int pairs, const SustainedRule& rule,
                                                           Observer* observer);
/// Time of all calls over their number; NaN for no samples.
double mean_call_ns(std::span<const Sample> samples);
SustainedSide summary_of(std::span<const SustainedTurn> turns);
/// ln t_baseline - ln t_candidate of each pair.
std::vector<double> log_ratios(std::span<const SustainedTurn> baseline,
                               std::span<const SustainedTurn> candidate);
/// The verdict of comparison->pair(): of the turns where there are any, and then the rounds' beside it; else of the
/// rounds. `claims`: how many verdicts these rounds have to bear.
void judge_sides(std::span<const Round> rounds, std::span<const std::vector<SustainedTurn>> turns,
                 int claims, Comparison* comparison);

}  // namespace ridge::measure
