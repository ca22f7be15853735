#include "common/view/chart/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/ratio_text.h"

namespace ridge::chart {
namespace {

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "▲ faster";
    case Verdict::slower:
      return "▼ slower";
    case Verdict::same:
      return "= same";
    case Verdict::unresolved:
      return "? unresolved";
    case Verdict::invalid:
      return "✕ invalid";
  }
  return {};
}

Role verdict_role(Verdict verdict) {
  if (verdict == Verdict::faster) return Role::faster;
  return verdict == Verdict::slower ? Role::slower : Role::muted;
}

/// "▲ faster 2.43× [2.42, 2.43] at equal clock": what its ratio is of is part of the verdict.
std::string figures_text(const ForestRow& row) {
  const Comparison& c = *row.comparison;
  std::string text = verdict_text(row.verdict);
  if (row.verdict == Verdict::invalid) return text;
  return text + " " + ratio_text(c.ratio, c.ci) + " " + ratio_interval_text(c.ci, c.margin) +
         of_clock(c);
}

/// Whether the row claims a speed that neither side was measured at.
bool is_claim_of_cycles(const ForestRow& row) {
  return row.verdict == Verdict::faster && lacks_sustained(*row.comparison);
}

bool is_ratio(double value) {
  return std::isfinite(value) && value > 0;
}

