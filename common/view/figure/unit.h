// Figures in words: with the unit that fits, or bare in the unit that a table's column is in.
#pragma once

#include <optional>
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
/// "[842, 1030]" beside "919 µs": by the prefix that `printed` has of `value`.
std::string interval_like(const Interval& interval, double value, const std::string& printed);

/// "259.8 ns" of "260 ns" beside "[259.6, 259.9]": a number that rounding has moved out of its interval gets the decimals of
/// the interval's ends; any other stays as it is.
std::string within(const std::string& printed_interval, const Interval& interval, double value,
                   const std::string& printed);

/// A ratio and its interval with the same decimals, as many as tell the interval's ends apart: "1.114", "[1.113, 1.115]".
struct RatioTexts {
  std::string value, interval;
};
RatioTexts ratio_texts(double ratio, const std::optional<Interval>& interval);

}  // namespace ridge::figure
