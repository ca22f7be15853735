#include "app/window/panels/diff.h"

#include <algorithm>

#include "app/window/panels/source_tab.h"

namespace ridge::window {

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
  const auto a = split_lines(before), b = split_lines(after);
  const size_t width = b.size() + 1;
  // common[i][j]: length of the longest common subsequence of a[i..] and b[j..].
  std::vector<int> common((a.size() + 1) * width, 0);
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::vector<DiffLine> lines;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const int old_number = static_cast<int>(i) + 1, new_number = static_cast<int>(j) + 1;
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back({DiffLine::Kind::same, old_number, new_number, a[i]});
      ++i, ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push_back({DiffLine::Kind::removed, old_number, 0, a[i++]});
    } else {
      lines.push_back({DiffLine::Kind::added, 0, new_number, b[j++]});
    }
  }
  return lines;
}

DiffCount count_changes(const std::vector<DiffLine>& lines) {
  DiffCount count;
  for (const DiffLine& line : lines) {
    count.added += line.kind == DiffLine::Kind::added;
    count.removed += line.kind == DiffLine::Kind::removed;
  }
  return count;
}

std::vector<DiffLine> fold_equal(const std::vector<DiffLine>& lines, int context) {
  const int count = static_cast<int>(lines.size());
  std::vector<bool> keep(lines.size(), false);
  for (int i = 0; i < count; ++i) {
    if (lines[static_cast<size_t>(i)].kind == DiffLine::Kind::same) continue;
    for (int k = std::max(0, i - context); k <= std::min(count - 1, i + context); ++k) {
      keep[static_cast<size_t>(k)] = true;
    }
  }
  std::vector<DiffLine> folded;
  for (size_t i = 0; i < lines.size(); ++i) {
    // A cut that would hide a single line costs as much room as the line.
    const bool alone = i > 0 && i + 1 < lines.size() && keep[i - 1] && keep[i + 1];
    if (keep[i] || alone)
      folded.push_back(lines[i]);
    else if (folded.empty() || folded.back().old_number || folded.back().new_number)
      folded.push_back({});
  }
  return folded;
}

}  // namespace ridge::window
