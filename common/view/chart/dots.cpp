#include "common/view/chart/dots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/stats/stats.h"

namespace ridge::chart {
namespace {

void add_values(const DotRow& row, int index, Panel* panel) {
  std::vector<double> values;
  double spread = 0;
  for (const double value : row.values) {
    if (!std::isfinite(value) || !(value > 0)) continue;
    values.push_back(value);
    // By the golden ratio, as in the forest: neighbours do not cover one another.
    spread = std::fmod(spread + 0.6180339887, 1.0);
    Mark dot{.row = index, .value = value, .role = Role::series0, .marker = Marker::dot};
    dot.quiet = true;
    dot.offset = row.values.size() == 1 ? 0 : static_cast<float>(spread * 1.2 - 0.6);
    panel->marks.push_back(dot);
  }
  panel->row_reasons.push_back(values.empty() ? row.reason : "");
  if (values.empty()) return;
  Mark median{.row = index,
              .value = stats::median(values),
              .role = Role::text,
              .marker = Marker::diamond,
              .label = row.median_text};
  median.note = row.label + ": median " + row.median_text;
  panel->marks.push_back(median);
}

/// Of all marks, with some air, and of the rule at 1.
void set_range(bool has_rule, Panel* panel) {
  double low = has_rule ? 1 : INFINITY, high = has_rule ? 1 : 0;
  for (const Mark& mark : panel->marks) {
    low = std::min(low, mark.value);
    high = std::max(high, mark.value);
  }
  const double air = std::max(std::pow(high / low, 0.06), 1.05);
  panel->axis.low = low / air;
  panel->axis.high = high * air;
}

}  // namespace

ChartModel dots_chart(std::span<const DotRow> rows, const DotOptions& options) {
  ChartModel model{.id = options.id};  // its heading is the panel's
  Panel panel{.title = options.title, .subtitle = options.subtitle, .metric = options.metric};
  panel.axis = {.title = options.title, .unit = options.unit, .scale = Scale::log};
  for (size_t i = 0; i < rows.size(); ++i) {
    model.rows.push_back({.label = rows[i].label, .sublabel = rows[i].sublabel});
    add_values(rows[i], static_cast<int>(i), &panel);
  }
  if (panel.marks.empty())
    panel.empty_reason = "no values";
  else
    set_range(!options.one.empty(), &panel);
  if (!options.one.empty()) panel.rules.push_back({1, options.one, Role::text});
  model.legend = {"dot: " + options.dots, "diamond: median"};
  model.summary = fmt::format("{}, {} rows.", options.title, rows.size());
  for (const DotRow& row : rows) {
    if (!row.median_text.empty())
      model.summary += fmt::format(" {}: median {}.", row.label, row.median_text);
  }
  model.panels = {std::move(panel)};
  return model;
}

}  // namespace ridge::chart
