// Predict before Run: reading an expectation, keeping it until Run locks it, and the marks that
// reveal it on the ladder; and the field under the chart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/window/shell/overlays.h"
#include "app/window/shell/ui.h"
#include "app/window/views/chart_rows.h"
#include "common/view/report/predictions.h"

namespace ridge::window {

/// What "3x" refers to: the baseline where it has a result at these parameters, else the nearest rung
/// above that has one, or a draft.
struct Reference {
  std::string title;  ///< empty: there is none
  double time_ns = 0;
};
Reference reference_of(const State& state, const std::string& kernel);

/// "12 ms", "850 us", "1.5s", or "3x" (three times as fast as the reference). usage: neither of these,
/// not above 0, or a factor without a reference.
Result<double> parse_prediction(std::string_view text, const Reference& reference);

/// Why nothing may be predicted now for the selected rung; empty: it may.
std::string predict_blocker(const State& state);
/// Takes `text` as the selected rung's expectation, or says in the notice what is wrong with it.
bool set_draft(State& state, const std::string& text);
/// Dragged there: two digits, since more would claim to know more than anyone expects.
void drag_draft(State& state, double value_ns);
/// What a dragged bar spans, ns: from a thousandth of the reference to ten times it.
Interval draft_span(const State& state);
/// The draft of this rung at the parameters in view; null: none.
const Draft* draft_of(const State& state, const std::string& kernel);
/// Run was pressed: the drafts of what it runs go into the transcript, and cannot be changed.
void lock_drafts(State& state, const WorkRequest& request);
/// What was predicted for this rung at the parameters in view, from the run that its row shows.
std::optional<report::Revealed> revealed_of(const State& state, const std::string& kernel);

/// Drafts, predictions and the model's bound onto a ladder made of these rows.
void mark_predictions(const State& state, const ChartRows& rows, chart::ChartModel* ladder);

/// This rung is being predicted: the field is open for it, a draft waits for Run, or the presenter has
/// not revealed it yet.
bool is_predicting(const State& state, const std::string& kernel);

/// Opens and closes the field.
void toggle_predict(State& state);

// ---- drawn --------------------------------------------------------------------------------

/// The place where an expectation is typed or dragged, and where it is revealed afterwards.
struct PredictBar {
  /// 0 where there is nothing to predict and nothing was.
  float height(const Ui& ui) const;
  void draw(Ui& ui, Area area) const;

 private:
  void draw_field(Ui& ui, Area area) const;
  void draw_slider(Ui& ui, const Area& area) const;
};

}  // namespace ridge::window
