#include "app/window/teach/measured_limit.h"

#include <algorithm>

#include "app/window/panels/widgets.h"
#include "app/window/teach/step.h"

namespace ridge::window {
namespace {

/// "compute", "latency or occupancy, or memory bandwidth"
std::string names_of(const std::vector<Bottleneck>& causes) {
  std::string names;
  for (size_t i = 0; i < causes.size(); ++i)
    names += (i == 0                   ? ""
              : i + 1 == causes.size() ? ", or "
                                       : ", ") +
             std::string(to_string(causes[i]));
  return names;
}

/// What its run leaves open: the reader believes neither side for more than it is.
std::string why_they_may_differ(const Series& series) {
  if (is_disturbed(series))
    return "other programs ran meanwhile, so measure again before you believe it";
  return std::string("another size or another machine may have another limit") +
         (series.counters.empty() ? ", and no hardware counters were read" : "");
}

/// What a figure is worth that names a limit: none is said to be measured that was only not excluded.
std::string told_limit(const Diagnosis& diagnosis, const std::string& title) {
  constexpr size_t kTelling = 2;
  const std::string said = bottleneck_text(diagnosis) + " limits “" + title + "”";
  const std::string evidence = evidence_text(diagnosis, kTelling);
  switch (diagnosis.basis) {
    case Basis::measured:
      return "Measured: " + said + (evidence.empty() ? "" : ", by " + evidence) + ".";
    case Basis::exclusion:
      return "Not measured, by exclusion: " + said +
             ", since all that was measured is far from its limit" +
             (evidence.empty() ? "" : ": " + evidence) + ".";
    case Basis::construction:
      return "Not measured, by construction: " + said +
             "; nothing that was measured speaks against it.";
  }
  return "";
}

/// Why no counters of this bar were read, and what reads them: one sentence. What was not counted is neither confirmed nor
/// denied.
std::string uncounted(const State& state, const LessonBar& bar, const Diagnosis& found) {
  const Series& series = *bar.series;
  if (series.kind != RungKind::kernel)
    return "This run leaves its limit open: " + found.reason + ".";
  if (state.is_replay() || bar.run != &state.run())
    return "The limit was not counted in this recording.";
  const auto why = series.unavailable.find("counters");
  const bool has_why = why != series.unavailable.end();
  if (has_why && why->second.starts_with(kCountersNotAskedFor))
    return "The limit was not counted: Counters were off in Settings.";
  const Request* request = bar.run->request(series.request);
  if (request && request->mode == RunMode::live)
    return "The limit was not counted in this live run; measure mode counts it.";
  return "The limit was not counted in this run" + (has_why ? ": " + why->second : "") + ".";
}

}  // namespace

std::string what_would_tell(const State& state, const Series& series, const Run& run,
                            const Diagnosis& diagnosis) {
  if (diagnosis.unread == Unread::nothing) return diagnosis.to_do;
  if (state.is_replay() || &run != &state.run())
    return "The run that it comes from read no hardware counters";
  const bool wants_ceilings = diagnosis.unread == Unread::ceilings_and_counters;
  const auto why = series.unavailable.find("counters");
  const bool was_asked =
      why != series.unavailable.end() && !why->second.starts_with(kCountersNotAskedFor);
  // At level Learn no tab leads there.
  const std::string ceilings = "measure the ceilings on the screen Machine (Ctrl K, Machine)";
  if (was_asked && wants_ceilings) return sentence_of(ceilings);
  if (was_asked) return "Hardware counters were not to be had: " + why->second;
  const std::string count = state.selection.counters
                                ? "Run it again: Counters are on in Settings"
                                : "Switch Counters on in Settings and run it again";
  return wants_ceilings ? count + ", or " + ceilings : count;
}

std::string limits_differ(const std::vector<Bottleneck>& expected, const Diagnosis& found,
                          const Series& series) {
  const bool is_expected = std::any_of(expected.begin(), expected.end(),
                                       [&](Bottleneck cause) { return binds(found, cause); });
  if (expected.empty() || is_expected || found.bottleneck == Bottleneck::not_sure) return {};
  const bool is_indirect = found.basis != Basis::measured;
  return "The lesson expects " + names_of(expected) + "; this run shows " + bottleneck_text(found) +
         (is_indirect ? std::string(" ") + to_string(found.basis) + " alone" : "") + ": " +
         why_they_may_differ(series) + ".";
}

std::string unconfirmed_because(const std::vector<Bottleneck>& expected, const Diagnosis& found) {
  return expected.empty() ? sentence_of(found.reason)
                          : "The lesson expects " + names_of(expected) +
                                ", and this run does not confirm it: " + found.reason + ".";
}

MeasuredLimit measured_limit(const State& state, const LessonBar& bar,
                             const std::vector<Bottleneck>& expected) {
  if (!bar.series || !bar.run) return {};
  const auto found = diagnose(*bar.series, *bar.run);
  if (!found) return {};
  if (found->bottleneck == Bottleneck::not_sure && bar.series->counters.empty()) {
    const std::string text = power_sentence(*found) + uncounted(state, bar, *found);
    return {.text = text, .for_room = text, .is_quiet = true};
  }
  if (found->bottleneck == Bottleneck::not_sure)
    return {unconfirmed_sentences(*found, what_would_tell(state, *bar.series, *bar.run, *found)),
            false, unconfirmed_sentences(*found, "")};
  const std::string differ = limits_differ(expected, *found, *bar.series);
  const bool is_doubted = differ.empty() && is_disturbed(*bar.series);
  const std::string text =
      told_limit(*found, bar.title) + (differ.empty() ? "" : " " + differ) +
      (is_doubted ? " Other programs ran meanwhile: measure again before you believe it." : "");
  return {text, true, text};
}

}  // namespace ridge::window
