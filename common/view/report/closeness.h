// Whether what was said is what was measured: one rule for predictions in window, report and lesson.
#pragma once

#include <optional>
#include <string>

#include "common/core/interval.h"

namespace ridge::report {

/// "right, inside its interval [2.90, 3.30] ms" where the interval holds what was said, of a wide one that this says
/// little; "right within a tenth" where that is as near; empty: it is neither. `shown` is the interval in words, empty where it stands elsewhere; both values in the interval's unit, above zero.
std::string right_words(double said, double measured, const std::optional<Interval>& interval,
                        const std::string& shown);

/// By what factor a number misses what was measured: what was said over the nearer end of the interval, 1 inside it. Without
/// an interval over what was measured, 1 where the two read alike. Of a tour's answer, of Home's line and of the class
/// page.
double miss_factor(double said, double measured, const std::optional<Interval>& interval);

}  // namespace ridge::report
