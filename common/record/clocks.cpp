#include "common/record/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/core/format.h"
#include "common/record/ratio_text.h"
#include "common/record/trained.h"

namespace ridge {
namespace {

/// "7.7 % lower", of b against a.
std::string change_text(double a, double b, const char* more, const char* less) {
  return fmt::format("{:.1f} % {}", std::fabs(b / a - 1) * 100, b > a ? more : less);
}

/// Of the energy of one cycle, b against a; empty where power or clock is not known.
std::string cycle_energy_text(const SustainedSide& a, const SustainedSide& b) {
  if (!a.power_w || !b.power_w) return "";
  return ", each of its cycles takes " + change_text(*a.power_w / *a.sm_clock_hz,
                                                     *b.power_w / *b.sm_clock_hz, "more energy",
                                                     "less energy");
}

/// What the clocks explain of the difference, and where they do not.
std::string why_they_differ(const Comparison& comparison) {
  constexpr double kExplained = 0.01;
  const SustainedSide &base = comparison.sustained[0], &ours = comparison.sustained[1];
  std::string text = "interleaved sides share one clock, so that their ratio is one of cycles";
  if (!base.sm_clock_hz || !ours.sm_clock_hz) return text + "; their clocks alone are not known";
  const double clocks = *ours.sm_clock_hz / *base.sm_clock_hz;
  text += "; alone, the candidate's clock is " +
          change_text(*base.sm_clock_hz, *ours.sm_clock_hz, "higher", "lower") +
          cycle_energy_text(base, ours);
  const double both = comparison.equal_clock->ratio * clocks;
  if (std::fabs(both / comparison.ratio - 1) <= kExplained) return text;
  return text + fmt::format("; cycles and clock together make {}, which does not explain all of it",
                            format_ratio(both));
}

}  // namespace

std::string rounds_text(const Comparison& comparison) {
  if (comparison.sustained.empty()) {
    return pairs_text(comparison, comparison.rounds);
  }
  return fmt::format("{} sustained turns a side", comparison.rounds);
}

bool clocks_disagree(const Comparison& comparison) {
  return comparison.equal_clock && comparison.equal_clock->verdict != comparison.verdict;
}

bool lacks_sustained(const Comparison& comparison) {
  return comparison.sustained.empty() && comparison.cache != CacheMode::cold &&
         comparison.clock_held;
}

const char* of_clock(const Comparison& comparison) {
  if (!comparison.sustained.empty()) return " sustained";
  return lacks_sustained(comparison) ? " at equal clock" : "";
}

Verdict supported_verdict(const PairedVerdict& judged) {
  const bool finite = judged.ci && std::isfinite(judged.ci->low) &&
                      std::isfinite(judged.ci->high) && std::isfinite(judged.ratio);
  switch (judged.verdict) {
    case Verdict::faster:
      return finite && judged.ci->low > 1 ? Verdict::faster : Verdict::unresolved;
    case Verdict::slower:
      return finite && judged.ci->high < 1 ? Verdict::slower : Verdict::unresolved;
    case Verdict::same:
      return finite ? Verdict::same : Verdict::unresolved;
    default:
      return judged.verdict;
  }
}

bool is_cancelled(const Comparison& comparison) {
  const auto& reasons = comparison.reasons;
  return supported_verdict(comparison) == Verdict::unresolved &&
         std::find(reasons.begin(), reasons.end(), kCancelledReason) != reasons.end();
}

Comparison at_equal_clock(const Comparison& comparison) {
  Comparison interleaved = comparison;
  if (!comparison.equal_clock) return interleaved;
  static_cast<PairedVerdict&>(interleaved) = *comparison.equal_clock;
  interleaved.equal_clock.reset();
  interleaved.sustained.clear();
  return interleaved;
}

namespace {

void turn(PairedVerdict* judged) {
  if (judged->ratio > 0) judged->ratio = 1 / judged->ratio;
  judged->ci = inverse(judged->ci);
  judged->verdict = judged->verdict == Verdict::faster   ? Verdict::slower
                    : judged->verdict == Verdict::slower ? Verdict::faster
                                                         : judged->verdict;
}

}  // namespace

bool can_turn(const Comparison& comparison) {
  return !comparison.trained;
}

Comparison turned_round(Comparison comparison) {
  turn(&comparison);
  if (comparison.equal_clock) turn(&*comparison.equal_clock);
  std::swap(comparison.baseline, comparison.candidate);
  std::swap(comparison.baseline_params, comparison.candidate_params);
  std::swap(comparison.baseline_index, comparison.candidate_index);
  std::reverse(comparison.sustained.begin(), comparison.sustained.end());
  comparison.budget = {};  // it was demanded of the other side
  return comparison;
}

std::string mhz_text(double hz) {
  return fmt::format("{:.0f} MHz", hz * 1e-6);
}

std::string clocks_text(const Utilization& share) {
  if (!(share.clock_hz > 0) || !(share.ceiling_clock_hz > 0)) return "";
  return " at " + mhz_text(share.clock_hz) + ", the ceiling at " + mhz_text(share.ceiling_clock_hz);
}

std::string side_clock_text(const SustainedSide& side) {
  std::string text = format_time_ns(side.call_ns);
  if (side.sm_clock_hz) text += " at " + mhz_text(*side.sm_clock_hz);
  if (side.power_w) text += fmt::format(", {:.0f} W", *side.power_w);
  if (side.energy_j) text += ", " + format_quantity(*side.energy_j, "J") + " a call";
  return text;
}

std::vector<std::string> clock_sentences(const Comparison& comparison) {
  std::vector<std::string> sentences;
  if (comparison.sustained.size() == 2 && comparison.equal_clock) {
    const PairedVerdict& equal = *comparison.equal_clock;
    sentences.push_back(fmt::format("interleaved, at one clock for both: {}, {} {}, {} rounds",
                                    to_string(equal.verdict), ratio_text(equal.ratio, equal.ci),
                                    ratio_interval_text(equal.ci, comparison.margin),
                                    equal.rounds));
    if (clocks_disagree(comparison)) sentences.push_back(why_they_differ(comparison));
    sentences.push_back(fmt::format("alone: the baseline takes {}, the candidate {}",
                                    side_clock_text(comparison.sustained[0]),
                                    side_clock_text(comparison.sustained[1])));
  }
  if (!comparison.clock.empty()) sentences.push_back(comparison.clock);
  return sentences;
}

}  // namespace ridge
