#include "app/query/diff.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <span>
#include <utility>

namespace ridge::app {
namespace {

using Lines = std::span<const std::string_view>;
using Kind = DiffLine::Kind;

constexpr size_t kMostCells = 4'000'000;  // 8 MB

/// Whether the table for so many lines is small enough.
bool fits(size_t before, size_t after) {
  return before + 1 <= kMostCells / (after + 1);
}

/// The longest common subsequence by dynamic programming (Wagner and Fischer, 1974).
void add_changes(Lines a, Lines b, std::vector<Kind>* kinds) {
  const size_t width = b.size() + 1;
  if (!fits(a.size(), b.size())) {
    kinds->insert(kinds->end(), a.size(), Kind::removed);
    kinds->insert(kinds->end(), b.size(), Kind::added);
    return;
  }
  // common[i][j]: length of the longest common subsequence of a[i..] and b[j..]; 2,000 at most.
  std::vector<uint16_t> common((a.size() + 1) * width, 0);
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          a[i] == b[j] ? static_cast<uint16_t>(common[(i + 1) * width + j + 1] + 1)
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      kinds->push_back(Kind::same);
      ++i, ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      kinds->push_back(Kind::removed);
      ++i;
    } else {
      kinds->push_back(Kind::added);
      ++j;
    }
  }
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
  const auto a = split_lines(before), b = split_lines(after);
  const size_t shorter = std::min(a.size(), b.size());
  size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  // Equal ends only where they are needed: without them a change stands as late as it can.
  if (!fits(a.size() - head, b.size() - head)) {
    while (head + tail < shorter && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  }
  std::vector<Kind> kinds(head, Kind::same);
  add_changes(Lines(a).subspan(head, a.size() - head - tail),
              Lines(b).subspan(head, b.size() - head - tail), &kinds);
  kinds.insert(kinds.end(), tail, Kind::same);
  std::vector<DiffLine> lines;
  size_t i = 0, j = 0;
  for (const Kind kind : kinds) {
    const int old_number = kind == Kind::added ? 0 : static_cast<int>(i) + 1;
    const int new_number = kind == Kind::removed ? 0 : static_cast<int>(j) + 1;
    lines.push_back({kind, old_number, new_number, kind == Kind::added ? b[j] : a[i]});
    i += kind != Kind::added;
    j += kind != Kind::removed;
  }
  return lines;
}

namespace {

/// Lines of the comment a file begins with. Each rung tells its own story there, so a diff of it
/// would bury the three lines that changed.
int header_lines(std::string_view text) {
  int count = 0;
  for (const std::string_view line : split_lines(text)) {
    if (line.substr(0, 2) != "//") break;
    ++count;
  }
  return count;
}

std::string_view without_lines(std::string_view text, int count) {
  for (; count > 0; --count) {
    const size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text;
}

}  // namespace

std::vector<DiffLine> diff_code(std::string_view before, std::string_view after) {
  const int skip_before = header_lines(before), skip_after = header_lines(after);
  std::vector<DiffLine> lines =
      diff_lines(without_lines(before, skip_before), without_lines(after, skip_after));
  for (DiffLine& line : lines) {
    if (line.old_number) line.old_number += skip_before;
    if (line.new_number) line.new_number += skip_after;
  }
  return lines;
}

namespace {

/// As the file enters it into the list of rungs: "naive" of RIDGE_KERNEL(gemm, cpu, naive, ...); empty: it enters none.
std::string_view rung_name(std::string_view code) {
  constexpr std::string_view kEnters = "\nRIDGE_KERNEL(";
  size_t at = code.rfind(kEnters);
  for (int comma = 0; comma < 2 && at != code.npos; ++comma) at = code.find(',', at + 1);
  if (at == code.npos) return {};
  const size_t from = code.find_first_not_of(" \n", at + 1), to = code.find_first_of(",)", from);
  return from == code.npos || to == code.npos ? std::string_view() : code.substr(from, to - from);
}

/// With the name `from`, wherever it stands as a word or as a part of one between underscores, in place of `to`.
std::string renamed(std::string_view code, std::string_view from, std::string_view to) {
  std::string made;
  const auto is_joined = [&](size_t at) {
    return at < code.size() && std::isalnum(static_cast<unsigned char>(code[at]));
  };
  while (!code.empty()) {
    const size_t at = from.empty() ? code.npos : code.find(from);
    if (at == code.npos) return made.append(code);
    const bool is_name = !(at > 0 && is_joined(at - 1)) && !is_joined(at + from.size());
    made.append(code.substr(0, at)).append(is_name ? to : from);
    code.remove_prefix(at + from.size());
  }
  return made;
}

/// Of as many lines as say the same but for their spaces, from the first of both on: how many of either; {0, 0}: none do.
std::pair<size_t, size_t> same_words(std::span<const DiffLine> removed,
                                     std::span<const DiffLine> added) {
  std::string one, other;
  size_t i = 0, j = 0;
  const auto take = [](std::string_view text, std::string* words) {
    for (const char c : text)
      if (c != ' ') *words += c;
  };
  while (true) {
    if (one.size() <= other.size()) {
      if (i == removed.size()) return {0, 0};
      take(removed[i++].text, &one);
    } else {
      if (j == added.size()) return {0, 0};
      take(added[j++].text, &other);
    }
    const size_t common = std::min(one.size(), other.size());
    if (one.compare(0, common, other, 0, common) != 0) return {0, 0};
    if (one == other && j > 0) return {i, j};
  }
}

/// Lines that were only indented or broken otherwise, at the begin of what was removed and added there, are the same.
std::vector<DiffLine> without_reflow(const std::vector<DiffLine>& lines) {
  std::vector<DiffLine> rest;
  for (size_t at = 0; at < lines.size();) {
    size_t middle = at, end = at;
    while (middle < lines.size() && lines[middle].kind == Kind::removed) ++middle;
    for (end = middle; end < lines.size() && lines[end].kind == Kind::added;) ++end;
    if (end == at) {
      rest.push_back(lines[at++]);
      continue;
    }
    const std::span<const DiffLine> all(lines);
    std::vector<DiffLine> out, in;
    for (size_t i = at, j = middle; i < middle || j < end;) {
      const auto [gone, come] = same_words(all.subspan(i, middle - i), all.subspan(j, end - j));
      if (come == 0) {
        // One line of each that has no twin here; what follows may have one again.
        if (i < middle) out.push_back(lines[i++]);
        if (j < end) in.push_back(lines[j++]);
        continue;
      }
      rest.insert(rest.end(), out.begin(), out.end());
      rest.insert(rest.end(), in.begin(), in.end());
      out.clear();
      in.clear();
      for (size_t k = 0; k < come; ++k) {
        rest.push_back(lines[j + k]);
        rest.back().kind = Kind::same;
      }
      i += gone;
      j += come;
    }
    rest.insert(rest.end(), out.begin(), out.end());
    rest.insert(rest.end(), in.begin(), in.end());
    at = end;
  }
  return rest;
}

}  // namespace

std::vector<DiffLine> diff_core(std::string_view before, std::string_view after) {
  const int skip_before = header_lines(before), skip_after = header_lines(after);
  before = without_lines(before, skip_before);
  after = without_lines(after, skip_after);
  const std::string named = renamed(before, rung_name(before), rung_name(after));
  const auto old_lines = split_lines(before), new_lines = split_lines(after);
  std::vector<DiffLine> lines = diff_lines(named, after);
  lines = without_reflow(lines);
  for (DiffLine& line : lines) {  // as they are written
    line.text = line.new_number ? new_lines[static_cast<size_t>(line.new_number - 1)]
                                : old_lines[static_cast<size_t>(line.old_number - 1)];
    if (line.old_number) line.old_number += skip_before;
    if (line.new_number) line.new_number += skip_after;
  }
  return lines;
}

namespace {

/// What of C++ and CUDA a scan over comments has to know of the lines before.
struct CommentScan {
  bool in_block = false;  ///< behind a /* that is still open

