#include "common/view/chart/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/core/format.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

// From this ratio of the largest to the smallest value on, equal steps would hide the small ones.
constexpr double kLogFrom = 20;

/// One parameter's values in order, each with a place of the same size: a sweep's stops are a list, and between 1 and 7
/// lies nothing that took more room than between 112 and 224.
struct Stops {
  std::vector<double> values;

  explicit Stops(const std::set<double>& found) : values(found.begin(), found.end()) {}
  size_t at(double value) const {
    return static_cast<size_t>(std::find(values.begin(), values.end(), value) - values.begin());
  }
  Interval cell(double value) const {
    const auto place = static_cast<double>(at(value));
    return {place - 0.5, place + 0.5};
  }
  Axis axis(const std::string& name) const {
    Axis made{.title = name, .low = -0.5, .high = static_cast<double>(values.size()) - 0.5};
    made.stops = values;
    for (const double value : values) made.ticks.push_back(static_cast<double>(at(value)));
    return made;
  }
};

std::string place_text(const HeatCell& cell, const HeatmapOptions& options) {
  return fmt::format("{} = {}, {} = {}", options.x_param, format_count(cell.x), options.y_param,
                     format_count(cell.y));
}

/// A word or two for the cell; the tooltip has the sentence.
std::string short_reason(const Entry& entry) {
  if (entry.failed) return "failed";
  if (!entry.reason.empty() && entry.reason.size() < 12) return entry.reason;  // "not run"
  if (!entry.series) return entry.row->state.empty() ? "not run" : entry.row->state;
  return entry.series->status == SeriesStatus::ok ? "no rate" : "skipped";
}

/// A neighbour's work would look like an effect of the two parameters.
bool is_contended(const Entry& entry) {
  if (!entry.series || !entry.series->stats) return false;
  const auto& flags = entry.series->stats->flags;
  return std::find(flags.begin(), flags.end(), "contended") != flags.end();
}

struct Rates {
  std::map<int, const Measured*> by_row;
  double low = INFINITY, high = 0;
};

void set_shade(const Rates& rates, const char* unit, Axis* shade) {
  *shade = {.title = "", .unit = unit, .low = rates.low, .high = rates.high};
  if (rates.high > rates.low * kLogFrom) shade->scale = Scale::log;
}

void add_cell(const HeatCell& in, const Entry& entry, const Measured* point, const char* unit,
              const SiPrefix& prefix, const Stops& x, const Stops& y, const HeatmapOptions& options,
              ChartModel* model) {
  Cell cell{.x = x.cell(in.x), .y = y.cell(in.y)};
  cell.strong = in.row.selected;
  cell.row = static_cast<int>(model->plot->cells.size());
  const std::string place = place_text(in, options);
  if (point) {
    cell.value = point->rate;
    const bool contended = is_contended(entry);
    cell.label = format_number(point->rate / prefix.factor, 3) + (contended ? "*" : "");
    cell.value_text = format_rate(point->rate, unit);
    cell.note = with_how(fmt::format("{} at {}: {}{}", options.subject, place, cell.value_text,
                                     interval_text(*point, unit)),
                         entry) +
                "." + (contended ? " Other processes used the cores meanwhile." : "");
  } else {
    if (entry.series) cell.reason = short_reason(entry);
    const std::string why = entry.reason.empty() ? short_reason(entry) : entry.reason;
    cell.note = fmt::format("{} at {}: no speed, {}.", options.subject, place, why);
  }
  model->table.rows[y.values.size() - 1 - y.at(in.y)][x.at(in.x) + 1] =
      point ? cell.value_text : short_reason(entry);
  model->plot->cells.push_back(std::move(cell));
}

