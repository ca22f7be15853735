#include "common/view/chart/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/core/format.h"
#include "common/record/seed_delta.h"
#include "common/stats/answers.h"
#include "common/view/chart/log_axis.h"

namespace ridge::chart {
namespace {

using Text = std::function<std::string(double)>;

/// One figure of all rows in a panel. `offset`: two figures share a row.
struct ScoreColumn {
  ScoreFigure ScoreRow::*figure;
  const char* name;  ///< for notes: "from pixels"
  Text text;
  Role role = Role::series0;
  float offset = 0;
};

bool has(const ScoreFigure& figure) {
  return figure.value && std::isfinite(*figure.value) && *figure.value > 0;
}

void add_column(std::span<const ScoreRow> rows, const ScoreColumn& column, Panel* panel) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const ScoreFigure& figure = rows[i].*column.figure;
    if (!has(figure)) continue;
    Mark mark{.row = static_cast<int>(i), .value = *figure.value, .interval = figure.interval};
    mark.role = column.role;
    mark.hatched = rows[i].recorded;
    mark.offset = column.offset;
    mark.label = column.text(mark.value);
    mark.note = fmt::format("{}, {}: {}{}{}.", rows[i].label, column.name, mark.label,
                            figure.note.empty() ? "" : "; ", figure.note);
    panel->marks.push_back(std::move(mark));
  }
}

/// Why a row has nothing in the panel.
void add_reasons(std::span<const ScoreRow> rows, ScoreFigure ScoreRow::*figure, Panel* panel) {
  for (const ScoreRow& row : rows) {
    const ScoreFigure& missing = row.*figure;
    panel->row_reasons.push_back(missing.why.empty() ? "not measured yet" : missing.why);
  }
}

Panel log_panel(std::span<const ScoreRow> rows, const char* title, const std::string& subtitle,
                const char* metric, const std::string& unit, const ScoreColumn& column) {
  Panel panel{.title = title, .subtitle = subtitle, .metric = metric};
  panel.axis = {.title = title, .unit = unit};
  add_column(rows, column, &panel);
  add_reasons(rows, column.figure, &panel);
  put_on_log_axis(&panel);
  return panel;
}

/// From zero: the length of the bar is what is right of all. Marked: what cannot be told apart from the highest.
Panel quality_panel(std::span<const ScoreRow> rows, const std::string& metric) {
  Panel panel{.title = "Quality", .subtitle = metric, .metric = "task_metric"};
  panel.axis = {.title = metric};
  add_column(rows,
             {&ScoreRow::quality, metric.c_str(), [](double v) { return format_number(v, 4); },
              Role::series1},
             &panel);
  add_reasons(rows, &ScoreRow::quality, &panel);
  panel.axis.high = std::max(panel.axis.high, axis_end(panel.marks) * 1.04);
  const std::vector<ScoreStanding> all = standings(rows);
  for (Mark& mark : panel.marks) {
    const ScoreStanding& standing = all[static_cast<size_t>(mark.row)];
    if (!standing.is_best && !standing.note.empty() && !standing.told_apart) mark.label += " ≈";
    if (!standing.note.empty()) mark.note += " " + standing.note;
  }
  return panel;
}

/// Where the flash of a small device ends.
void add_devices(std::span<const ScoreRow> rows, const ScoreOptions& options, Panel* panel) {
  if (panel->marks.empty()) return;
  for (const ScoreDevice& device : options.devices) {
    panel->rules.push_back(
        {.value = device.flash_bytes, .label = device.core, .role = Role::limit});
    panel->axis.high = std::max(panel->axis.high, device.flash_bytes * 1.2);
  }
  for (Mark& mark : panel->marks) {
    for (const ScoreDevice& device : options.devices)
      mark.note += fmt::format(" {}: {}.", device.name,
                               fits_text(rows[static_cast<size_t>(mark.row)], device));
  }
}

