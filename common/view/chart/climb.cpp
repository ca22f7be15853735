#include "common/view/chart/climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/stale_words.h"

namespace ridge::chart {
namespace {

/// Above this multiple of the fastest rate a ceiling would take the bars' room.
constexpr double kFarCeiling = 3;

Role step_role(const ClimbStep& step) {
  if (step.verdict == Verdict::faster) return Role::faster;
  return step.verdict == Verdict::slower ? Role::slower : Role::muted;
}

bool has_rate(const ClimbRow& row) {
  return row.rate && std::isfinite(*row.rate) && *row.rate > 0;
}

std::string step_cell(const ClimbRow& row) {
  if (row.step) return step_text(*row.step);
  if (!has_rate(row)) return "";
  if (!row.no_step.empty()) return "no step";
  return row.is_peer ? "library" : "start";
}

Mark bar_of(const ClimbRow& row, int index, const std::string& unit) {
  Mark mark{.row = index, .value = *row.rate, .interval = row.interval};
  mark.role = row.is_peer ? Role::baseline : Role::series0;
  mark.hatched = row.hatched;
  mark.dashed = row.is_baseline;
  mark.label = format_rate(*row.rate, unit);
  mark.note = row.label + ": " + mark.label;
  if (row.interval) mark.note += ", 95 % interval " + format_rate_interval(row.interval, unit);
  if (!row.no_step.empty()) mark.note += ". No step at these parameters: it " + row.no_step;
  return mark;
}

/// In place of the speeds: what a call takes, a dot on a logarithmic axis.
Panel time_panel(std::span<const ClimbRow> rows, const Panel& rates) {
  Panel panel{.title = "Time", .metric = "time_per_call", .weight = rates.weight};
  panel.axis = {.title = "Time of a call", .unit = "s", .scale = Scale::log};
  panel.row_reasons = rates.row_reasons;
  double low = INFINITY, high = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ClimbRow& row = rows[i];
    if (!has_rate(row) || !row.time_s || !(*row.time_s > 0)) continue;
    Mark mark{.row = static_cast<int>(i), .value = *row.time_s, .interval = row.time_interval_s};
    mark.role = row.is_peer ? Role::baseline : Role::series0;
    mark.marker = Marker::dot;
    mark.hatched = row.hatched;
    mark.label = format_time_ns(*row.time_s * 1e9);
    mark.note = row.label + ": " + mark.label + " a call";
    panel.marks.push_back(std::move(mark));
    const Interval reach = row.time_interval_s.value_or(Interval{*row.time_s, *row.time_s});
    low = std::min(low, reach.low > 0 ? reach.low : *row.time_s);
    high = std::max(high, reach.high);
  }
  panel.axis.low = high > 0 ? low / 1.6 : 0.1;
  panel.axis.high = high > 0 ? high * 1.6 : 10;
  return panel;
}

void add_ceiling(const ClimbOptions& options, double fastest, Panel* panel) {
  if (!options.ceiling || !(options.ceiling->value > 0)) return;
  const Ceiling& ceiling = *options.ceiling;
  if (!(fastest > 0) || ceiling.value > fastest * kFarCeiling) return;
  panel->rules.push_back(
      {ceiling.value,
       ceiling.name + ": " + format_quantity(ceiling.value, ceiling.unit) + ", " + ceiling.source});
  panel->axis.high = std::max(panel->axis.high, ceiling.value * 1.02);
}

void add_legend(std::span<const ClimbRow> rows, bool log_time, ChartModel* model) {
  const auto any = [&](const auto& has) { return std::any_of(rows.begin(), rows.end(), has); };
  model->legend = {log_time ? "dot: median time, less is faster; a log axis has no zero"
                            : "bar: median, from zero"};
  if (any([](const ClimbRow& row) { return row.interval.has_value(); }))
    model->legend.emplace_back("whisker: 95 % interval");
  if (any([](const ClimbRow& row) { return row.step && row.step->verdict; }))
    model->legend.emplace_back("▲ ▼ = ?: compared in pairs");
  if (any([](const ClimbRow& row) { return row.step && !row.step->verdict; }))
    model->legend.emplace_back("≈: timed apart, the ratio of two medians");
  if (!log_time && any([](const ClimbRow& row) { return row.is_baseline; }))
    model->legend.emplace_back("dashed outline: baseline");
  if (any([](const ClimbRow& row) { return row.is_peer && has_rate(row); }))
    model->legend.emplace_back("grey: a library");
  if (any([](const ClimbRow& row) { return row.hatched && has_rate(row); }))
    model->legend.push_back((log_time ? "hollow: " : "hatched: ") + std::string(kStaleWord) +
                            ", recorded elsewhere or at another size");
}

/// Bytes that begin a letter.
auto letters_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

void add_column(std::span<const ClimbRow> rows, const ClimbColumn& column, size_t at,
                ChartModel* model) {
  Panel panel{
      .title = column.title, .subtitle = column.subtitle, .metric = column.metric, .weight = 1};
  const auto cell_of = [&](const ClimbRow& row) {
    return at < row.cells.size() ? row.cells[at] : std::string();
  };
  if (std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return cell_of(row).empty(); }))
    return;
  // A heading has room for its letters, and a cell for its own.
  constexpr float kTitleLetter = 0.1f, kLetter = 0.085f, kLeast = 0.64f, kMost = 0.95f;
  float weight = kTitleLetter * static_cast<float>(column.title.size());
  for (const ClimbRow& row : rows)
    weight = std::max(weight, kLetter * static_cast<float>(letters_of(cell_of(row))));
  panel.weight = std::clamp(weight, kLeast, kMost);
  model->table.columns.push_back(column.title);
  for (size_t i = 0; i < rows.size(); ++i) {
    panel.row_reasons.push_back(cell_of(rows[i]));
    panel.row_roles.push_back(Role::muted);
    model->table.rows[i].push_back(cell_of(rows[i]));
  }
  model->panels.push_back(std::move(panel));
}

