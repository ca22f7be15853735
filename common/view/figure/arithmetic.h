// The arithmetic of {{calc ...}}: numbers, + - * / and parentheses.
#pragma once

#include <string_view>

#include "common/core/result.h"

namespace ridge::figure {

/// "989.4 * (1 - 0.4)" -> 593.64. `bracket` is what [..] stands for. Errors: bad_input.
Result<double> evaluate_arithmetic(std::string_view text, double bracket);

}  // namespace ridge::figure
