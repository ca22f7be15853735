// What may be said of two rungs, and what shows it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/record/trained.h"
#include "common/view/chart/distribution.h"
#include "common/view/chart/forest.h"
#include "common/view/chart/paired.h"
#include "common/view/chart/workload.h"
#include "common/view/report/content.h"
#include "common/view/report/pair_order.h"

namespace ridge::report {
namespace {

using namespace chart;

bool has_interval(const Comparison& comparison) {
  return comparison.ratio > 0 && std::isfinite(comparison.ratio) && comparison.ci &&
         comparison.ci->low > 0 && std::isfinite(comparison.ci->high);
}

std::string sides(const Claim& claim, const Options& options) {
  return title_of(claim.comparison.candidate, options) + " against " +
         title_of(claim.comparison.baseline, options);
}

/// What the candidates of all claims have in common.
Params shared_of(const std::vector<Claim>& claims) {
  std::vector<const Comparison*> comparisons;
  for (const Claim& claim : claims) comparisons.push_back(&claim.comparison);
  return shared_params(comparisons);
}

}  // namespace

std::string rests_on(const Comparison& comparison) {
  return rounds_text(comparison) + (lacks_sustained(comparison) ? of_clock(comparison) : "");
}

std::string verdict_words(const Claim& claim) {
  if (!claim.paired) return "not paired: no claim";
  // No doubt is left of the ratio that was measured, so that it does not say to measure more of it.
  if (claim.decision.lacks_sustained) return fmt::format("faster at equal clock; {}", kNotSustained);
  return std::string(to_string(claim.decision.verdict)) + "; " + decision_words(claim.decision);
}

Section gain_section(const Material& material) {
  Section section{.id = "gain", .title = "What the whole job gains"};
  const Claim& claim = material.claims.back();
  if (material.claims.size() > 1) section.title += ": " + sides(claim, *material.options);
  const Comparison& comparison = claim.comparison;
  if (!claim.paired || claim.decision.verdict == Verdict::invalid || !has_interval(comparison)) {
    section.paragraphs = {unavailable(!claim.paired ? "not paired, so no ratio is claimed"
                                      : claim.decision.verdict == Verdict::invalid
                                          ? "the comparison is invalid: " + claim.decision.reason
                                          : "there are too few rounds for an interval")};
    return section;
  }
  section.paragraphs = {
      "A part that takes the share p of the time and becomes r times as fast makes the whole "
      "1 / (1 − p + p / r) times as fast. Which share is yours is not measured here."};
  if (claim.decision.verdict == Verdict::unresolved) {
    section.paragraphs.push_back(
        is_cancelled(comparison) ? "The comparison was cancelled: the ratio is of too few rounds."
                                 : "The ratio is unresolved: " +
                                       unresolved_words(comparison.ci, comparison.margin) + ".");
  }
  Table table{.columns = {"If this part is", "the whole becomes", "95 % interval", "time saved"}};
  for (const double share : {0.1, 0.3, 0.5, 1.0}) {
    const double gain = whole_gain(share, comparison.ratio);
    const Interval interval{whole_gain(share, comparison.ci->low),
                            whole_gain(share, comparison.ci->high)};
    table.rows.push_back({fmt::format("{:.0f} % of the time", share * 100),
                          ratio_text(gain, interval) + " as fast", ratio_interval_text(interval, 0),
                          format_share(1 - 1 / gain)});
  }
  section.table = std::move(table);
  return section;
}

namespace {

/// One line of the paired section: a comparison under one of its two verdicts.
struct PairedRow {
  const Claim* claim = nullptr;
  Comparison comparison;
  Verdict verdict = Verdict::unresolved;
  std::string label, words;
  bool leads = true;  ///< false: the verdict beside the one that counts
};

/// The verdict that counts, and the one at equal clock where there is another.
/// `shared`: what all claims have in common.
std::vector<PairedRow> paired_rows(const Material& material, const Claim& claim,
                                   const Params& shared) {
  std::vector<PairedRow> rows;
  const Comparison& c = claim.comparison;
  // At several sizes the sides are the same: what differs tells the rows apart.
  const std::string own = differing_params(c.candidate_params, shared, c.size_param);
  const std::string label = sides(claim, *material.options) + (own.empty() ? "" : " · " + own);
  const bool both = c.equal_clock && claim.decision.verdict != Verdict::invalid;
  rows.push_back({&claim, c, claim.decision.verdict, label + (both ? " · sustained" : ""),
                  verdict_words(claim), true});
  if (!both) return rows;
  rows.push_back({&claim, at_equal_clock(c), c.equal_clock->verdict, label + " · at equal clock",
                  to_string(c.equal_clock->verdict), false});
  return rows;
}

std::vector<std::string> cells_of(const PairedRow& row) {
  const Comparison& c = row.comparison;
  if (!row.claim->paired) return {row.label, unavailable("measured apart"), "", "", "", row.words};
  const bool invalid = row.verdict == Verdict::invalid;
  return {row.label,
          invalid ? unavailable(row.claim->decision.reason) : ratio_text(c.ratio, c.ci),
          invalid ? ""
          : c.ci  ? ratio_interval_text(c.ci, c.margin)
                  : unavailable(c.trained ? "too few seeds" : "too few rounds"),
          format_percent_width(c.margin),
          rests_on(c),
          row.words};
}

}  // namespace

namespace {

/// To the megahertz: two sides differ by a few per cent.
std::string clock_cell(const std::optional<double>& hz) {
  return hz ? mhz_text(*hz) : unavailable("not read");
}

}  // namespace

chart::ChartModel interval_chart(const Material& material,
                                 const std::vector<const Claim*>& claims) {
  std::vector<ForestRow> rows;
  std::vector<PairedRow> paired;
  const Params shared = shared_of(material.claims);
  for (const Claim* claim : claims) {
    for (PairedRow& one : paired_rows(material, *claim, shared)) paired.push_back(std::move(one));
  }
  for (const PairedRow& one : paired) {
    if (!one.leads) continue;
    const Comparison& c = one.comparison;
    ForestRow row{.label = title_of(c.candidate, *material.options),
                  .comparison = &c,
                  .verdict = one.verdict};
    row.sublabel = one.label.substr(std::min(one.label.find(" against ") + 1, one.label.size()));
    row.sublabel = with_stale(row.sublabel, c.stale);
    row.round_ratios = round_ratios(*one.claim->run, c);
    rows.push_back(std::move(row));
  }
  return forest_chart(rows);
}

Section paired_section(const Material& material) {
  Section section{.id = "paired", .title = "The paired interval"};
  Table table{.columns = {"Comparison", "Ratio", "95 % interval", "Margin", "Rests on", "Verdict"}};
  std::vector<const Claim*> paired;
  const Params shared = shared_of(material.claims);
  for (const Claim& claim : material.claims) {
    for (const PairedRow& one : paired_rows(material, claim, shared))
      table.rows.push_back(cells_of(one));
    if (claim.paired) paired.push_back(&claim);
  }
  section.paragraphs = {
      "Ratio is baseline time over candidate time: above 1 the candidate is faster. Each round "
      "runs both sides in a palindrome of balanced order; the interval is the sign test's over the "
      "rounds, or over the pairs of sustained turns."};
  const bool any_trained = std::any_of(material.claims.begin(), material.claims.end(),
                                       [](const Claim& one) { return one.comparison.trained; });
  if (any_trained) {
    section.paragraphs.emplace_back(
        "Of trainings a round is a seed: both sides make their steps in turns, and each place of "
        "the palindrome has the median of its turns.");
  }
  if (paired.empty()) {
    section.paragraphs = {"Nothing here was compared in pairs: there is no ratio and no interval."};
  }
  const bool has_repeats = std::any_of(paired.begin(), paired.end(), [&](const Claim* claim) {
    return weightiest_like(material, *claim) != claim;
  });
  if (has_repeats)
    section.paragraphs.emplace_back(
        "A pair with more than one row was compared in more than one run, and its runs differ by "
        "what the machine did meanwhile. The one with sustained turns counts, else the one of most "
        "rounds.");
  section.table = std::move(table);
  if (paired.size() > chart::kMostForestRows) {
    section.paragraphs.push_back(fmt::format("The chart has the last {} of {}, the table all.",
                                             chart::kMostForestRows, paired.size()));
    paired.erase(paired.begin(), paired.end() - std::ptrdiff_t{chart::kMostForestRows});
  }
  if (!paired.empty()) section.chart = interval_chart(material, paired);
  return section;
}

std::vector<Section> clock_sections(const Material& material) {
  Section section{.id = "clocks", .title = "The clocks"};
  Table table{.columns = {"Side, alone", "Time per call", "SM clock", "Power", "Energy a call"}};
  for (const Claim& claim : material.claims) {
    const Comparison& c = claim.comparison;
    if (!claim.paired || c.clock.empty() || claim.decision.verdict == Verdict::invalid) continue;
    for (const std::string& sentence : clock_sentences(c)) {
      const std::string named =
          material.claims.size() > 1 ? sides(claim, *material.options) + ": " : "";
      // A rung's name keeps its own case: "mma.sync", "cuBLAS".
      section.paragraphs.push_back((named.empty() ? capitalised(sentence) : named + sentence) +
                                   ".");
    }
    for (size_t i = 0; i < c.sustained.size(); ++i) {
      const SustainedSide& side = c.sustained[i];
      const auto figure = [](const std::optional<double>& value, const char* unit) {
        return value ? format_quantity(*value, unit) : unavailable("not read");
      };
      table.rows.push_back({title_of(i == 0 ? c.baseline : c.candidate, *material.options),
                            format_time_ns(side.call_ns), clock_cell(side.sm_clock_hz),
                            figure(side.power_w, "W"), figure(side.energy_j, "J")});
    }
  }
  if (section.paragraphs.empty()) return {};
  if (!table.rows.empty()) section.table = std::move(table);
  return {section};
}

std::vector<Section> trained_sections(const Material& material) {
  std::vector<Section> sections;
  for (const Claim& claim : material.claims) {
    const Comparison& c = claim.comparison;
    if (!c.trained || c.trained->sides.size() != 2) continue;
    Section section{.id = "trainings", .title = "The trainings"};
    if (material.claims.size() > 1) section.title += ": " + sides(claim, *material.options);
    section.paragraphs = {fmt::format(
        "Both sides made {} steps in turns with {}: the same initialisation and order. Times are "
        "of steps alone, medians over the seeds.",
        c.trained->steps, seeds_text(c.trained->seeds))};
    for (const std::string& sentence : trained_sentences(c))
      section.paragraphs.push_back(capitalised(sentence) + ".");
    Table table{.columns = {"Side", "A step", "An epoch", "A training", "Accuracy", "Memory",
                            "Joules an epoch"}};
    for (size_t i = 0; i < c.trained->sides.size(); ++i) {
      const TrainedSide& side = c.trained->sides[i];
      const auto seconds = [](const std::optional<double>& s) {
        return s ? format_time_ns(*s * 1e9) : unavailable("no training was made whole");
      };
      table.rows.push_back(
          {title_of(i == 0 ? c.baseline : c.candidate, *material.options),
           side.step_ns > 0 ? format_time_ns(side.step_ns) : unavailable("no step was timed"),
           seconds(side.epoch_s), seconds(side.total_s),
           side.accuracy ? format_number(*side.accuracy, 4) : unavailable("not judged"),
           side.memory_bytes > 0 ? format_bytes(side.memory_bytes) : unavailable("not counted"),
           side.epoch_energy_j ? format_quantity(*side.epoch_energy_j, "J")
                               : unavailable("not metered")});
    }
    section.table = std::move(table);
    sections.push_back(std::move(section));
  }
  return sections;
}

std::vector<Section> spread_sections(const Material& material) {
  const Claim* claim = material.claims.empty() ? nullptr : &material.claims.back();
  if (!claim || !claim->paired || claim->decision.verdict == Verdict::invalid) return {};
  const Comparison& c = claim->comparison;
  const Series base = side_of(*claim->run, c, false), candidate = side_of(*claim->run, c, true);
  if (base.samples.empty() || candidate.samples.empty()) return {};
  const DistributionRow rows[] = {
      {title_of(c.baseline, *material.options), "baseline", &base, true},
      {title_of(c.candidate, *material.options), "candidate", &candidate, false}};
  Section section{.id = "spread", .title = "How the times spread"};
  if (material.claims.size() > 1) section.title += ": " + sides(*claim, *material.options);
  section.paragraphs = {
      "Every time per call of both sides of the comparison, in the order they were taken. The "
      "verdict is not read from here: it pairs each round's times."};
  section.chart = distribution_chart(rows);
  section.chart->panels[0].subtitle =
      c.trained ? "a step, two turns a seed" : "in turns: every slot of the rounds";
  return {section};
}

}  // namespace ridge::report