/// What one item takes: two kinds share a row. A network that multiplies nothing has no dot for it, and the table says 0.
Panel operations_panel(std::span<const ScoreRow> rows) {
  Panel panel{.title = "Operations", .subtitle = "multiplications; pale: look-ups"};
  panel.metric = "operations";
  panel.axis = {.title = "Operations"};
  const auto text = [](double value) { return format_quantity(value, ""); };
  add_column(rows, {&ScoreRow::multiplications, "multiplications", text, Role::series0, -0.5f},
             &panel);
  add_column(rows, {&ScoreRow::look_ups, "look-ups", text, Role::muted, 0.5f}, &panel);
  add_reasons(rows, &ScoreRow::multiplications, &panel);
  put_on_log_axis(&panel);
  return panel;
}

Panel rate_panel(std::span<const ScoreRow> rows, const ScoreOptions& options) {
  // The heading says of what: a panel has no room for it at every bar.
  const auto text = [](double value) { return format_rate(value, "/s"); };
  const std::string features = "from " + options.features, raw = "from " + options.raw;
  Panel panel{.title = "Throughput", .subtitle = options.raw + "; pale: " + options.features};
  panel.metric = "throughput";
  panel.weight = 1.2f;
  panel.axis = {.title = "Throughput", .unit = options.items + "/s"};
  add_column(rows, {&ScoreRow::raw_per_s, raw.c_str(), text, Role::series0, -0.5f}, &panel);
  add_column(rows, {&ScoreRow::features_per_s, features.c_str(), text, Role::muted, 0.5f}, &panel);
  add_reasons(rows, &ScoreRow::raw_per_s, &panel);
  put_on_log_axis(&panel);
  return panel;
}

std::string cell(const ScoreFigure& figure, const Text& text) {
  return has(figure) ? text(*figure.value) : figure.why.empty() ? kNone : figure.why;
}

/// A count may be none.
std::string counted(const ScoreFigure& figure) {
  if (figure.value && *figure.value == 0) return "0";
  return cell(figure, format_count);
}

void add_table(std::span<const ScoreRow> rows, const ScoreOptions& options, ChartModel* model) {
  const auto rate = [&](double value) { return format_rate(value, options.items + "/s"); };
  const auto seconds = [](double value) { return format_time_ns(value * 1e9); };
  const auto joules = [](double value) { return format_quantity(value, "J"); };
  model->table.columns = {"Network",
                          options.metric,
                          "Model",
                          "Latency, one " + options.item,
                          "From " + options.raw,
                          "From " + options.features,
                          "Energy, one " + options.item,
                          "Less the highest",
                          "Multiplications",
                          "Additions",
                          "Look-ups",
                          "Comparisons and exclusive ors",
                          "Working memory"};
  for (const ScoreDevice& device : options.devices)
    model->table.columns.push_back(fmt::format("{} ({})", device.name, device.core));
  model->summary = fmt::format("Score card of {} networks.", rows.size());
  const std::vector<ScoreStanding> all = standings(rows);
  for (const ScoreRow& row : rows) {
    model->table.rows.push_back(
        {row.label, cell(row.quality, [](double v) { return format_number(v, 4); }),
         cell(row.model_bytes, format_bytes), cell(row.latency_s, seconds),
         cell(row.raw_per_s, rate), cell(row.features_per_s, rate), cell(row.energy_j, joules),
         all[static_cast<size_t>(&row - rows.data())].text, counted(row.multiplications),
         counted(row.additions), counted(row.look_ups), counted(row.bits),
         cell(row.working_bytes, format_bytes)});
    for (const ScoreDevice& device : options.devices)
      model->table.rows.back().push_back(fits_text(row, device));
    model->summary += " " + row.label + ":";
    const auto& cells = model->table.rows.back();
    for (size_t i = 1; i < cells.size(); ++i) {
      model->summary += (i > 1 ? ", " : " ") + model->table.columns[i] + " " + cells[i];
    }
    model->summary += ".";
  }
}

