// Inside of build_report(): which of several rungs is the fastest, where pairs decide it before bars do.
#pragma once

#include <string>
#include <vector>

#include "common/view/report/content.h"

namespace ridge::report {

/// The claim of just these two, whatever it came to; null: there is none. Of several: sustained turns before rounds, then
/// the most rounds, then the newest; the newest where it is not valid, and of an edit.
const Claim* claim_of(const Material& material, const Line& from, const Line& to);
/// The same in either direction, where it is paired and has a ratio.
const Claim* pair_of(const Material& material, const Line& a, const Line& b);
/// The same among the paired claims of this one's two sides; null: it is not paired, and no other is.
const Claim* weightiest_like(const Material& material, const Claim& claim);
/// "another run of this pair: 0.922× [0.920, 0.924], 9 rounds at equal clock, slower": as the claim names its sides;
/// empty: there is no other.
std::string repeats_words(const Material& material, const Claim& claim);
/// Whether both launch the same kernels with the same grids, as far as the run has it: a library and its other interface.
bool run_same_kernel(const Line& a, const Line& b);
/// Whether neither is faster: they run the same kernel, or the pair of the two says so.
bool are_level(const Material& material, const Line& a, const Line& b);
/// Of rungs in the order of their own speeds, the fastest first: that one, unless pairs say that another is faster. Either
/// the two were compared with each other and the weightiest of what is settled says so without contradiction, or both were compared with a third and
/// their intervals do not overlap. Null: there are no rungs.
const Line* fastest_by_pairs(const Material& material, std::vector<const Line*> lines);

}  // namespace ridge::report
