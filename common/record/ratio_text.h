// The interval of a paired ratio as people read it: beside 1 and the margin, whose sides decide the verdict.
#pragma once

#include <optional>
#include <string>

#include "common/core/interval.h"

namespace ridge {

/// "[1.021, 1.034]": as format_ratio_interval, with as many digits (six at most) as it takes for both printed ends to
/// stand where the ends do: below, on or above 1, 1 + margin and 1 / (1 + margin). `margin`: 0.02 is 2 %.
std::string ratio_interval_text(const std::optional<Interval>& ratio, double margin);

/// A paired ratio as a headline, with no digit that its interval does not bear: "2.00×", "2.7×" where the interval is
/// ±0.3, "between 5× and 46×" where its upper end is over 1.5 times its lower. Without an interval as format_ratio.
std::string supported_ratio_text(double ratio, const std::optional<Interval>& interval);

}  // namespace ridge
