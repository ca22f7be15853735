// How a time came about: of a rung alone, one call after the other, or of a side of a comparison, in turns with the other.
// The two need not agree: what ran just before has other data in the caches and another clock.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "common/record/clocks.h"
#include "common/record/run.h"

namespace ridge {

/// Said of a figure that stands among those of rungs alone.
inline const std::string kTimedInTurns = "timed in turns";
/// Whether the series is a side of a comparison.
bool is_in_turns(const Run& run, const SeriesFacts& series);
/// Whether the later of two results of a rung at one problem takes the earlier one's place, in every view: a side of a
/// comparison hides no time of the rung alone, so that a rung has one figure in a session.
bool takes_place_of(const Run& run, const SeriesFacts& later, const SeriesFacts& earlier);
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
struct PairSide {
  const std::string& kernel;
  const Params& params;
};
/// The comparison as it is asked for: itself, or turned where its sides were named the other way round.
/// `fits(baseline, candidate, comparison)` is asked of both ways; absent: neither fits.
template <class Fits>
std::optional<Comparison> as_asked(const Comparison& one, const Fits& fits) {
  const PairSide first{one.baseline, one.baseline_params},
      second{one.candidate, one.candidate_params};
  if (fits(first, second, one)) return one;
  if (can_turn(one) && fits(second, first, one)) return turned_round(one);
  return std::nullopt;
}
/// weightiest_of() the comparisons in either direction, as it is asked for.
template <class Fits>
std::optional<Comparison> weightiest_either_way(const Run& run, const Fits& fits) {
  std::optional<Comparison> found;
  for (const Comparison& one : run.comparisons()) {
    auto asked = as_asked(one, fits);
    if (asked && (!found || outweighs(*asked, *found))) found = std::move(asked);
  }
  return found;
}
/// The weightiest comparison of just these two results that has a ratio, whichever of them was its baseline.
std::optional<Comparison> weightiest_pair(const Run& run, const SeriesFacts& baseline,
                                          const SeriesFacts& candidate);

}  // namespace ridge
