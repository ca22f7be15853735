// What a learner is told of a save beyond its verdict: how far a right answer is from the goal, what its evidence says of
// the cause, and whether the loop that the listing marks is of the lines that they wrote. No ImGui here.
#pragma once

#include <string>

#include "app/window/edit/editing.h"

namespace ridge::window {

/// Lines from 1, both inside; empty where `last` is below `first`.
struct LineSpan {
  int first = 1, last = 0;
  bool empty() const { return last < first; }
  bool contains(int line) const { return line >= first && line <= last; }
};
/// The lines of `text` that are not those of `original`: what stands between the beginning and the end that both share.
LineSpan written_lines(const std::string& original, const std::string& text);

/// Loops of the listing that are made of these lines of the file, as lines of the listing. Both empty: there is none, or
/// the listing does not say.
struct OwnLoops {
  LineSpan widest;  ///< computes most numbers an instruction
  /// Beside a loop of vectors: one of single numbers, for what is left over, or for arrays that overlap.
  LineSpan scalar;
};
OwnLoops own_loops(const AssemblyText& listing, const LineSpan& written);
/// Which loop is marked, and what the other is.
std::string own_loops_sentence(const OwnLoops& loops, const LineSpan& written);

/// Whether the marked loop is made of the lines that were written, or that it is not; empty: the listing does not say.
std::string loop_origin_sentence(const Editing& editing, const AssemblyText& listing);

/// Of a right answer that the comparison does not show as fast as its original: how far it is, and the likely cause with
/// its evidence, or that the cause is not known and where to look. Empty: it is as fast, or no exercise.
std::string slow_sentence(const State& state, const Comparison& comparison);

}  // namespace ridge::window
