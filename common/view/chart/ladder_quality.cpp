#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/core/format.h"
#include "common/view/chart/ladder_parts.h"

namespace ridge::chart::parts {

Panel error_panel(const std::vector<Entry>& entries, const std::string& task_metric) {
  Panel panel{.title = "Error vs float64", .metric = "error_nmse", .weight = 1.1f, .stays = true};
  panel.axis = {.title = "Error", .unit = "NMSE", .scale = Scale::log, .scientific = true};
  double low = INFINITY, high = 0;
  std::set<double> limits;
  bool any_exact = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const QualityCheck* check = entry.series ? entry.series->quality() : nullptr;
    const bool by_task = check && is_judged_by(*check, task_metric);
    panel.row_reasons.push_back(!entry.reason.empty() ? entry.reason
                                : by_task             ? "judged by " + task_metric
                                                      : "no check in this run");
    if (!check || by_task || !std::isfinite(check->nmse) ||
        (!entry.reason.empty() && !entry.failed))
      continue;
    if (check->nmse_limit > 0) limits.insert(check->nmse_limit);
    // A sum of squares leaves out what is not a number: its 0 would be called exact.
    const bool is_nan = check->nan_count > 0;
    const double nmse = is_nan ? 0 : check->nmse;
    Mark mark{
        .row = static_cast<int>(i), .value = nmse, .role = Role::series1, .marker = Marker::dot};
    mark.hatched = entry.hatched;
    if (is_nan) mark.label = "NaN";
    if (entry.row->is_baseline || entry.row->is_peer) mark.role = Role::baseline;
    if (entry.failed) {
      mark.role = Role::limit;
      mark.marker = Marker::cross;
    }
    mark.note = with_how(
        fmt::format("{}: NMSE {} against float64, limit {}, worst of {} checks ({})",
                    entry.row->label, is_nan ? "NaN" : format_scientific(nmse),
                    format_scientific(check->nmse_limit), entry.series->checks.size(), check->what),
        entry);
    if (const auto stored = check->task.find("output_error"); stored != check->task.end())
      mark.note += fmt::format("; storing the weights in so few bits moved the output by {:.2g} %",
                               100 * stored->second);
    panel.marks.push_back(mark);
    if (nmse > 0) {
      low = std::min(low, nmse);
      high = std::max(high, nmse);
    } else {
      any_exact = true;
    }
  }
  // More than three lines could not be told apart: then each mark's note names its limit.
  const bool few = limits.size() <= 3;
  for (const double limit : limits) {
    low = std::min(low, limit);
    high = std::max(high, limit);
    if (few) panel.rules.push_back({limit, "gate " + format_scientific(limit), Role::limit});
  }
  if (!panel.marks.empty() && high > 0) {
    panel.axis.low = low / (any_exact ? 100 : 3);
    panel.axis.high = high * 3;
  }
  for (Mark& mark : panel.marks) {  // exact: no place on a log axis, so at its start, and named
    if (mark.value == 0 && mark.label.empty()) mark.label = "0, exact";
  }
  settle_reasons(entries, &panel);
  return panel;
}

bool is_judged_by(const QualityCheck& check, const std::string& metric) {
  return !metric.empty() && !(check.nmse_limit > 0) && check.task.contains(metric);
}

namespace {

/// Over its seeds where there are several.
std::optional<double> task_of(const Entry& entry, const std::string& metric) {
  const QualityCheck* check = entry.series ? entry.series->quality() : nullptr;
  if (!check || !check->task.contains(metric)) return std::nullopt;
  return entry.row->over_seeds ? entry.row->over_seeds->mean : check->task.at(metric);
}

/// "mean of 3 seeds" where a rung has several: of all that many, else "means over seeds".
std::string means_text(const std::vector<Entry>& entries) {
  std::set<int> seeds;
  for (const Entry& entry : entries) {
    if (entry.row->over_seeds) seeds.insert(entry.row->over_seeds->seeds);
  }
  return seed_means_text(seeds);
}

/// The mean over the seeds where there are several, with the interval of the paired differences to the baseline that they
/// were paired with, which another processor's is not; else the one result.
Mark task_mark(const Entry& entry, int row, const std::string& metric, double value, double base) {
  const bool paired = entry.row->delta && entry.row->delta->ci;
  base = entry.row->paired_base.value_or(base);
  Mark mark = mark_for(entry, row, value, Role::series1);
  if (paired) {
    const SeedDelta& delta = *entry.row->delta;
    mark.interval =
        Interval{value + delta.ci->low - delta.mean, value + delta.ci->high - delta.mean};
  }
  mark.dashed = false;
  mark.marker = Marker::dot;
  mark.label = format_number(mark.value, 4);
  const double difference = mark.value - base;
  const std::string means =
      entry.row->over_seeds ? seed_mean_text(entry.row->over_seeds->seeds) : "";
  mark.note =
      with_how(fmt::format("{}: {} {}{}, {}{} against the baseline", entry.row->label, metric,
                           format_number(value, 4), means.empty() ? "" : ", " + means,
                           difference < 0 ? "−" : "+", format_number(std::abs(difference), 2)),
               entry);
  if (paired) mark.note += "; " + seed_delta_text(*entry.row->delta);
  return mark;
}

}  // namespace