  /// The line without its comments; `had_comment`: something was left out.
  std::string bare(std::string_view line, bool* had_comment) {
    std::string kept;
    char quote = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string_view two = line.substr(i, 2);
      if (in_block) {
        *had_comment = true;
        in_block = two != "*/";
        i += !in_block;
      } else if (quote == 0 && (two == "//" || two == "/*")) {
        *had_comment = true;
        if (two == "//") break;
        in_block = true;
        ++i;
      } else {
        const bool is_separator =
            line[i] == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(line[i - 1]));
        const bool is_quote = line[i] == '"' || (line[i] == '\'' && !is_separator);
        kept += line[i];
        if (quote != 0 && line[i] == '\\' && i + 1 < line.size())
          kept += line[++i];
        else if (is_quote && (quote == 0 || quote == line[i]))
          quote = quote == 0 ? line[i] : '\0';
      }
    }
    if (*had_comment) kept.resize(kept.find_last_not_of(' ') + 1);
    return kept;
  }
};

}  // namespace

BareCode without_comments(std::string_view code) {
  BareCode bare;
  CommentScan scan;
  int number = 0;
  for (const std::string_view line : split_lines(code)) {
    ++number;
    bool had_comment = false;
    // The end of a namespace is known by its comment (without_frame()).
    const bool is_frame = !scan.in_block && line.starts_with("}  // namespace");
    const std::string kept = is_frame ? std::string(line) : scan.bare(line, &had_comment);
    if (had_comment && kept.empty()) continue;
    bare.text += kept + "\n";
    bare.numbers.push_back(number);
  }
  return bare;
}

