// How a time came about: of a rung alone, one call after the other, or of a side of a comparison, in turns with the other.
// The two need not agree: what ran just before has other data in the caches and another clock.
#pragma once

#include <string>

#include "common/record/run.h"

namespace ridge {

/// Said of a figure that stands among those of rungs alone.
inline const std::string kTimedInTurns = "timed in turns";
/// Whether the series is a side of a comparison.
bool is_in_turns(const Run& run, const SeriesFacts& series);
/// Of two comparisons of one pair whether the later takes the earlier's place, in every view and report: sustained turns
/// before rounds, then the most rounds, then the newest. An edit's text may have changed since, another budget is another
/// question, and what is not valid is never hidden: there the later stands.
bool outweighs(const Comparison& later, const Comparison& earlier);
/// Of the comparisons that fit the one that outweighs the others; null: none fits.
template <class Fits>
const Comparison* weightiest_of(const Run& run, const Fits& fits) {
  const Comparison* found = nullptr;
  for (const Comparison& one : run.comparisons()) {
    if (fits(one) && (!found || outweighs(one, *found))) found = &one;
  }
  return found;
}
/// The weightiest comparison of just these two results that has a ratio; null: there is none.
const Comparison* weightiest_pair(const Run& run, const SeriesFacts& baseline,
                                  const SeriesFacts& candidate);

}  // namespace ridge