/// What stands where the figures of a result would: a failed check has no speed.
std::string why_none(const Series* series, bool has_start) {
  if (!has_start) return "has no such start";
  if (!series) return "not measured yet";
  const QualityCheck* check = series->quality();
  if (check && !series->quality_passed()) return "✕ check failed";
  if (series->status == SeriesStatus::failed || !series->stats) return "✕ failed";
  return check ? "" : "not verified";
}

/// With what a reader has to know of the series that it is of.
ScoreFigure noted(ScoreFigure figure, const Series& series) {
  if (!series.note.empty()) figure.note += (figure.note.empty() ? "" : "; ") + series.note;
  return figure;
}

ScoreFigure quality_of(const ScoreSeries& measured, const std::string& metric) {
  for (const Series* series : {measured.raw, measured.features}) {
    if (!series || !why_none(series, true).empty()) continue;
    const QualityCheck& check = *series->quality();
    const auto found = check.task.find(metric);
    if (found == check.task.end()) continue;
    return noted({.value = found->second, .note = check.what}, *series);
  }
  return {.why = why_none(measured.raw ? measured.raw : measured.features, true)};
}

/// Which items were answered right, of the check that `quality_of` takes.
std::string right_of(const ScoreSeries& measured) {
  for (const Series* series : {measured.raw, measured.features}) {
    if (series && why_none(series, true).empty()) return series->quality()->right;
  }
  return "";
}

ScoreFigure rate_of(const Series* series, bool has_start) {
  ScoreFigure figure{.why = why_none(series, has_start)};
  if (!figure.why.empty()) return figure;
  if (!(series->items_per_s > 0)) return {.why = "does not work off items"};
  figure.value = series->items_per_s;
  if (series->stats->ci_ns) {
    const double items = series->items_per_s * series->stats->median_ns;
    figure.interval =
        Interval{items / series->stats->ci_ns->high, items / series->stats->ci_ns->low};
  }
  return noted(std::move(figure), *series);
}

ScoreFigure latency_of(const Series* series, const std::string& start) {
  ScoreFigure figure{.why = why_none(series, true)};
  if (!figure.why.empty()) return figure;
  const auto& latency = series->latency;
  if (!latency || !latency->p50_ns) return {.why = "needs a run in measure mode"};
  figure.value = *latency->p50_ns * 1e-9;
  figure.note = "median of " + std::to_string(latency->n) + " single calls, from " + start;
  return noted(std::move(figure), *series);
}

ScoreFigure energy_of(const ScoreSeries& measured, const ScoreOptions& options) {
  const Series* series = measured.raw ? measured.raw : measured.features;
  ScoreFigure figure{.why = why_none(series, true)};
  if (!figure.why.empty()) return figure;
  if (!series->energy_j) {
    const auto why = series->unavailable.find("energy_j");
    return {.why = "unavailable" + (why == series->unavailable.end() ? "" : ": " + why->second)};
  }
  figure.value = energy_per_item_j(*series);
  if (!figure.value) return {.why = "does not work off items"};
  figure.note =
      "from " + (measured.raw ? options.raw : options.features) + "; " + series->energy_source;
  return noted(std::move(figure), *series);
}

}  // namespace

