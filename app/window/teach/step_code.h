// The code that a step is about, and what of it a class reads. No ImGui.
#pragma once

#include <string_view>
#include <vector>

#include "app/study/tour.h"
#include "app/window/shell/state.h"

namespace ridge::window {

/// The last rung of ours of a step, and beside it the rung of ours before it.
struct CodePair {
  const Rung *before = nullptr, *rung = nullptr;
};
CodePair code_of(const State& state, const study::TourStep& step);
/// Between the two; the same file with other flags has none.
bool has_code_change(const State& state, const CodePair& pair);
/// Neither of both has code of its own, only the options of its family's, or the step is about a library alone: what they
/// bring is said in words.
bool is_bare(const State& state, const CodePair& pair);

/// Without what a file begins and ends with: the comment tells what the step asks, and a wall has no room for includes, nor
/// for the line that enters the rung into the list.
std::vector<std::string_view> code_lines(const SourceText& source);
/// Before Reveal a comment may answer what the step asks.
bool hides_comments(const State& state);
/// Of code that has more lines than there is room for: the part with its inner loop.
std::vector<std::string_view> key_part(const std::vector<std::string_view>& lines, size_t most);

}  // namespace ridge::window
