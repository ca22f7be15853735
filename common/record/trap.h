// A trap's outcome in words: the same in the terminal, the window and the report.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge {

/// "2.71 ms", or "0.94×" for a ratio, with the digits that its interval bears.
std::string reading_text(const TrapOutcome& trap, const TrapFigure& figure);
/// "[2.70, 2.73] ms"; kNone where there is no interval.
std::string reading_interval_text(const TrapOutcome& trap, const TrapFigure& figure);
/// "3.20× too low", "1.06× too high", "no bias on this machine", "unresolved, 2.36× too high in 5 rounds: too few for an
/// interval", "unresolved, 1.025× too high in 18 rounds [0.988, 1.04]".
std::string bias_text(const TrapOutcome& trap);
/// "caught: the gate refuses it ...", or "not caught: ...".
std::string guard_text(const TrapOutcome& trap);
/// Of the figures in guard_text(): they need not agree with the honest ones to the last digit.
inline constexpr const char* kGuardMeasures = "from a measurement of its own";

}  // namespace ridge