std::string summary_of(std::span<const ClimbRow> rows, const std::string& unit) {
  const ClimbRow* best = nullptr;
  size_t measured = 0;
  for (const ClimbRow& row : rows) {
    measured += has_rate(row);
    if (row.is_best) best = &row;
  }
  std::string text =
      fmt::format("A bar for each of {} rungs; {} have a speed.", rows.size(), measured);
  if (best && has_rate(*best))
    text += " The fastest step is " + best->label + " with " + format_rate(*best->rate, unit) + ".";
  return text + " The table has every bar and every step.";
}

}  // namespace

std::string step_text(const ClimbStep& step) {
  if (!std::isfinite(step.ratio) || !(step.ratio > 0)) return "✕ no ratio";
  const std::string ratio = format_ratio(step.ratio);
  if (!step.verdict) return "≈ " + ratio;
  switch (*step.verdict) {
    case Verdict::faster:
      return "▲ " + ratio;
    case Verdict::slower:
      return "▼ " + ratio;
    case Verdict::same:
      return "= " + ratio;
    case Verdict::invalid:
      return "✕ no ratio";
    default:
      return "? " + ratio;
  }
}

ChartModel climb_chart(std::span<const ClimbRow> rows, const ClimbOptions& options) {
  ChartModel model{.id = "climb"};
  const bool alone = options.columns.empty();
  Panel rates{.title = "Speed", .metric = "throughput", .weight = alone ? 3 : 2.7f};
  rates.axis = {.title = "Speed", .unit = options.unit};
  Panel steps{
      .title = "Step", .subtitle = alone ? "speed ratio" : "", .weight = alone ? 0.5f : 0.78f};
  model.table.columns = {"Rung", "Speed", "95 % interval", "Step", "Over"};
  double high = 0, fastest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ClimbRow& row = rows[i];
    const bool measured = has_rate(row);
    std::string sublabel = row.no_step.empty() ? "" : "no step: " + row.no_step;
    if (!row.sublabel.empty()) sublabel += (sublabel.empty() ? "" : "; ") + row.sublabel;
    model.rows.push_back({.label = row.label,
                          .sublabel = sublabel,
                          .selected = row.selected || row.is_best,
                          .is_baseline = row.is_baseline,
                          .muted = row.is_peer || !measured || !row.no_step.empty()});
    rates.row_reasons.push_back(measured ? "" : row.reason);
    steps.row_reasons.push_back(measured ? step_cell(row) : row.reason);
    steps.row_roles.push_back(row.step && measured ? step_role(*row.step) : Role::muted);
    if (measured) {
      rates.marks.push_back(bar_of(row, static_cast<int>(i), options.unit));
      high = std::max({high, *row.rate, row.interval ? row.interval->high : 0.0});
      fastest = std::max(fastest, *row.rate);
    }
    model.table.rows.push_back({row.label,
                                measured ? rates.marks.back().label : "unavailable: " + row.reason,
                                !measured      ? ""
                                : row.interval ? format_rate_interval(row.interval, options.unit)
                                               : "unavailable: no interval",
                                !measured ? "" : step_cell(row),
                                row.step && measured ? row.step->from
                                : measured           ? kNone
                                                     : ""});
  }
  rates.axis.high = high > 0 ? high * 1.04 : 1;
  add_ceiling(options, fastest, &rates);
  model.panels = {options.log_time ? time_panel(rows, rates) : rates, steps};
  for (size_t i = 0; i < options.columns.size(); ++i)
    add_column(rows, options.columns[i], i, &model);
  add_legend(rows, options.log_time, &model);
  model.summary = summary_of(rows, options.unit);
  return model;
}

}  // namespace ridge::chart
