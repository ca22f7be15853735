// Figures in words: with the unit that fits, or bare in the unit that a table's column is in.
#pragma once

#include <string>

#include "common/core/interval.h"

namespace ridge::figure {

/// Whether `wanted` is `unit` with a prefix ("TFLOP/s" of "FLOP/s"), "%" of a share, or "number"; empty is right always.
bool fits(const std::string& unit, const std::string& wanted);
/// "782 TFLOP/s", "1.12×"; with `wanted` the number alone: "782".
std::string text_in(double value, const std::string& unit, const std::string& wanted);
/// "[781, 783] TFLOP/s", "[1.12, 1.13]"; with `wanted` the numbers alone.
std::string interval_in(const Interval& interval, const std::string& unit,
                        const std::string& wanted);

}  // namespace ridge::figure
