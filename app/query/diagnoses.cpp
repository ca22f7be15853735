#include "app/query/diagnoses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/query/series_table.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/diagnosis.h"

namespace ridge::app {
namespace {

/// Rungs whose evidence is one share of the same thing, or none, on one line: "cpu.a 1.28 %, cpu.b 1.27 % of FMA fp32".
struct SharedEvidence {
  std::string of;     ///< " of FMA fp32, 1 thread"; empty: there is none
  std::string rungs;  ///< with their shares
};

/// What several rungs have in common.
struct Cause {
  std::string text;   ///< "memory bandwidth"; with the reason, where there is one
  std::string lever;  ///< empty: none is known
  std::string to_do;  ///< what would tell the cause; empty: it is known
  std::vector<SharedEvidence> shared;
  std::string lines;  ///< rungs with more to say, one below the other
  /// A later rung that pulls the lever, and the rungs that it is the next one for.
  std::vector<std::pair<std::string, std::vector<std::string>>> next;
};

/// "its caches were not looked at: measure it" -> "its caches were not looked at (measure it)": the rungs follow a
/// colon. What is in brackets already stands behind a comma.
std::string in_brackets(std::string reason) {
  const size_t colon = reason.find(": ");
  if (colon == std::string::npos) return reason;
  if (reason.find('(') != std::string::npos) return reason.replace(colon, 2, ", ");
  return reason.replace(colon, 2, " (") + ")";
}

std::string cause_text(const Diagnosis& diagnosis) {
  const std::string& reason = diagnosis.reason;
  return bottleneck_text(diagnosis) + (reason.empty() ? "" : ", " + in_brackets(reason));
}

std::string details_of(const Series& series) {
  std::string text;
  if (series.resources) {
    for (const DeviceKernel& kernel : series.resources->kernels)
      text += "      " + describe(kernel) + "\n";
  }
  for (const Counter& counter : series.counters)
    text += "      " + counter.name + " " + format_counter(counter) + "\n";
  return text;
}

/// As much of the evidence as one line has room for, the telling one at least.
std::string line_of(const std::string& name, const Diagnosis& diagnosis) {
  std::string line = "    " + name;
  for (size_t most = 3; most > 0 && !diagnosis.evidence.empty(); --most) {
    line = "    " + name + ": " + evidence_text(diagnosis, most);
    if (display_width(line) <= kTextWidth) break;
  }
  return line + "\n";
}

void add_rung(const Series& series, const std::string& name, const Diagnosis& diagnosis,
              Cause* cause) {
  const std::string details = details_of(series);
  if (diagnosis.evidence.size() > 1 || !details.empty()) {
    cause->lines += line_of(name, diagnosis) + details;
    return;
  }
  std::string of, share;
  if (!diagnosis.evidence.empty()) {
    const Utilization& one = diagnosis.evidence.front();
    of = " of " + one.name + (one.source == "counters" ? " (counters)" : "");
    share = " " + format_share(one.value);
  }
  const auto known = std::find_if(cause->shared.begin(), cause->shared.end(),
                                  [&](const SharedEvidence& other) { return other.of == of; });
  SharedEvidence& line = known == cause->shared.end() ? cause->shared.emplace_back() : *known;
  line.of = of;
  line.rungs += (line.rungs.empty() ? "" : ", ") + name + share;
}

void add_next(const std::string& next, const std::string& rung, Cause* cause) {
  const auto known = std::find_if(cause->next.begin(), cause->next.end(),
                                  [&](const auto& other) { return other.first == next; });
  auto& [name, rungs] = known == cause->next.end() ? cause->next.emplace_back() : *known;
  name = next;
  // A rung that was measured at several sizes is named once.
  if (std::find(rungs.begin(), rungs.end(), rung) == rungs.end()) rungs.push_back(rung);
}

std::string text_of(const Cause& cause) {
  std::string rungs;
  for (const SharedEvidence& one : cause.shared)
    rungs += (rungs.empty() ? " " : "; ") + one.rungs + one.of;
  std::string text = wrapped("  " + cause.text + ":" + rungs, text_width(), 4) + "\n" + cause.lines;
  if (!cause.lever.empty()) text += wrapped("    lever: " + cause.lever, text_width(), 6) + "\n";
  if (!cause.to_do.empty()) text += wrapped("    to know: " + cause.to_do, text_width(), 6) + "\n";
  std::string next;
  for (const auto& [name, before] : cause.next)
    next += fmt::format("{}{} after {}", next.empty() ? "" : "; ", name, fmt::join(before, ", "));
  if (!next.empty()) text += wrapped("    rungs that do so: " + next, text_width(), 6) + "\n";
  return text;
}

Cause& cause_of(const Series& series, const Diagnosis& diagnosis, std::vector<Cause>* causes) {
  Cause one{.text = cause_text(diagnosis),
            .lever = lever_of(diagnosis, backend_of(series.kernel)),
            .to_do = diagnosis.to_do,
            .shared = {},
            .lines = {},
            .next = {}};
  const auto known = std::find_if(causes->begin(), causes->end(), [&](const Cause& other) {
    return other.text == one.text && other.lever == one.lever;
  });
  return known == causes->end() ? causes->emplace_back(std::move(one)) : *known;
}

}  // namespace

std::string diagnoses_text(const Run& run, int64_t request, const Lab& lab) {
  const Levers levers = levers_of(lab);
  std::vector<Cause> causes;
  std::vector<std::string> uncounted;  // why; the same for every rung of a backend
  for (const Series& series : run.series()) {
    const bool wanted = request == 0 || series.request == request;
    const auto diagnosis = wanted ? diagnose(series, run) : std::nullopt;
    if (!diagnosis) continue;
    Cause& cause = cause_of(series, *diagnosis, &causes);
    add_rung(series, name_among(run, series), *diagnosis, &cause);
    const std::string next = lever_rung(levers, series.kernel, *diagnosis);
    // At these parameters the rung may have nothing to work on: as many threads as the rung before.
    if (!next.empty() && why_no_step(next, series.params).empty())
      add_next(short_name(next), short_name(series.kernel), &cause);
    const auto missing = series.unavailable.find("counters");
    if (missing == series.unavailable.end()) continue;
    if (std::find(uncounted.begin(), uncounted.end(), missing->second) == uncounted.end())
      uncounted.push_back(missing->second);
  }
  std::string text;
  for (const Cause& cause : causes) text += text_of(cause);
  for (const std::string& why : uncounted)
    text += wrapped("  counters unavailable: " + why, text_width(), 4) + "\n";
  return text.empty() ? "" : "\nbottlenecks\n" + text;
}

std::string last_diagnosis_text(const Run& run, int64_t request) {
  const Series* last = nullptr;
  for (const Series& series : run.series()) {
    if (series.request == request && series.stats && series.quality_passed()) last = &series;
  }
  const auto found = last ? diagnose(*last, run) : std::nullopt;
  if (!found || found->bottleneck == Bottleneck::not_sure) return "";
  const std::string evidence = evidence_text(*found, 1);
  return fmt::format("  {} is limited by {}{}\n", short_name(last->kernel), bottleneck_text(*found),
                     evidence.empty() ? "" : ": " + evidence);
}

}  // namespace ridge::app