DiffCount count_changes(const std::vector<DiffLine>& lines) {
  DiffCount count;
  for (const DiffLine& line : lines) {
    count.added += line.kind == DiffLine::Kind::added;
    count.removed += line.kind == DiffLine::Kind::removed;
  }
  return count;
}

namespace {

std::string_view without_indent(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

size_t indent_of(std::string_view text) {
  return text.size() - without_indent(text).size();
}

/// Of a line its code: without what stands around it, and without the comment at its end.
std::string_view code_in(std::string_view line) {
  line = without_indent(line.substr(0, line.find("//")));
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// An initializer's brace opens no block.
bool opens_block(std::string_view code) {
  if (!code.ends_with("{")) return false;
  const std::string_view before = code.substr(0, code.size() - 1);
  const std::string_view opener = code_in(before);
  return opener.empty() ||
         (before.ends_with(" ") && std::string_view("=(,{").find(opener.back()) == before.npos &&
          !opener.ends_with("return"));
}

/// Behind this code begins a statement, or the first line of a block.
bool ends_statement(std::string_view code) {
  if (code.starts_with("#")) return !code.ends_with("\\");
  if (code.ends_with(";"))  // but for one in the head of a loop
    return std::count(code.begin(), code.end(), '(') <= std::count(code.begin(), code.end(), ')');
  if (code.ends_with(":")) {
    constexpr std::string_view kLabels[] = {"case ", "default", "public", "private", "protected"};
    return std::any_of(std::begin(kLabels), std::end(kLabels),
                       [&](std::string_view label) { return code.starts_with(label); });
  }
  return code.ends_with("}") || opens_block(code);
}

bool is_cut(const DiffLine& line) {
  return !line.old_number && !line.new_number;
}

/// The statement of a line before it, in the same text, goes on in it.
bool is_mid_statement(const std::vector<DiffLine>& lines, size_t at) {
  const Kind other = lines[at].kind == Kind::removed ? Kind::added : Kind::removed;
  for (size_t i = at; i-- > 0 && !is_cut(lines[i]);) {
    const std::string_view code = code_in(lines[i].text);
    if (lines[i].kind != other && !code.empty()) return !ends_statement(code);
  }
  return false;
}

bool begins_statement(const std::vector<DiffLine>& lines, size_t at) {
  const std::string_view text = without_indent(lines[at].text);
  constexpr std::string_view kGoesOn[] = {"}", ")", "else"};
  return !text.empty() && !is_mid_statement(lines, at) &&
         std::none_of(std::begin(kGoesOn), std::end(kGoesOn),
                      [&](std::string_view one) { return text.starts_with(one); });
}

/// No statement behind it, up to `end`, stands farther out.
bool is_outermost(const std::vector<DiffLine>& lines, size_t at, size_t end) {
  for (size_t i = at + 1; i < end; ++i) {
    const std::string_view text = lines[i].text;
    const bool is_out = indent_of(text) < indent_of(lines[at].text) && !text.starts_with("#");
    if (is_out && begins_statement(lines, i)) return false;
  }
  return true;
}

/// Each part that is kept begins at a statement: with fewer lines about its first change, else with more.
void begin_at_statements(const std::vector<DiffLine>& lines, std::vector<bool>* keep) {
  constexpr size_t kReach = 12;  // of what is no code none is found
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!(*keep)[i] || (*keep)[i - 1]) continue;
    size_t first = i;
    while (lines[first].kind == Kind::same && !begins_statement(lines, first)) ++first;
    const auto at = [&](size_t line) { return keep->begin() + static_cast<std::ptrdiff_t>(line); };
    if (begins_statement(lines, first)) {
      std::fill(at(i), at(first), false);
      continue;
    }
    first = i;
    while (first > 0 && i - first < kReach && !begins_statement(lines, first)) --first;
    if (begins_statement(lines, first)) std::fill(at(first), at(i), true);
  }
}

}  // namespace

