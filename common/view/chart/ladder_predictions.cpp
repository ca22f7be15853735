#include "common/view/chart/ladder_predictions.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/view/chart/ticks.h"

namespace ridge::chart {
namespace {

/// The axis as the builder made it, wide enough for one more value.
void widen(Axis* axis, bool is_first, double value) {
  if (is_first) {
    axis->low = nice_floor(value / 2);
    axis->high = value * 2;
    return;
  }
  axis->low = std::min(axis->low, nice_floor(value / 2));
  axis->high = std::max(axis->high, value * std::pow(value / axis->low, 0.04));
}

bool is_drawable(double value_s) {
  return std::isfinite(value_s) && value_s > 0;
}

void add_point(Panel* panel, int row, double value_s, Marker marker, Role role) {
  widen(&panel->axis, panel->marks.empty(), value_s);
  Mark mark{.row = row, .value = value_s, .role = role, .marker = marker};
  mark.dashed = mark.beside = true;
  panel->marks.push_back(mark);
}

/// The expected bar itself, with what was said at its end.
void add_draft(Panel* panel, const PredictedRow& row) {
  Mark bar{.row = row.row, .value = row.predicted_s, .role = Role::text};
  bar.dashed = true;
  bar.label = row.draft;
  bar.note = row.note;
  panel->marks.push_back(std::move(bar));
}

}  // namespace

void add_predictions(ChartModel* ladder, std::span<const PredictedRow> rows) {
  if (ladder->panels.empty()) return;
  Panel& panel = ladder->panels.front();
  bool any_prediction = false, any_model = false;
  for (const PredictedRow& row : rows) {
    const auto bar = std::find_if(panel.marks.begin(), panel.marks.end(),
                                  [&](const Mark& mark) { return mark.row == row.row; });
    const bool has_bar = bar != panel.marks.end();
    if (has_bar) bar->note += (bar->note.empty() ? "" : "\n") + row.note;
    if (is_drawable(row.predicted_s)) {
      add_point(&panel, row.row, row.predicted_s, Marker::diamond, Role::text);
      if (!has_bar) panel.marks.back().note = row.note;
      if (!has_bar && !row.draft.empty()) add_draft(&panel, row);
      any_prediction = true;
    }
    if (row.least_s && is_drawable(*row.least_s)) {
      add_point(&panel, row.row, *row.least_s, Marker::triangle, Role::muted);
      if (!has_bar && !is_drawable(row.predicted_s)) panel.marks.back().note = row.note;
      any_model = true;
    }
    if (!row.note.empty()) ladder->summary += " " + row.note;
  }
  if (any_prediction) ladder->legend.push_back("hollow diamond: predicted");
  if (any_model) ladder->legend.push_back("hollow triangle: least time by the model");
}

}  // namespace ridge::chart