std::vector<ScoreStanding> standings(std::span<const ScoreRow> rows) {
  std::vector<ScoreStanding> all(rows.size());
  const ScoreRow* best = nullptr;
  int with_answers = 0;
  for (const ScoreRow& row : rows) {
    if (!has(row.quality)) continue;
    with_answers += row.right.empty() ? 0 : 1;
    if (!best || *row.quality.value > *best->quality.value) best = &row;
  }
  const int pairs = with_answers * (with_answers - 1) / 2;
  for (size_t i = 0; i < rows.size(); ++i) {
    ScoreStanding& standing = all[i];
    if (!has(rows[i].quality)) {
      standing.text = kNone;
    } else if (&rows[i] == best) {
      standing = {.is_best = true, .text = "the highest"};
    } else if (const auto paired = stats::compare_answers(rows[i].right, best->right, pairs)) {
      standing.told_apart = paired->told_apart();
      const std::string points =
          fmt::format("{} points [{}, {}]", signed_points(paired->difference),
                      signed_points(paired->ci.low), signed_points(paired->ci.high));
      standing.text = (standing.told_apart ? "" : "≈ ") + points;
      standing.note = fmt::format(
          "{} {}: {} on the same {}; right alone on {}, {} alone on {}.",
          standing.told_apart ? "Less often right than" : "Cannot be told apart from", best->label,
          points, format_count(double(paired->inputs)), format_count(double(paired->only_first)),
          best->label, format_count(double(paired->only_second)));
    } else {
      standing.text = rows[i].right.empty() || best->right.empty() ? "answers not known one by one"
                                                                   : "answers to another test set";
    }
  }
  return all;
}

std::string fits_text(const ScoreRow& row, const ScoreDevice& device) {
  if (!has(row.model_bytes) || !has(row.working_bytes)) return kNone;
  std::string text;
  const auto add = [&](const char* memory, double needed, double room) {
    if (needed > room)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", memory, format_ratio(needed / room));
  };
  add("flash", *row.model_bytes.value, device.flash_bytes);
  add("RAM", *row.working_bytes.value, device.ram_bytes);
  return text.empty() ? "fits" : "no: " + text;
}

void fill_score(const ScoreSeries& measured, const ScoreOptions& options, ScoreRow* row) {
  row->quality = quality_of(measured, options.metric);
  row->right = right_of(measured);
  row->latency_s = latency_of(measured.one, measured.has_raw ? options.raw : options.features);
  row->features_per_s = rate_of(measured.features, measured.has_features);
  row->raw_per_s = rate_of(measured.raw, measured.has_raw);
  row->energy_j = energy_of(measured, options);
}

std::optional<double> energy_per_item_j(const Series& series) {
  if (!series.energy_j || !series.stats) return std::nullopt;
  const double items = series.items_per_s * series.stats->median_ns * 1e-9;
  return items > 0 ? std::optional(*series.energy_j / items) : std::nullopt;
}

ChartModel score_chart(std::span<const ScoreRow> rows, const ScoreOptions& options) {
  ChartModel model{.id = "score", .title = options.title};
  for (const ScoreRow& row : rows) {
    model.rows.push_back({.label = row.label, .sublabel = row.sublabel, .selected = row.selected});
  }
  model.panels.push_back(quality_panel(rows, options.metric));
  model.panels.push_back(log_panel(rows, "Model", "as stored; flash", "model_size", "B",
                                   {&ScoreRow::model_bytes, "model", format_bytes, Role::series2}));
  add_devices(rows, options, &model.panels.back());
  model.panels.push_back(operations_panel(rows));
  model.panels.push_back(log_panel(
      rows, "Latency", "one " + options.item, "latency", "s",
      {&ScoreRow::latency_s, "latency", [](double v) { return format_time_ns(v * 1e9); }}));
  model.panels.push_back(rate_panel(rows, options));
  model.panels.push_back(
      log_panel(rows, "Energy", "one " + options.item, "energy", "J",
                {&ScoreRow::energy_j, "energy", [](double v) { return format_quantity(v, "J"); },
                 Role::series2}));
  model.legend = {"quality: bars from zero; the others: dots, on logarithmic axes",
                  "≈: cannot be told apart from the highest"};
  if (std::any_of(rows.begin(), rows.end(), [](const ScoreRow& row) { return row.recorded; }))
    model.legend.push_back("hollow, hatched: recorded");
  add_table(rows, options, &model);
  return model;
}

}  // namespace ridge::chart
