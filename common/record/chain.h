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
  size_t pairs = 0;             ///< that are settled
  size_t unsettled = 0;         ///< steps that count as 1
  bool at_equal_clock = false;  ///< one of them is at another clock than its rungs have alone
};
/// Every pair is taken at equal clock: ratios of other turns are another quantity. A step that is unresolved counts as 1,
/// with the width of its interval: what is not settled is no gain. The pairs are of turns of their own, so that their
/// intervals' widths add up as squares. None of fewer than two, and where one is not valid.
std::optional<Chain> chain_of(std::span<const Comparison> steps);
/// "8.90×", with chain_words(). `alone`: the ratio of the two ends' own bars, which is said too where it is another.
GainText gain_text(const Chain& chain, double alone);
/// "the product of 8 steps in pairs, 95 % interval [8.71, 9.10]".
std::string chain_words(const Chain& chain);
/// ", and 1 unresolved step as 1×"; empty: all are settled.
std::string unsettled_words(const Chain& chain);

}  // namespace ridge
