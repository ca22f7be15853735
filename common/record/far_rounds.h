// Two sides that are far apart are compared in fewer rounds: how many, and how a reader is told.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge {

/// Where every candidate is kFarApart times as fast or as slow as the baseline, to judge by the warm-up: a narrower interval
/// would tell nothing more. Settled before the first round, so that no look at the rounds decides when they end.
inline constexpr int kFarRounds = 12;
inline constexpr double kFarApart = 10;

/// "12 rounds are enough where one side is 10× as fast or more"; empty: the rounds are not so few for that.
std::string few_rounds_text(const Comparison& comparison);

}  // namespace ridge