std::vector<DiffLine> fold_equal(const std::vector<DiffLine>& lines, int context) {
  const int count = static_cast<int>(lines.size());
  std::vector<bool> keep(lines.size(), false);
  for (int i = 0; i < count; ++i) {
    if (lines[static_cast<size_t>(i)].kind == DiffLine::Kind::same) continue;
    for (int k = std::max(0, i - context); k <= std::min(count - 1, i + context); ++k) {
      keep[static_cast<size_t>(k)] = true;
    }
  }
  begin_at_statements(lines, &keep);
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

std::vector<DiffLine> without_frame(const std::vector<DiffLine>& lines, bool whole) {
  std::vector<DiffLine> rest;
  for (const DiffLine& line : lines) {
    const bool is_frame = line.text.empty() || line.text.starts_with("#include") ||
                          line.text.starts_with("namespace") ||
                          line.text.starts_with("using namespace") ||
                          line.text.starts_with("}  // namespace");
    const bool stays = line.kind != DiffLine::Kind::same && !whole;
    if (stays || !is_frame) rest.push_back(line);
  }
  return rest;
}

std::vector<DiffLine> without_registration(const std::vector<DiffLine>& lines) {
  std::vector<DiffLine> rest;
  bool is_inside = false;
  for (const DiffLine& line : lines) {
    is_inside |= line.text.starts_with("RIDGE_");
    if (!is_inside) rest.push_back(line);
    if (line.text.ends_with(";")) is_inside = false;
  }
  return rest;
}

namespace {

using Weights = std::vector<size_t>;
using Pairs = std::vector<std::pair<size_t, size_t>>;

/// What a line tells of what the code does: deep inside it most. A comment tells it in words; a line that goes on with the
/// one before stands far right without lying deep.
size_t telling_weight(const std::vector<DiffLine>& lines, size_t at) {
  const std::string_view text = lines[at].text;
  const size_t indent = text.find_first_not_of(' ');
  if (indent == text.npos || text.substr(indent).starts_with("//")) return 0;
  const std::string_view before = at > 0 ? lines[at - 1].text : std::string_view();
  const bool goes_on = !before.empty() && std::string_view(",(").find(before.back()) != before.npos;
  return goes_on ? 1 : 1 + indent / 2;
}

/// The lines of the statements that launch a kernel.
std::vector<bool> launch_lines(const std::vector<DiffLine>& lines) {
  constexpr std::string_view kLaunches[] = {"<<<", "RIDGE_CUDA_LAUNCHED(", "cudaLaunchKernel",
                                            "cudaFuncSetAttribute"};
  std::vector<bool> launches(lines.size(), false);
  for (size_t at = 0; at < lines.size(); ++at) {
    launches[at] = std::any_of(
        std::begin(kLaunches), std::end(kLaunches),
        [&](std::string_view one) { return lines[at].text.find(one) != std::string_view::npos; });
    if (launches[at] || !is_mid_statement(lines, at)) continue;
    const Kind other = lines[at].kind == Kind::removed ? Kind::added : Kind::removed;
    size_t before = at;  // there is one, as the statement began before
    while (before > 0 && lines[--before].kind == other) {
    }
    launches[at] = launches[before];
  }
  return launches;
}

/// A launch tells little: it counts where nothing else does.
Weights telling_weights(const std::vector<DiffLine>& lines) {
  const DiffCount changes = count_changes(lines);
  const bool any = changes.added + changes.removed > 0;  // of code that is the same all lines count
  const std::vector<bool> launches = launch_lines(lines);
  Weights weights(lines.size(), 0);
  bool has_other = false;
  for (size_t at = 0; at < lines.size(); ++at) {
    if (any && lines[at].kind == Kind::same) continue;
    weights[at] = telling_weight(lines, at);
    has_other |= weights[at] > 0 && !launches[at];
  }
  for (size_t at = 0; at < lines.size(); ++at)
    if (has_other && launches[at]) weights[at] = 0;
  return weights;
}

/// How many characters two lines have in common at their ends; 0 where that is less than four fifths of the longer.
size_t likeness(std::string_view one, std::string_view other) {
  const size_t shorter = std::min(one.size(), other.size()),
               longer = std::max(one.size(), other.size());
  size_t head = 0, tail = 0;
  while (head < shorter && one[head] == other[head]) ++head;
  while (head + tail < shorter && one[one.size() - 1 - tail] == other[other.size() - 1 - tail])
    ++tail;
  return 5 * (head + tail) >= 4 * longer ? head + tail : 0;
}

/// Each line that was removed and tells something, with the line in its place where that is much the same: one of them
/// alone does not say what changed. Only those that `room` lines can hold together.
Pairs replaced_lines(const std::vector<DiffLine>& lines, const Weights& weights, size_t room) {
  Pairs pairs;
  const auto end_of_run = [&](size_t at, Kind kind) {
    while (at < lines.size() && lines[at].kind == kind) ++at;
    return at;
  };
  size_t middle = 0;
  for (size_t first = 0; first < lines.size(); first = std::max(middle, first + 1)) {
    middle = end_of_run(first, Kind::removed);
    const size_t end = middle > first ? end_of_run(middle, Kind::added) : middle;
    for (size_t at = first; at < middle; ++at) {
      if (weights[at] < 2) continue;
      size_t best = 0, place = 0;
      for (size_t i = middle; i < std::min(end, at + room); ++i) {
        const size_t like = likeness(code_in(lines[at].text), code_in(lines[i].text));
        if (like <= best) continue;
        best = like;
        place = i;
      }
      if (best > 0) pairs.emplace_back(at, place);
    }
  }
  return pairs;
}

/// Whether one of a pair stands in these lines without the other.
bool parts_any(const Pairs& pairs, size_t first, size_t end) {
  const auto is_in = [&](size_t at) { return first <= at && at < end; };
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const auto& pair) { return is_in(pair.first) != is_in(pair.second); });
}

}  // namespace

