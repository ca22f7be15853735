// Line diff of two rungs: longest common subsequence by dynamic programming (Wagner and Fischer,
// 1974). A rung has under 150 lines, so the table of 22,500 cells needs nothing cleverer.
#pragma once

#include <string_view>
#include <vector>

namespace ridge::window {

struct DiffLine {
  enum class Kind { same, added, removed } kind = Kind::same;
  int old_number = 0, new_number = 0;  ///< from 1; 0 where the line does not exist
  std::string_view text;               ///< into the texts given
};

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

struct DiffCount {
  int added = 0, removed = 0;
};
DiffCount count_changes(const std::vector<DiffLine>& lines);

/// The same lines with runs of more than 2 * context + 1 equal ones cut out; a cut is one line with
/// both numbers 0 and an empty text.
std::vector<DiffLine> fold_equal(const std::vector<DiffLine>& lines, int context);

}  // namespace ridge::window
