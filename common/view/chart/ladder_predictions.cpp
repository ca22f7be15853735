#include "common/view/chart/ladder_predictions.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/view/chart/log_axis.h"

namespace ridge::chart {
namespace {

bool is_drawable(double value_s) {
  return std::isfinite(value_s) && value_s > 0;
}

void add_point(Panel* panel, int row, double value_s, Marker marker, Role role) {
  Mark mark{.row = row, .value = value_s, .role = role, .marker = marker};
  mark.dashed = mark.beside = true;
  panel->marks.push_back(mark);
}

/// What is expected of a rung that has no result, with what was said beside it.
void add_draft(Panel* panel, const PredictedRow& row) {
  Mark draft{
      .row = row.row, .value = row.predicted_s, .role = Role::text, .marker = Marker::diamond};
  draft.dashed = true;
  draft.label = row.draft;
  draft.note = row.note;
  panel->marks.push_back(std::move(draft));
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
    const auto bar_at = static_cast<size_t>(bar - panel.marks.begin());
    const double measured_s = has_bar && !row.is_elsewhere && !bar->beside ? bar->value : INFINITY;
    if (has_bar) bar->note += (bar->note.empty() ? "" : "\n") + row.note;
    if (is_drawable(row.predicted_s)) {
      if (has_bar || row.draft.empty())
        add_point(&panel, row.row, row.predicted_s, Marker::diamond, Role::text);
      else
        add_draft(&panel, row);
      if (!has_bar) panel.marks.back().note = row.note;
      any_prediction = true;
    }
    // What took less than the least time shows that a ceiling under the model was measured too low.
    const bool is_refuted = row.least_s && *row.least_s > measured_s;
    if (is_refuted)
      panel.marks[bar_at].note +=
          "\nThe model's least time is above what was measured: a ceiling that it rests on was "
          "measured too low.";
    if (row.least_s && is_drawable(*row.least_s) && !is_refuted) {
      add_point(&panel, row.row, *row.least_s, Marker::triangle, Role::muted);
      if (!has_bar && !is_drawable(row.predicted_s)) panel.marks.back().note = row.note;
      any_model = true;
    }
    if (!row.note.empty()) ladder->summary += " " + row.note;
  }
  put_on_log_axis(&panel);
  if (any_prediction) ladder->legend.push_back("hollow diamond: predicted");
  if (any_model) ladder->legend.push_back("hollow triangle: least time by the model");
}

}  // namespace ridge::chart
