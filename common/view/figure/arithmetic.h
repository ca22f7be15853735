// The arithmetic of {{calc ...}}: numbers, + - * / and parentheses.
#pragma once

#include <span>
#include <string_view>

#include "common/core/result.h"

namespace ridge::figure {

/// "989.4 * (1 - 0.4)" -> 593.64. Each [..] stands for the next of `figures`. Errors: bad_input.
Result<double> evaluate_arithmetic(std::string_view text, std::span<const double> figures);

}  // namespace ridge::figure