std::vector<DiffLine> key_lines(const std::vector<DiffLine>& lines, size_t most) {
  constexpr size_t kCuts = 2;
  if (lines.size() <= most || most <= kCuts) return lines;
  const size_t count = most - kCuts;
  const Weights weights = telling_weights(lines);
  const Pairs pairs = replaced_lines(lines, weights, count);
  // A statement that has no room to its end is left out, where others stand before it; so is what tells nothing behind
  // the last cut.
  const auto end_of = [&](size_t first) {
    const size_t most_end = std::min(first + count, lines.size());
    size_t end = most_end;
    while (end < lines.size() && end > first + 1 && is_mid_statement(lines, end)) --end;
    if (end == first + 1) end = most_end;
    size_t told = end;
    while (told > first + 1 && weights[told - 1] == 0 && !is_cut(lines[told - 1])) --told;
    return told > first + 1 && is_cut(lines[told - 1]) ? told : end;
  };
  const auto weight_from = [&](size_t first) {
    size_t weight = 0;
    bool has_removed = false, has_added = false;
    const size_t end = end_of(first);
    for (size_t i = first; i < end; ++i) {
      weight += weights[i];
      has_removed |= lines[i].kind == Kind::removed && weights[i] > 0;
      has_added |= lines[i].kind == Kind::added && weights[i] > 0;
    }
    if (parts_any(pairs, first, end)) return weight / 4;
    return has_removed && has_added ? weight * 3 / 2 : weight;  // a change is what was and what is
  };
  // The end of another block, or a loop's body without its head, says little: where enough stands in whole blocks, those.
  size_t best = 0, best_whole = 0;
  for (size_t first = 1; first < lines.size(); ++first) {
    if (!begins_statement(lines, first)) continue;
    if (weight_from(first) > weight_from(best)) best = first;
    if (is_outermost(lines, first, end_of(first)) && weight_from(first) > weight_from(best_whole))
      best_whole = first;
  }
  if (3 * weight_from(best_whole) >= weight_from(best)) best = best_whole;
  const size_t end = end_of(best);
  const auto from = lines.begin() + static_cast<std::ptrdiff_t>(best),
             to = lines.begin() + static_cast<std::ptrdiff_t>(end);
  std::vector<DiffLine> key;
  if (from != lines.begin() && !is_cut(*from)) key.emplace_back();
  key.insert(key.end(), from, to);
  if (to != lines.end() && !is_cut(key.back())) key.emplace_back();
  return key;
}

std::vector<CodeRow> rows_of(std::string_view line, size_t columns) {
  constexpr size_t kLeastColumns = 20, kFurther = 4;
  columns = std::max(columns, kLeastColumns);
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const size_t margin = std::min(indent + kFurther, columns / 2);
  std::vector<CodeRow> rows;
  for (size_t at = 0; rows.empty() || at < line.size();) {
    CodeRow row{line.substr(at), rows.empty() ? 0 : margin};
    const size_t room = columns - row.margin;
    if (row.text.size() > room) {
      const size_t space = row.text.rfind(' ', room);
      const bool is_in_code = space != row.text.npos && space > (rows.empty() ? indent : 0);
      row.text = row.text.substr(0, is_in_code ? space : room);
      at += is_in_code;
    }
    at += row.text.size();
    rows.push_back(row);
  }
  return rows;
}

std::vector<DiffLine> wrapped(const std::vector<DiffLine>& lines, size_t columns) {
  std::vector<DiffLine> all;
  for (const DiffLine& line : lines) {
    for (const CodeRow& row : rows_of(line.text, columns)) {
      all.push_back(line);
      all.back().text = row.text;
      all.back().margin = row.margin;
    }
  }
  return all;
}

}  // namespace ridge::app
