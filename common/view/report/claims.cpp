// What may be said of two rungs, and what shows it.
#include <fmt/format.h>

#include <cmath>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/view/chart/distribution.h"
#include "common/view/chart/forest.h"
#include "common/view/chart/paired.h"
#include "common/view/chart/workload.h"
#include "common/view/report/content.h"

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

std::string verdict_words(const Claim& claim) {
  if (!claim.paired) return "not paired: no claim";
  const std::string verdict = to_string(claim.decision.verdict);
  return verdict + "; " + claim.decision.decision;
}

/// What the candidates of all claims have in common.
Params shared_of(const std::vector<Claim>& claims) {
  std::vector<const Comparison*> comparisons;
  for (const Claim& claim : claims) comparisons.push_back(&claim.comparison);
  return shared_params(comparisons);
}

}  // namespace

Section gain_section(const Material& material) {
  Section section{.id = "gain", .title = "What the whole job gains"};
  const Claim& claim = material.claims.back();
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
    section.paragraphs.push_back("The ratio is unresolved: the interval holds both gain and loss.");
  }
  Table table{.columns = {"If this part is", "the whole becomes", "95 % interval", "time saved"}};
  for (const double share : {0.1, 0.3, 0.5, 1.0}) {
    const double gain = whole_gain(share, comparison.ratio);
    const Interval interval{whole_gain(share, comparison.ci->low),
                            whole_gain(share, comparison.ci->high)};
    table.rows.push_back({fmt::format("{:.0f} % of the time", share * 100),
                          format_ratio(gain) + " as fast", format_ratio_interval(interval),
                          format_share(1 - 1 / gain)});
  }
  section.table = std::move(table);
  return section;
}

Section paired_section(const Material& material) {
  Section section{.id = "paired", .title = "The paired interval"};
  Table table{.columns = {"Comparison", "Ratio", "95 % interval", "Margin", "Rounds", "Verdict"}};
  std::vector<ForestRow> rows;
  for (const Claim& claim : material.claims) {
    const Comparison& c = claim.comparison;
    // At several sizes the sides are the same: what differs tells the rows apart.
    const std::string own =
        differing_params(c.candidate_params, shared_of(material.claims), c.size_param);
    const std::string size = own.empty() ? "" : " · " + own;
    const std::string label = sides(claim, *material.options) + size;
    if (!claim.paired) {
      table.rows.push_back(
          {label, unavailable("measured apart"), "", "", "", verdict_words(claim)});
      continue;
    }
    const bool invalid = claim.decision.verdict == Verdict::invalid;
    table.rows.push_back(
        {label, invalid ? unavailable(claim.decision.reason) : format_ratio(c.ratio),
         invalid ? ""
         : c.ci  ? format_ratio_interval(c.ci)
                 : unavailable("too few rounds"),
         format_percent_width(c.margin), format_count(c.rounds), verdict_words(claim)});
    ForestRow row{.label = title_of(c.candidate, *material.options),
                  .sublabel = "against " + title_of(c.baseline, *material.options),
                  .comparison = &c,
                  .verdict = claim.decision.verdict};
    row.sublabel += size;
    row.round_ratios = round_ratios(*claim.run, c);
    rows.push_back(std::move(row));
  }
  section.paragraphs = {
      "Ratio is baseline time over candidate time: above 1 the candidate is faster. Each round "
      "runs both sides in a palindrome whose direction is drawn at random; the interval is the "
      "sign "
      "test's over the rounds."};
  if (rows.empty()) {
    section.paragraphs = {"Nothing here was compared in pairs: there is no ratio and no interval."};
  }
  section.table = std::move(table);
  if (!rows.empty()) section.chart = forest_chart(rows);
  return section;
}

std::vector<Section> spread_sections(const Material& material) {
  const Claim* claim = material.claims.empty() ? nullptr : &material.claims.back();
  if (!claim || !claim->paired || claim->decision.verdict == Verdict::invalid) return {};
  const Comparison& c = claim->comparison;
  const Series sides[2] = {side_of(*claim->run, c, false), side_of(*claim->run, c, true)};
  if (sides[0].samples.empty() || sides[1].samples.empty()) return {};
  const DistributionRow rows[] = {
      {title_of(c.baseline, *material.options), "baseline", &sides[0], true},
      {title_of(c.candidate, *material.options), "candidate", &sides[1], false}};
  Section section{.id = "spread", .title = "How the times spread"};
  section.paragraphs = {
      "Every time per call of both sides of the comparison, in the order they were taken. The "
      "verdict is not read from here: it pairs each round's times."};
  section.chart = distribution_chart(rows);
  section.chart->panels[0].subtitle = "every slot of the rounds";
  return {section};
}

}  // namespace ridge::report
