#include "app/window/edit/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/query/diff.h"
#include "common/core/format.h"
#include "common/record/assembly.h"
#include "common/record/diagnosis.h"
#include "common/record/ratio_text.h"

namespace ridge::window {

LineSpan written_lines(const std::string& original, const std::string& text) {
  const auto before = app::split_lines(original), now = app::split_lines(text);
  const size_t both = std::min(before.size(), now.size());
  size_t same = 0, same_end = 0;
  while (same < both && before[same] == now[same]) ++same;
  while (same_end < both - same &&
         before[before.size() - 1 - same_end] == now[now.size() - 1 - same_end])
    ++same_end;
  return {static_cast<int>(same) + 1, static_cast<int>(now.size() - same_end)};
}

namespace {

/// A line of a listing, "  2965c3  jle +0x1f6": its address, and where it jumps to.
struct ListedLine {
  std::optional<uint64_t> address, jumps_to;
  int numbers = 0;  ///< that it computes
};

std::optional<uint64_t> hexadecimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return is_whole ? std::optional(value) : std::nullopt;
}

/// Jumps stand as offsets into their function, whose first address is that of the line behind its name.
std::vector<ListedLine> listed_lines(const AssemblyText& listing) {
  std::vector<ListedLine> lines;
  std::optional<uint64_t> function;
  bool begins = false;
  for (const std::string_view text : app::split_lines(listing.text)) {
    std::istringstream words{std::string(text)};
    std::string address, mnemonic, target;
    words >> address >> mnemonic >> target;
    ListedLine line;
    line.address = hexadecimal(address);
    if (!text.starts_with(' ')) function.reset(), begins = true;
    if (begins && line.address) function = line.address, begins = false;
    if (!line.address) begins = begins && !text.starts_with(' ');
    if (mnemonic.starts_with('j') && target.starts_with("+0x") && function) {
      if (const auto offset = hexadecimal(std::string_view(target).substr(3)))
        line.jumps_to = *function + *offset;
    }
    line.numbers = numbers_computed(std::string(text));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

OwnLoops own_loops(const AssemblyText& listing, const LineSpan& written) {
  OwnLoops found;
  double widest = 0, densest = 0;
  if (written.empty() || listing.target != "x86-64") return found;
  const std::vector<ListedLine> lines = listed_lines(listing);
  const auto is_own = [&](size_t at) {
    return at < listing.origins.size() && written.contains(listing.origins[at]);
  };
  for (size_t end = 0; end < lines.size(); ++end) {
    if (!lines[end].jumps_to) continue;
    size_t begin = end;
    while (begin > 0 && lines[begin].address != lines[end].jumps_to) --begin;
    if (begin == 0) continue;  // forward, or out of what is listed
    int own = 0, other = 0, numbers = 0;
    for (size_t at = begin; at <= end; ++at) {
      if (lines[at].numbers == 0) continue;
      ++(is_own(at) ? own : other);
      if (is_own(at)) numbers += lines[at].numbers;
    }
    if (own <= other) continue;
    const LineSpan loop = {static_cast<int>(begin) + 1, static_cast<int>(end) + 1};
    // An instruction of the inner loop computes more than one of the loop around it.
    const double each = static_cast<double>(numbers) / static_cast<double>(end - begin + 1);
    if (each > widest) widest = each, found.widest = loop;
    if (numbers == own && each > densest) densest = each, found.scalar = loop;
  }
  if (found.scalar.first == found.widest.first) found.scalar = {};
  return found;
}

namespace {

/// "line 4", "lines 4 to 6".
std::string lines_text(const LineSpan& lines) {
  return lines.first == lines.last ? fmt::format("line {}", lines.first)
                                   : fmt::format("lines {} to {}", lines.first, lines.last);
}

}  // namespace

std::string own_loops_sentence(const OwnLoops& loops, const LineSpan& written) {
  std::string text = "Marked, " + lines_text(loops.widest) +
                     ": the loop that is made of what you wrote, " + lines_text(written) +
                     " of the file.";
  if (!loops.scalar.empty())
    text += fmt::format(
        " Lines {} to {} do the same one number at a time: the remainder, or what runs instead "
        "when arrays overlap.",
        loops.scalar.first, loops.scalar.last);
  return text;
}

std::string loop_origin_sentence(const Editing& editing, const AssemblyText& listing) {
  const LineSpan written = written_lines(editing.original, editing.built);
  if (written.empty() || listing.loop_first == 0 || listing.origins.empty()) return "";
  int own = 0, other = 0;
  for (int64_t line = listing.loop_first; line <= listing.loop_last; ++line) {
    const auto at = static_cast<size_t>(line - 1);
    const int origin = at < listing.origins.size() ? listing.origins[at] : 0;
    if (origin > 0) ++(written.contains(origin) ? own : other);
  }
  const std::string yours = lines_text(written);
  if (own > 0 && own >= other) return "It is made of what you wrote, " + yours + ".";
  if (own > 0)
    return "Only a part of it is made of what you wrote, " + yours +
           ": point at your lines, and their instructions light up.";
  return "It is not made of what you wrote, " + yours +
         ". Which loop is yours is not sure: point at your lines, and their instructions light up.";
}

namespace {

/// The last run of the edit that gave a time.
const Series* timed_series(const State& state, const std::string& kernel) {
  const auto& all = state.run().series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->kernel == kernel && it->stats && it->quality_passed()) return &*it;
  }
  return nullptr;
}

/// A compiler's reason, as GCC or Clang says it, in plain words; empty: none is known for it.
std::string plain_reason(const std::string& said) {
  struct Plain {
    const char *has, *means;
  };
  constexpr const char* kOverlap =
      "it cannot know that the arrays of this loop do not overlap, and checking every pair of them "
      "takes more tests than it allows. Read what the loop does not change into variables before "
      "it, "
      "and each element that is used several times into a variable inside it: fewer places in "
      "memory "
      "are fewer pairs";
  constexpr const char* kDepends =
      "a pass of the loop may need what a pass before it wrote. Write each result where no later "
      "pass "
      "reads";
  constexpr const char* kCall =
      "the loop calls a function, or computes what has no vector instruction";
  constexpr const char* kBranch = "the loop has a branch inside. Take the decision out of the loop";
  constexpr const char* kCount =
      "the number of passes is not known before the loop. Compute it first, and count up to it";
  constexpr const char* kOrder =
      "each pass adds to the result of the pass before, and floating-point additions keep their "
      "order";
  constexpr Plain kPlain[] = {{"alias run-time tests", kOverlap},
                              {"cannot identify array bounds", kOverlap},
                              {"dependence between data-refs", kDepends},
                              {"unsafe dependent memory", kDepends},
                              {"function is not vectorizable", kCall},
                              {"relevant stmt not supported", kCall},
                              {"call", kCall},
                              {"control flow", kBranch},
                              {"number of iterations", kCount},
                              {"unsupported use in stmt", kOrder},
                              {"reorder floating-point", kOrder},
                              {"not profitable", "it takes vectors to be slower here"},
                              {"not beneficial", "it takes vectors to be slower here"}};
  for (const Plain& one : kPlain) {
    if (said.find(one.has) != said.npos) return one.means;
  }
  return "";
}

/// What the compiler said of a loop in these lines; null: nothing. Of several the last: the inner one of a nest.
const CompileMessage* remark_in(const EditBuild* build, const LineSpan& written) {
  if (!build) return nullptr;
  const CompileMessage* found = nullptr;
  for (const CompileMessage& message : build->messages) {
    if (message.kind == "remark" && written.contains(message.line)) found = &message;
  }
  return found;
}

/// What the machine code of the lines that were written shows, where it shows a cause. Of other loops nothing is
/// concluded: a listing that is not linked with its lines shows none.
std::string cause_in_code(const State& state, const LineSpan& written, const LoopLanes& lanes) {
  if (lanes.scalar == 0 || lanes.packed > 0) return "";
  std::string text = "Likely cause: the compiler did not vectorise your loop; ";
  const CompileMessage* remark = remark_in(last_build(state), written);
  if (!remark)
    return text +
           "what you wrote computes one number an instruction. Can each pass of the innermost "
           "loop be made without the result of the pass before it, and does it read "
           "neighbours in memory?";
  const std::string plain = plain_reason(remark->text);
  text += fmt::format("of line {} it says: “{}”.", remark->line, remark->text);
  if (!plain.empty()) text += " That is: " + plain + ".";
  if (hint_blocker(state).empty()) text += " The button Hint shows what the exercise advises.";
  return text;
}

std::string cause_measured(const State& state, const Series& series) {
  const auto found = diagnose(series, state.run());
  if (!found || found->bottleneck == Bottleneck::not_sure) return "";
  const std::string evidence = evidence_text(*found, 2);
  return "What binds it: " + bottleneck_text(*found) +
         (evidence.empty() ? "." : ". Measured: " + evidence + ".");
}

}  // namespace

std::string slow_sentence(const State& state, const Comparison& comparison) {
  const Editing& editing = *state.editing;
  const bool is_slow =
      comparison.verdict == Verdict::slower || comparison.verdict == Verdict::unresolved;
  if (editing.exercise.empty() || !is_slow || !(comparison.ratio > 0)) return "";
  const std::string original = "“" + rung_title(state.ladder, editing.kernel) + "”";
  if (comparison.verdict == Verdict::unresolved)
    return "Right, and not shown to be as fast as " + original +
           ", which the exercise asks for. Save it again, and the comparison is made again.";
  std::string text =
      "Right, but a call takes " + ratio_text(1 / comparison.ratio, inverse(comparison.ci)) +
      " as long as one of " + original + ". The exercise is solved when it is as fast.";
  const AssemblyText* listing = edit_listing(state);
  const LineSpan written = written_lines(editing.original, editing.built);
  const LoopLanes lanes = listing && !written.empty()
                              ? lanes_of_lines(*listing, written.first, written.last)
                              : LoopLanes{};
  const std::string code = cause_in_code(state, written, lanes);
  const Series* series = timed_series(state, editing.id);
  const std::string binds = series ? cause_measured(state, *series) : "";
  if (!code.empty()) text += " " + code;
  if (!binds.empty()) text += " " + binds;
  if (!code.empty() || !binds.empty()) return text;
  return text + " The cause is not known" +
         (lanes.packed > 0
              ? fmt::format(": what you wrote is vectorised, {} bits wide", lanes.bytes * 8)
              : std::string()) +
         ". Look at how often your loops read the same number, in which order they walk through "
         "memory, and what is done again in each pass.";
}

}  // namespace ridge::window
