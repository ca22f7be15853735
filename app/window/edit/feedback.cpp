#include "app/window/edit/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/query/diff.h"
#include "common/core/format.h"
#include "common/record/assembly.h"
#include "common/record/diagnosis.h"

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

std::string loop_origin_sentence(const Editing& editing, const AssemblyText& listing) {
  const LineSpan written = written_lines(editing.original, editing.built);
  if (written.empty() || listing.loop_first == 0 || listing.origins.empty()) return "";
  int own = 0, other = 0;
  for (int64_t line = listing.loop_first; line <= listing.loop_last; ++line) {
    const auto at = static_cast<size_t>(line - 1);
    const int origin = at < listing.origins.size() ? listing.origins[at] : 0;
    if (origin > 0) ++(written.contains(origin) ? own : other);
  }
  const std::string yours = fmt::format("lines {} to {}", written.first, written.last);
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

/// What the machine code shows, where it shows a cause.
std::string cause_in_code(const AssemblyText* listing) {
  if (!listing || listing->loop_first == 0) return "";
  const LoopLanes lanes = loop_lanes(*listing);
  if (lanes.scalar > 0 && lanes.scalar >= lanes.packed)
    return fmt::format(
        "Likely cause: the marked loop computes one number an instruction ({} scalar, {} packed); "
        "the "
        "compiler did not vectorise it. Can each pass of the innermost loop be made without the "
        "result "
        "of the pass before it, and does it read neighbours in memory?",
        lanes.scalar, lanes.packed);
  return "";
}

std::string cause_measured(const State& state, const Series& series) {
  const auto found = diagnose(series, state.run().ceilings(), state.run().environment());
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
  std::string text = "Right, but a call takes " + format_ratio(1 / comparison.ratio) +
                     " as long as one of " + original +
                     ". The exercise is solved when it is as fast.";
  const AssemblyText* listing = find_assembly(state, editing.id);
  const std::string code = cause_in_code(listing);
  const Series* series = timed_series(state, editing.id);
  const std::string binds = series ? cause_measured(state, *series) : "";
  if (!code.empty()) text += " " + code;
  if (!binds.empty()) text += " " + binds;
  if (!code.empty() || !binds.empty()) return text;
  const LoopLanes lanes = listing ? loop_lanes(*listing) : LoopLanes{};
  const bool is_wide = lanes.packed > 0;
  return text + " The cause is not known" +
         (is_wide ? fmt::format(": the marked loop is vectorised, {} bits wide", lanes.bytes * 8)
                  : std::string()) +
         ". Look at how often your loops read the same number, in which order they walk through "
         "memory, and what is done again in each pass.";
}

}  // namespace ridge::window
