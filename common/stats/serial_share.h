// The part of a program that only one processor can work at, from how much faster several were.
// Source: Amdahl, Validity of the single processor approach to achieving large scale computing capabilities, AFIPS Spring
// Joint Computer Conference, 1967: with a serial share s, 1 / speedup = s + (1 - s) / p on p processors.
#pragma once

#include <optional>
#include <span>

#include "common/core/interval.h"

namespace ridge::stats {

struct Speedup {
  double processors = 2, value = 1;
  std::optional<Interval> interval{};
};

struct SerialShare {
  double value = 0;
  Interval interval{};  ///< with all speedups at one end of theirs
};

/// Least squares of 1 / speedup. One processor alone is none of the points: its speedup is 1 with any share. None: fewer
/// than three points; one without an interval, or further off the curve than that; a share that may be 0.
std::optional<SerialShare> serial_share(std::span<const Speedup> points);

}  // namespace ridge::stats