Panel task_panel(const std::vector<Entry>& entries, const std::string& metric) {
  const bool is_accuracy = metric == "accuracy";
  Panel panel{.title = is_accuracy ? "Accuracy" : "Quality",
              .metric = "accuracy_delta",
              .weight = 1.1f,
              .stays = true};
  if (!is_accuracy) panel.subtitle = name_in_words(metric);
  const bool has_trained = std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    return entry.series && entry.series->kind == RungKind::training && !entry.series->curve.empty();
  });
  if (has_trained)
    panel.subtitle += (panel.subtitle.empty() ? "" : " ") + std::string("once trained");
  if (const std::string means = means_text(entries); !means.empty())
    panel.subtitle += (panel.subtitle.empty() ? "" : ", ") + means;
  std::optional<double> base;  // the baseline's, else of the first row that has one
  bool has_baseline = false;
  for (const Entry& entry : entries) {
    if (entry.row->is_baseline) has_baseline = true, base = task_of(entry, metric);
  }
  for (const Entry& entry : entries) {
    if (!base) base = task_of(entry, metric);
  }
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::optional<double> value = task_of(entry, metric);
    const bool by_error =
        entry.series && entry.series->quality() && entry.series->quality()->nmse_limit > 0;
    panel.row_reasons.push_back(!entry.reason.empty() ? entry.reason
                                : by_error            ? "judged by its error"
                                                      : "no " + metric + " in this run");
    if (!entry.reason.empty() || !is_number(value) || !is_number(base)) continue;
    panel.marks.push_back(task_mark(entry, static_cast<int>(i), metric, *value, *base));
    const Mark& mark = panel.marks.back();
    const Interval reach = mark.interval.value_or(Interval{mark.value, mark.value});
    low = std::min(low, reach.low);
    high = std::max(high, reach.high);
  }
  if (is_number(base) && low <= high) {
    low = std::min(low, *base);
    high = std::max(high, *base);
    const double air = high > low ? (high - low) * 0.15 : std::max(0.01 * std::abs(high), 0.01);
    panel.axis = {.title = panel.title, .unit = "", .low = low - air, .high = high + air};
    if (low == 0 && high == 0)
      panel.axis.low = 0, panel.axis.high = 1;  // nothing of what is counted
    if (has_baseline)
      panel.rules.push_back({*base, "the baseline's: " + format_number(*base, 4), Role::text});
  }
  settle_reasons(entries, &panel);
  return panel;
}

}  // namespace ridge::chart::parts

namespace ridge::chart {

void pair_seeds(const std::vector<const Series*>& series, const std::string& metric,
                std::span<LadderRow> rows) {
  const auto has_metric = [&](const LadderRow& row) {
    const QualityCheck* check = row.series ? row.series->quality() : nullptr;
    return check && check->task.contains(metric) &&
           std::find(series.begin(), series.end(), row.series) != series.end();
  };
  for (LadderRow& row : rows) {
    if (!has_metric(row)) continue;
    const LadderRow* base = nullptr;
    for (const LadderRow& other : rows) {
      if (!has_metric(other) || backend_of(other.series->kernel) != backend_of(row.series->kernel))
        continue;
      if (!base || (other.is_baseline && !base->is_baseline)) base = &other;
    }
    row.rates = seed_rates(series, row.series->kernel, row.series->params);
    row.over_seeds = seed_mean(series, row.series->kernel, row.series->params, metric);
    const auto of_base = seed_mean(series, base->series->kernel, base->series->params, metric);
    row.paired_base = of_base ? of_base->mean : base->series->quality()->task.at(metric);
    if (base->series->kernel == row.series->kernel)
      row.delta = SeedDelta{};
    else
      row.delta =
          seed_delta(series, base->series->kernel, row.series->kernel, row.series->params, metric);
  }
}

}  // namespace ridge::chart
