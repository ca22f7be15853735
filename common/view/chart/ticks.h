// Where an axis has its ticks, and the one SI prefix all of its numbers share.
#pragma once

#include <string>
#include <vector>

#include "common/core/format.h"

namespace ridge::chart {

struct Tick {
  double value = 0;
  bool major = true;  ///< labelled; a minor one is a grid line at most
};

/// Multiples of 1, 2 or 5 x 10^k inside [low, high]; at most `target` + 1 of them, and at least two
/// where the range holds them. Empty for a range that is empty or not finite.
std::vector<Tick> linear_ticks(double low, double high, int target);

/// Decades as major ticks, 2 and 5 as minor ones (2..9 where `target` leaves room); of very many
/// decades every second, third ... . A range under one decade has no two powers
/// of ten to label: it gets linear ticks, and finer ones where they stand far apart. Two are labelled at least, whatever
/// `target` says. Needs 0 < low < high.
std::vector<Tick> log_ticks(double low, double high, int target);

/// For an axis from `low` to `high`: of the middle of the range (geometric if both are positive), so
/// that neither end needs many zeros.
SiPrefix axis_prefix(double low, double high, bool log);
/// The same for a unit: bytes have binary ones, as their figures have (format_bytes).
SiPrefix axis_prefix(double low, double high, bool log, const std::string& unit);
/// Linear or logarithmic, at numbers that are round in the prefix: 256 MiB, not 268.4. Of a log axis with fewer than three
/// labelled ticks 2 and 5 x 10^k are labelled as well.
std::vector<Tick> axis_ticks(double low, double high, bool log, int target, const SiPrefix& prefix);

/// The largest 1, 2 or 5 x 10^k that is not above `value`, for the low end of a log axis. What is not
/// positive and finite comes back as it is.
double nice_floor(double value);

}  // namespace ridge::chart