/// Keeps the axis around 1 and everything drawn, with a little air.
struct Reach {
  double low = 1, high = 1;
  void add(double value) {
    if (!is_ratio(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// What a row's verdict rests on; single rounds where it has no interval.
void add_verdict(const ForestRow& row, Reach* reach) {
  const Comparison& comparison = *row.comparison;
  const bool has_verdict = row.verdict != Verdict::invalid && comparison.ci.has_value();
  if (!has_verdict) {
    for (const double ratio : row.round_ratios) reach->add(ratio);
    return;
  }
  reach->add(comparison.ratio);
  reach->add(comparison.ci->low);
  reach->add(comparison.ci->high);
  if (comparison.equal_clock) reach->add(comparison.equal_clock->ratio);
}

/// Where the verdict is of sustained turns: what the rounds came to, whose the dots are.
void add_equal_clock(const Comparison& comparison, int index, Panel* panel) {
  const PairedVerdict& equal = *comparison.equal_clock;
  if (!is_ratio(equal.ratio)) return;
  Mark mark{.row = index, .value = equal.ratio, .role = Role::muted, .marker = Marker::diamond};
  mark.interval = equal.ci;
  mark.beside = true;
  mark.note = fmt::format("at equal clock: {} {} {}, {} rounds", to_string(equal.verdict),
                          ratio_text(equal.ratio, equal.ci),
                          ratio_interval_text(equal.ci, comparison.margin), equal.rounds);
  panel->marks.push_back(mark);
}

bool is_beyond(double ratio, const Axis& axis) {
  return ratio < axis.low || ratio > axis.high;
}

/// Returns how many single rounds of a pair on the axis lie beyond it.
int add_row(const ForestRow& row, int index, Panel* panel) {
  int beyond = 0;
  const Comparison& comparison = *row.comparison;
  // Spread by the golden ratio: neighbours in time do not cover one another, with no randomness.
  double spread = 0;
  for (const double ratio : row.round_ratios) {
    spread = std::fmod(spread + 0.6180339887, 1.0);
    if (!is_ratio(ratio)) continue;
    if (is_beyond(ratio, panel->axis)) {
      ++beyond;
      continue;
    }
    Mark dot{.row = index, .value = ratio, .role = Role::muted, .marker = Marker::dot};
    dot.quiet = true;
    dot.offset = static_cast<float>(spread * 1.6 - 0.8);
    panel->marks.push_back(dot);
  }
  const bool has_ratio = row.verdict != Verdict::invalid && is_ratio(comparison.ratio);
  if (!has_ratio) return beyond;
  if (comparison.equal_clock) add_equal_clock(comparison, index, panel);
  Mark mark{.row = index,
            .value = comparison.ratio,
            .role = verdict_role(row.verdict),
            .marker = Marker::diamond};
  mark.interval = comparison.ci;
  if (is_beyond(comparison.ratio, panel->axis)) beyond = 0;  // the pair as a whole does
  mark.bare = true;  // beside the dots it would stand far from its diamond
  mark.note = fmt::format("{}: {} {}, {}, margin {}", row.label,
                          ratio_text(comparison.ratio, comparison.ci),
                          ratio_interval_text(comparison.ci, comparison.margin),
                          rounds_text(comparison), format_percent_width(comparison.margin));
  panel->marks.push_back(mark);
  return beyond;
}

/// The rounds but for the twentieth that lies furthest out: a round that was disturbed does not set the scale on which a
/// margin of a few per cent is read, and scatter does not look tidy because it was cut.
void add_most_rounds(const ForestRow& row, Reach* reach) {
  std::vector<double> ratios;
  std::copy_if(row.round_ratios.begin(), row.round_ratios.end(), std::back_inserter(ratios),
               is_ratio);
  const double middle = is_ratio(row.comparison->ratio) ? row.comparison->ratio : 1;
  std::sort(ratios.begin(), ratios.end(), [&](double a, double b) {
    return std::abs(std::log(a / middle)) < std::abs(std::log(b / middle));
  });
  ratios.resize(ratios.size() - ratios.size() / 20);
  for (const double ratio : ratios) reach->add(ratio);
}

/// How far a verdict with its interval is from 1, as a logarithm.
double distance_of(const ForestRow& row) {
  Reach reach;
  add_verdict(row, &reach);
  return std::max(std::log(reach.high), -std::log(reach.low));
}

/// The distance that the axis holds. Of many pairs a sixth at most lies beyond: those more than half as far again from 1 as
/// all others. A pair of 0.01 would press the rest, which are read against a margin of a few per cent, into one line.
double farthest_shown(std::span<const ForestRow> rows) {
  constexpr size_t kOneOf = 6;
  constexpr double kFar = 1.5, kNear = 0.1;  // closer than 1.1× nothing is far
  std::vector<double> distances;
  for (const ForestRow& row : rows) distances.push_back(distance_of(row));
  std::sort(distances.begin(), distances.end());
  const size_t kept = distances.size() - distances.size() / kOneOf;
  if (kept == 0 || kept == distances.size()) return std::numeric_limits<double>::infinity();
  const double far = std::max(distances[kept - 1], kNear) * kFar;
  const auto beyond = std::upper_bound(distances.begin(), distances.end(), far);
  return beyond == distances.begin() ? far : *(beyond - 1);
}

/// Around 1 and the verdicts with their intervals, with room for most of their rounds: a win of 7.6× that is an arrow at
/// the edge of 1.06 is not seen.
void set_reach(std::span<const ForestRow> all, double margin, Axis* axis) {
  constexpr double kAir = 0.35, kMostAir = 1.6, kEdge = 0.05;
  const double farthest = farthest_shown(all);
  std::vector<ForestRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [&](const ForestRow& row) { return distance_of(row) <= farthest; });
  Reach reach;
  for (const ForestRow& row : rows) add_verdict(row, &reach);
  reach.add(1 + 2 * margin);
  reach.add(1 / (1 + 2 * margin));
  const double air = std::min(std::pow(reach.high / reach.low, kAir), kMostAir);
  Reach rounds;
  for (const ForestRow& row : rows) add_most_rounds(row, &rounds);
  const double edge = std::pow(rounds.high / rounds.low, kEdge);
  axis->low = std::min(reach.low / air, rounds.low / edge);
  axis->high = std::max(reach.high * air, rounds.high * edge);
}

/// "arrow: 2 pairs beyond the axis, down to 0.0097×".
std::string beyond_text(std::span<const ForestRow> rows, const Axis& axis) {
  int count = 0;
  const Comparison *least = nullptr, *most = nullptr;
  for (const ForestRow& row : rows) {
    const Comparison& one = *row.comparison;
    if (row.verdict == Verdict::invalid || !is_ratio(one.ratio) || !is_beyond(one.ratio, axis))
      continue;
    ++count;
    if (one.ratio < axis.low && (!least || one.ratio < least->ratio)) least = &one;
    if (one.ratio > axis.high && (!most || one.ratio > most->ratio)) most = &one;
  }
  if (count == 0) return "";
  std::string text = fmt::format("arrow: {} pair{} beyond the axis", count, count == 1 ? "" : "s");
  if (least) text += ", down to " + ratio_text(least->ratio, least->ci);
  if (most) text += ", up to " + ratio_text(most->ratio, most->ci);
  return text;
}

}  // namespace

ChartModel forest_chart(std::span<const ForestRow> rows, const std::string& title) {
  ChartModel model{.id = "forest", .title = title};
  Panel ratios{.title = "Baseline time ÷ candidate time", .metric = "ratio", .weight = 3};
  ratios.subtitle = "right of 1 is faster";
  ratios.axis = {.title = "Ratio", .scale = Scale::log};
  Panel verdicts{.title = "Verdict", .subtitle = "ratio and 95 % interval", .is_column = true};
  double margin = 0;
  for (const ForestRow& row : rows) margin = std::max(margin, row.comparison->margin);
  set_reach(rows, margin, &ratios.axis);
  int beyond = 0;
  bool has_two = false;
  model.summary = fmt::format("{} paired comparison{}.", rows.size(), rows.size() == 1 ? "" : "s");
  for (size_t i = 0; i < rows.size(); ++i) {
    const ForestRow& row = rows[i];
    model.rows.push_back({.label = row.label, .sublabel = row.sublabel});
    const Comparison& comparison = *row.comparison;
    beyond += add_row(row, static_cast<int>(i), &ratios);
    const std::string figures = figures_text(row);
    const std::string text =
        figures + (is_claim_of_cycles(row) ? std::string("; ") + kNotSustained : "");
    verdicts.row_reasons.push_back(text);
    verdicts.row_briefs.push_back(figures);
    verdicts.row_roles.push_back(verdict_role(row.verdict));
    ratios.row_reasons.push_back(row.verdict == Verdict::invalid ? "✕ no ratio: a check failed"
                                                                 : "no ratio");
    has_two = has_two || comparison.equal_clock;
    model.summary += " " + row.label + ": " + text + ".";
  }
  if (margin > 0) {
    ratios.bands.push_back({1 / (1 + margin), 1 + margin,
                            "1 " + format_percent_width(margin) + ": too small to count"});
  }
  ratios.rules.push_back({1, margin > 0 ? "" : "1: no difference", Role::text});
  model.panels = {ratios, verdicts};
  model.legend = {"diamond: median of the rounds or turns", "whisker: sign-test interval, 95 %"};
  const bool has_dots = std::any_of(rows.begin(), rows.end(),
                                    [](const ForestRow& row) { return !row.round_ratios.empty(); });
  if (has_dots) model.legend.push_back("dots: single rounds");
  if (const std::string pairs = beyond_text(rows, ratios.axis); !pairs.empty())
    model.legend.insert(model.legend.begin(), pairs);
  if (beyond > 0)
    model.legend.push_back(fmt::format("{} single round{} beyond the axis, not drawn", beyond,
                                       beyond == 1 ? "" : "s"));
  if (has_two) model.legend.push_back("hollow: at equal clock; the other is sustained");
  if (std::any_of(rows.begin(), rows.end(),
                  [](const ForestRow& row) { return lacks_sustained(*row.comparison); }))
    model.legend.push_back(fmt::format("at equal clock: {}", kNotSustained));
  return model;
}

}  // namespace ridge::chart
