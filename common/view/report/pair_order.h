// Inside of build_report(): which of several rungs is the fastest, where pairs decide it before bars do.
#pragma once

#include <vector>

#include "common/view/report/content.h"

namespace ridge::report {

/// The newest claim of just these two, whatever it came to; null: there is none.
const Claim* newest_claim(const Material& material, const Line& from, const Line& to);
/// The same in either direction, where it is paired and has a ratio.
const Claim* pair_of(const Material& material, const Line& a, const Line& b);
/// Of rungs in the order of their own speeds, the fastest first: that one, unless pairs say that another is faster. Either
/// the two were compared with each other and the newest of what is settled says so, or both were compared with a third and
/// their intervals do not overlap. Null: there are no rungs.
const Line* fastest_by_pairs(const Material& material, std::vector<const Line*> lines);

}  // namespace ridge::report
