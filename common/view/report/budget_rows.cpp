#include "common/view/report/budget_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/budget.h"
#include "common/record/clocks.h"
#include "common/record/ratio_text.h"
#include "common/record/trained.h"

namespace ridge {
namespace {

/// What was measured in a line's unit, and how far it may be off either way.
struct Reading {
  std::optional<double> value{};
  double error = 0;
  std::string why{};  ///< there is none
};

std::string reason_of(const Series& series, const char* quantity, const char* otherwise) {
  const auto found = series.unavailable.find(quantity);
  return found == series.unavailable.end() || found->second.empty() ? otherwise : found->second;
}

std::optional<double> accuracy_of(const Series* series) {
  if (!series) return std::nullopt;
  for (auto check = series->checks.rbegin(); check != series->checks.rend(); ++check) {
    const auto found = check->task.find(std::string(kAccuracyMetric));
    if (found != check->task.end() && std::isfinite(found->second)) return found->second;
  }
  return std::nullopt;
}

std::optional<double> usable(double value) {
  return value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// ---- kernels, pipelines, commands ------------------------------------------------------------------

Reading percentile_of(const BudgetLine& line, const Series& series) {
  const LatencyStats latency = series.latency.value_or(LatencyStats());
  const std::string name = line.field;
  Reading reading{.value = name == "p50_ns"   ? latency.p50_ns
                           : name == "p90_ns" ? latency.p90_ns
                           : name == "p95_ns" ? latency.p95_ns
                                              : latency.p99_ns};
  const int needs = name == "p50_ns" ? 2 : name == "p90_ns" ? 29 : name == "p95_ns" ? 59 : 299;
  reading.why = reason_of(
      series, line.field,
      fmt::format("it takes {} single calls, and {} were timed", needs, latency.n).c_str());
  return reading;
}

Reading energy_of(const Comparison& comparison, const Series& series) {
  if (series.energy_j) return {series.energy_j, series.energy_error_j.value_or(0), ""};
  if (comparison.sustained.size() == 2 && comparison.sustained[1].energy_j)
    return {comparison.sustained[1].energy_j, 0, ""};
  return {{}, 0, reason_of(series, "energy_j", "there was no energy pass")};
}

/// A network's scores have an error of their own beside its accuracy.
Reading error_of(const Series& series) {
  const QualityCheck* check = series.quality();
  if (!check) return {{}, 0, "its output was not checked"};
  if (check->task.empty()) return {check->nmse, 0, ""};
  const auto scores = check->task.find("scores_nmse");
  if (scores != check->task.end()) return {scores->second, 0, ""};
  return {{}, 0, "it is judged by its " + check->task.begin()->first};
}

Reading quality_of(const BudgetLine& line, const Series* base, const Series& series) {
  if (line.unit == BudgetUnit::plain) {
    return error_of(series);
  }
  const auto ours = accuracy_of(&series), theirs = accuracy_of(base);
  Reading reading{.why = "no check of it reported an accuracy"};
  if (!ours) return reading;
  if (line.unit == BudgetUnit::accuracy) reading.value = ours;
  if (theirs && line.unit == BudgetUnit::points) reading.value = *theirs - *ours;
  if (theirs && *theirs > 0 && line.unit == BudgetUnit::share) reading.value = *ours / *theirs;
  if (!theirs) reading.why = "no check of the baseline reported an accuracy";
  return reading;
}

Reading reading_of(const BudgetLine& line, const Comparison& comparison, const Series* base,
                   const Series& series) {
  switch (line.unit) {
    case BudgetUnit::time:
      return percentile_of(line, series);
    case BudgetUnit::bytes:
      return {usable(series.memory_bytes), 0, reason_of(series, "memory_bytes", "not counted")};
    case BudgetUnit::energy:
      return energy_of(comparison, series);
    default:
      return quality_of(line, base, series);
  }
}

void judge(const BudgetLine& line, double demanded, const Reading& reading, BudgetRow* row) {
  if (!reading.value || !std::isfinite(*reading.value)) {
    row->why = reading.why;
    return;
  }
  const double value = *reading.value;
  row->value = value;
  row->measured = amount_text(line, value);
  if (line.unit == BudgetUnit::points && value < 0)
    row->measured = "none: " + points_text(-value) + " gained";
  if (reading.error > 0) row->measured += " ± " + amount_text(line, reading.error);
  if (is_floor(line))
    row->met = value >= demanded ? Met::yes : Met::no;
  else
    row->met = value + reading.error <= demanded  ? Met::yes
               : value - reading.error > demanded ? Met::no
                                                  : Met::open;
  if (row->met == Met::open) row->why = "what the counter leaves open reaches over it";
}

// ---- the ratio, whatever the sides are --------------------------------------------------------------

/// The interval shrinks with the root of the number of rounds, and has to fit between the ratio and the demand. Empty: no
/// number of rounds is known to do it.
std::string rounds_to_settle(const Comparison& comparison, double demanded) {
  const double end = demanded < comparison.ratio ? comparison.ci->low : comparison.ci->high;
  const double whole = std::log(end / comparison.ratio),
               fits = std::log(demanded / comparison.ratio);
  const double rounds = comparison.rounds * std::pow(whole / fits, 2);
  const bool is_of_rounds = !comparison.trained && comparison.sustained.empty();
  if (!is_of_rounds || !(rounds > comparison.rounds) || !std::isfinite(rounds)) return "";
  if (rounds > double{kMostTimesAsMany} * comparison.rounds)
    return fmt::format("; it would take over {} times as many rounds", kMostTimesAsMany);
  return "; about " + rough_number(rounds) + " rounds would settle it";
}

void judge_ratio(const Comparison& comparison, double demanded, BudgetRow* row) {
  const bool is_ratio = comparison.ratio > 0 && std::isfinite(comparison.ratio);
  if (!is_ratio || !comparison.ci) {
    row->why =
        comparison.trained ? "too few seeds for an interval" : "too few rounds for an interval";
    return;
  }
  // Digits enough to see on which side of the demand an end of the interval stands.
  const double off_1 = std::max(demanded, 1 / demanded) - 1;
  row->value = comparison.ratio;
  row->measured =
      ratio_text(comparison.ratio, comparison.ci) + " " + ratio_interval_text(comparison.ci, off_1);
  row->met = Met::open;
  if (is_cancelled(comparison)) {
    row->why = "it was cancelled before enough rounds";
  } else if (lacks_sustained(comparison)) {
    row->why = "both sides shared a clock that their load held down";
  } else if (const auto is_reached = reaches(comparison.ci, demanded)) {
    row->met = *is_reached ? Met::yes : Met::no;
  } else {
    row->why = "its interval reaches over it" + rounds_to_settle(comparison, demanded);
  }
}

// ---- trainings: over the seeds ----------------------------------------------------------------------

void judge_accuracy(const TrainedPairs& pairs, double may_lose, BudgetRow* row) {
  row->measured = accuracy_delta_text(pairs);
  if (pairs.accuracy_delta) row->value = -*pairs.accuracy_delta;
  switch (accuracy_stand(pairs, may_lose)) {
    case AccuracyStand::kept:
      row->met = Met::yes;
      return;
    case AccuracyStand::lost:
      row->met = Met::no;
      return;
    case AccuracyStand::open:
      row->met = Met::open;
      row->why = "its interval reaches over it";
      return;
    case AccuracyStand::few:
      row->met = Met::open;
      row->why = fmt::format("{} of the {} seeds that a claim takes were judged", pairs.judged,
                             kSeedsToClaim);
      return;
    case AccuracyStand::unknown:
      row->measured.clear();
      row->why = "no pair was judged to the end";
  }
}

void judge_target(const TrainedPairs& pairs, BudgetRow* row) {
  const TrainedSide& ours = pairs.sides[1];
  const auto all = static_cast<int>(pairs.seeds.size());
  if (!ours.best_accuracy) {
    row->why = "no training was judged";
    return;
  }
  row->met = all > 0 && ours.reached == all ? Met::yes : Met::no;
  row->value = ours.best_accuracy;
  row->measured = fmt::format("reached by {} of {} trainings, the highest {:.4g}", ours.reached,
                              all, *ours.best_accuracy);
  if (ours.reached == 0 && pairs.sides[0].reached == 0)
    row->measured += "; no training of the baseline reached it either";
}

void judge_trained(const BudgetLine& line, double demanded, const TrainedPairs& pairs,
                   BudgetRow* row) {
  if (pairs.sides.size() != 2) {
    row->why = "no seed was trained";
    return;
  }
  const TrainedSide &theirs = pairs.sides[0], &ours = pairs.sides[1];
  switch (line.unit) {
    case BudgetUnit::points:
      return judge_accuracy(pairs, demanded, row);
    case BudgetUnit::accuracy:
      return judge_target(pairs, row);
    case BudgetUnit::share:
      if (theirs.accuracy) return judge_accuracy(pairs, (1 - demanded) * *theirs.accuracy, row);
      row->why = "no training of the baseline was judged";
      return;
    case BudgetUnit::bytes:
      return judge(line, demanded, {usable(ours.memory_bytes), 0, "not counted"}, row);
    case BudgetUnit::energy:
      row->title += " of an epoch";
      return judge(
          line, demanded,
          {ours.epoch_energy_j, 0, pairs.no_energy.empty() ? "not metered" : pairs.no_energy}, row);
    default:
      row->why = "a training has none";
  }
}

}  // namespace

const char* met_text(Met met) {
  switch (met) {
    case Met::yes:
      return "met";
    case Met::no:
      return "not met";
    case Met::open:
      return "not settled";
    case Met::unknown:
      break;
  }
  return "not measured";
}

std::string BudgetRow::sentence() const {
  std::string text = title + " " + demand + ": " + met_text(met);
  if (!measured.empty()) text += ", " + measured;
  if (!why.empty()) text += (measured.empty() ? ": " : "; ") + why;
  return text;
}

std::vector<BudgetRow> judge_budget(const Comparison& comparison, const Series* base,
                                    const Series* candidate, bool is_valid) {
  std::vector<BudgetRow> rows;
  for (const BudgetLine& line : budget_lines()) {
    const auto& demanded = comparison.budget.*(line.value);
    if (!demanded) continue;
    BudgetRow row{.field = line.field,
                  .title = line.title,
                  .demand = demand_text(line, *demanded),
                  .limit = *demanded,
                  .is_quality = is_quality(line)};
    if (!is_valid)
      row.why = "a failed check leaves no figure";
    else if (line.unit == BudgetUnit::ratio)
      judge_ratio(comparison, *demanded, &row);
    else if (comparison.trained)
      judge_trained(line, *demanded, *comparison.trained, &row);
    else if (!candidate)
      row.why = "the run holds no result of the candidate";
    else
      judge(line, *demanded, reading_of(line, comparison, base, *candidate), &row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ridge
