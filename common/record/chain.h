// How many times as fast a climb became where its ends were not compared: the product of its steps' pairs. Report and
// window take it from here, so that both have one factor.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "common/core/interval.h"
#include "common/record/ratio_text.h"
#include "common/record/types.h"

namespace ridge {

struct Chain {
  double ratio = 0;
  Interval interval;
  size_t pairs = 0;
};
/// Every pair is taken at equal clock: ratios of other turns are another quantity. The pairs are of turns of their own, so
/// that their intervals' widths add up as squares. None of fewer than two, and where one is not valid.
std::optional<Chain> chain_of(std::span<const Comparison> steps);
/// "8.90×", with chain_words().
GainText gain_text(const Chain& chain);
/// "the product of 8 steps in pairs".
std::string chain_words(size_t pairs);

}  // namespace ridge
