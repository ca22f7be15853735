// Numbers as people read them: three significant digits, one SI prefix, tabular. Window, command
// line and reports print through these and nothing else, so that a figure looks the same everywhere.
// NaN and infinities never print as a number: they print as kNone.
#pragma once

#include <optional>
#include <string>

#include "common/core/interval.h"

namespace ridge {

struct SiPrefix {
  double factor = 1;  ///< shown = value / factor
  const char* symbol = "";
};

/// The prefix that brings `typical` into [1, 1000): p n µ m - k M G T P. 1 for zero and NaN.
SiPrefix si_prefix(double typical);

/// The unit with its prefix: "TFLOP/s", "ms". A unit that is a word stands apart from it: "M images/s".
std::string prefixed(const SiPrefix& prefix, const std::string& unit);

/// What stands where a number should and there is none.
inline constexpr const char* kNone = "—";

/// "0.272", "2.72", "27.2", "272", "2 724", "1.50e-12" (below 1e-3 or from 1e7). From 1,000 on the
/// number is whole, its thousands set apart by a narrow no-break space (U+202F). Independent of the
/// locale.
std::string format_number(double value, int digits = 3);
/// "1.5e-12": two significant digits, always with an exponent; 0 is "0".
std::string format_scientific(double value);
/// As format_number, without trailing zeros.
std::string format_tick(double value, int digits = 3);
std::string name_in_words(std::string name);  ///< "images misplaced" of "images_misplaced"
std::string format_count(double value);  ///< whole, grouped: "1 024"

std::string format_time_ns(double ns);  ///< "2.72 ms"
/// FLOP/s, B/s, items/s: "55.8 TFLOP/s", "41.2 GB/s", "1.23 M items/s".
std::string format_rate(double value, const std::string& unit);
std::string format_bytes(double bytes);          ///< binary: "96.0 MiB"
std::string format_share(double share);          ///< 0.92 -> "92.0 %"
std::string format_percent_width(double share);  ///< 0.006 -> "±0.6 %"
std::string format_ratio(double ratio);          ///< "5.80×"; near 1 "1.004×"
/// A number and its unit with the right prefix: "1.98 GHz", "612 W".
std::string format_quantity(double value, const std::string& unit);

/// "[2.71, 2.73] ms": both ends in the prefix of the larger; kNone if absent or not finite.
std::string format_time_interval(const std::optional<Interval>& ns);
std::string format_rate_interval(const std::optional<Interval>& rate, const std::string& unit);
/// "[5.77, 5.83]"; all intervals take more digits where three would hide their width.
std::string format_ratio_interval(const std::optional<Interval>& ratio);

}  // namespace ridge
