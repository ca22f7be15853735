// Texts as lines, and what changed between two of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::app {

/// Without their ends, "\n" or "\r\n"; views into the text.
std::vector<std::string_view> split_lines(std::string_view text);

/// A row of a line that is wider than its place: its begin, or its rest behind a margin of so many columns.
struct CodeRow {
  std::string_view text;
  size_t margin = 0;
};

/// A line in rows of at most `columns`, which are 20 at least: it breaks at a space where it can, and what follows stands four
/// columns further in than the line. Code without tabs.
std::vector<CodeRow> rows_of(std::string_view line, size_t columns);

struct DiffLine {
  enum class Kind { same, added, removed } kind = Kind::same;
  int old_number = 0, new_number = 0;  ///< from 1; 0 where the line does not exist
  std::string_view text;               ///< into the texts given
  size_t margin = 0;  ///< over 0: the rest of the line before it, behind so many columns
};

/// With as many lines the same as can be, while the parts that differ have under four million pairs of lines;
/// beyond that they are removed and added as a whole.
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

/// Of two files of code, without the comment that each begins with: it tells the file's own story, and would bury the
/// lines that changed. The numbers are the files'.
std::vector<DiffLine> diff_code(std::string_view before, std::string_view after);

/// What changed in the code of a rung, and no more: a line in which only the rung's own name is another, and one that is only
/// indented or broken otherwise, are the same.
std::vector<DiffLine> diff_core(std::string_view before, std::string_view after);

/// Code without its comments: a line of nothing else is left out, and what stands before a comment stays. `numbers` has for
/// each line that is left its number in the text given, from 1.
struct BareCode {
  std::string text;
  std::vector<int> numbers;
};
BareCode without_comments(std::string_view code);

struct DiffCount {
  int added = 0, removed = 0;
};
DiffCount count_changes(const std::vector<DiffLine>& lines);

/// The same lines with runs of more than 2 * context + 1 equal ones cut out; a cut is one line with
/// both numbers 0 and an empty text. Behind a cut a statement begins.
std::vector<DiffLine> fold_equal(const std::vector<DiffLine>& lines, int context);

/// Without the lines that every file of code has and that did not change: includes, namespaces, blank ones. `whole`: without
/// those that did too.
std::vector<DiffLine> without_frame(const std::vector<DiffLine>& lines, bool whole = false);

/// Without the lines that enter a rung into the list of rungs: each file's have its own name, and none of them runs.
std::vector<DiffLine> without_registration(const std::vector<DiffLine>& lines);

/// Of lines that have no more room than for `most` of them: those together that have the most changed ones, each counting
/// more the deeper it stands, because the inner loop is where the work is; and a cut where some were left out before or
/// behind. Where none changed all of them count. They begin at a statement. A line that was replaced and the one in its
/// place stand there together or not at all, where there is room for both; what launches a kernel is left out first.
std::vector<DiffLine> key_lines(const std::vector<DiffLine>& lines, size_t most);

/// Each line in its rows.
std::vector<DiffLine> wrapped(const std::vector<DiffLine>& lines, size_t columns);

}  // namespace ridge::app