/// Cells without a value: the many that were not run are said once, for all of them.
void add_missing(ChartModel* model) {
  const auto& cells = model->plot->cells;
  const auto unrun = std::count_if(cells.begin(), cells.end(), [](const Cell& cell) {
    return !cell.value && cell.reason.empty();
  });
  if (unrun > 0)
    model->legend.push_back(
        fmt::format("grey: not run, {} of {} cells; Sweep runs them", unrun, cells.size()));
  if (std::any_of(cells.begin(), cells.end(),
                  [](const Cell& cell) { return !cell.reason.empty(); }))
    model->legend.push_back("empty: no verified speed");
}

void summarize(const HeatmapOptions& options, const Rates& rates, ChartModel* model) {
  const auto& cells = model->plot->cells;
  model->summary = fmt::format("Speed of {} over {} and {}{}: {} of {} pairs measured.",
                               options.subject, options.x_param, options.y_param,
                               options.fixed.empty() ? "" : " at " + options.fixed,
                               rates.by_row.size(), cells.size());
  const auto value = [](const Cell& cell) { return cell.value.value_or(-1); };
  const auto best = std::max_element(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
    return value(a) < value(b);
  });
  if (best != cells.end() && best->value) model->summary += " Highest: " + best->note;
}

}  // namespace

ChartModel heatmap_chart(std::span<const HeatCell> cells, const HeatmapOptions& options) {
  ChartModel model{.id = "heatmap"};
  model.plot = Plot{};
  std::vector<LadderRow> rows;
  std::set<double> xs, ys;
  for (const HeatCell& cell : cells) {
    rows.push_back(cell.row);
    if (std::isfinite(cell.x)) xs.insert(cell.x);
    if (std::isfinite(cell.y)) ys.insert(cell.y);
  }
  if (xs.empty() || ys.empty()) {
    model.plot->empty_reason = "This rung has no two parameters that are numbers.";
    model.summary = model.plot->empty_reason;
    return model;
  }
  std::vector<Measured> points = measured_rows(rows, Counted::kFlop);
  const bool bandwidth = points.empty();
  if (bandwidth) points = measured_rows(rows, Counted::kBytes);
  const char* unit = bandwidth ? "B/s" : "FLOP/s";
  Rates rates;
  for (const Measured& point : points) {
    rates.by_row[point.row] = &point;
    rates.low = std::min(rates.low, point.rate), rates.high = std::max(rates.high, point.rate);
  }
  const Stops x(xs), y(ys);
  model.plot->x = x.axis(options.x_param);
  model.plot->y = y.axis(options.y_param);
  model.table.columns = {options.y_param + " \\ " + options.x_param};
  for (const double value : x.values) model.table.columns.push_back(format_count(value));
  for (auto it = y.values.rbegin(); it != y.values.rend(); ++it) {  // as the picture has them
    model.table.rows.emplace_back(x.values.size() + 1, "");
    model.table.rows.back()[0] = format_count(*it);
  }
  SiPrefix prefix;
  if (!points.empty()) {
    set_shade(rates, unit, &model.plot->shade);
    prefix = si_prefix(std::sqrt(rates.low) * std::sqrt(rates.high));
    model.plot->shade.title = "the cells' numbers are " + prefixed(prefix, unit);
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!std::isfinite(cells[i].x) || !std::isfinite(cells[i].y)) continue;
    const auto found = rates.by_row.find(static_cast<int>(i));
    add_cell(cells[i], make_entry(rows[i]), found == rates.by_row.end() ? nullptr : found->second,
             unit, prefix, x, y, options, &model);
  }
  model.legend = {options.subject};
  if (!options.fixed.empty()) model.legend.push_back(options.fixed);
  const auto contended = std::count_if(points.begin(), points.end(), [](const Measured& point) {
    return is_contended(point.entry);
  });
  if (contended > 0)
    model.legend.push_back(fmt::format(
        "*: other processes used the cores meanwhile ({} of {} cells)", contended, points.size()));
  add_missing(&model);
  summarize(options, rates, &model);
  return model;
}

}  // namespace ridge::chart
