// Predict before Run: reading an expectation, keeping it until Run locks it, and the marks that
// reveal it on the ladder; and the field under the chart.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "app/window/shell/overlays.h"
#include "app/window/shell/ui.h"
#include "app/window/views/chart_rows.h"
#include "common/view/report/predictions.h"

namespace ridge::window {

/// What "3x" refers to: the rung that the lesson's question names, else the baseline where it has a result at these
/// parameters, else the nearest rung above that has one, or a draft, else the nearest above that can run here.
struct Reference {
  std::string title;   ///< empty: there is none
  double time_ns = 0;  ///< 0: it has no result yet
  std::string kernel = {};
};
Reference reference_of(const State& state, const std::string& kernel);

/// What a lesson's question is about: "How many times as fast as *loop order* is it at n = 2048?"
struct Asked {
  Params set = {};      ///< the parameters that it names, at stops of the lab: n = 2048
  std::string of = {};  ///< the rung that a factor is over; empty: it names none
};
Asked asked_in(const std::string& question, const Lab& lab, const std::string& kernel);
/// "n = 2048"; of nothing set the lab's size in view. Empty: the lab has no size.
std::string asked_size(const State& state, const Params& set);
/// Whether the rung has shown a time at the parameters in view but for these, in this session.
bool has_seen(const State& state, const std::string& kernel, const Params& set);
/// Where the rung has run at `set`: another size of the lab at which it has not, and can within seconds; empty: none.
Params unseen_size(const State& state, const std::string& kernel, const Params& set);
/// The size that a lesson's question about this rung asks for: the one in view while it is predicted there, once it was,
/// and where a learner chose one at which it has not run; else the one that the lesson names, or another where that has
/// been seen.
Params size_to_ask(const State& state, const std::string& kernel, const Params& written);
/// Whether the field can take the answer: a time of a call, or a factor.
bool asks_for_time(std::string_view question);
/// Sets what the question names and opens the field for it.
void ask_prediction(State& state, const std::string& kernel, const Asked& asked);

/// "12 ms", "850 us", "1.5s", or "3x" (three times as fast as the reference). usage: neither of these,
/// not above 0, or a factor without a reference.
Result<double> parse_prediction(std::string_view text, const Reference& reference);

/// The row of a rung that cannot run here, where a recording, or the saved run that is open, has its result at the size in
/// view: that answers a prediction. Null: none has.
const RungView* recorded_row(const State& state, const std::string& kernel);
/// Why nothing may be predicted now for the selected rung; empty: it may.
std::string predict_blocker(const State& state);
/// Takes `text` as the selected rung's expectation, or says in the notice what is wrong with it. What a recording has
/// answers it at once.
bool set_draft(State& state, const std::string& text);
/// Dragged there: two digits, since more would claim to know more than anyone expects.
void drag_draft(State& state, double value_ns);
/// What a dragged bar spans, ns: from a thousandth of the reference to ten times it.
Interval draft_span(const State& state);
/// The draft of this rung at the parameters in view; null: none.
const Draft* draft_of(const State& state, const std::string& kernel);
/// The field takes an answer: a saved run has none that is opened while a live session's field is open.
bool is_predict_open(const State& state);
/// What Run runs for the predictions that wait for it: their rungs, and what a factor is over where that has no result.
/// Empty: nothing waits, and it runs all.
std::set<std::string> predicted_rungs(const State& state);
/// Run was pressed: the drafts of what it runs go into the transcript, and cannot be changed. A rung that a factor is
/// over, and that has no result yet, is put before the others. False: what stands in the field cannot be read; the notice
/// says why, and nothing is to run.
bool lock_drafts(State& state, WorkRequest* request);
/// What was predicted for this rung at the parameters in view, from the run that its row shows; of a recorded row against
/// the recording.
std::optional<report::Revealed> revealed_of(const State& state, const std::string& kernel);

/// Drafts, predictions and the model's bound onto a ladder made of these rows.
void mark_predictions(const State& state, const ChartRows& rows, chart::ChartModel* ladder);

/// This rung is being predicted: the field is open for it, a draft waits for Run, or the presenter has
/// not revealed it yet.
bool is_predicting(const State& state, const std::string& kernel);

/// Its prediction at the parameters in view is locked, and the run that answers it goes on.
bool is_locked(const State& state, const std::string& kernel);

/// The rung's lesson asks for a prediction.
bool has_question(const State& state, const std::string& kernel);
/// Of a learner, and a rung that cannot run here: its lesson asks for its figure, and neither was an answer written nor
/// the outcome asked for.
bool awaits_answer(const State& state, const std::string& kernel);
/// In State::view.open_answers: that what is folded beside the rung in view, and in a tour at the step in view, is turned
/// around: what was open is folded. Another rung's answers, and another step's, stay as they are.
std::string key_of_all(const State& state);
/// In State::view.open_answers: that the outcome of this rung was asked for.
std::string key_of_outcome(const std::string& kernel);
/// The reader asked for it: its fold is open, or all are.
bool shows_outcome(const State& state, const std::string& kernel);

/// A rung of the tour's step in the lab in view, before its Reveal: what the lab runs meanwhile does not answer it. What was
/// seen before the step was opened stays seen.
bool awaits_reveal(const State& state, const std::string& kernel);
/// No view has this result of the rung: the tour's step that asks about it has not been revealed; or its lesson awaits an
/// answer about this problem, or that of a rung before it does; or the rung is predicted at these parameters, and has no
/// draft. A click on the selected rung's row uncovers all of it.
bool hides_result(const State& state, const std::string& kernel, const Params& params);
bool hides_result(const State& state, const Series& series);
/// The same of the parameters in view.
bool is_covered(const State& state, const std::string& kernel);

/// Opens the field, or gives it the keyboard where it is open.
void open_predict(State& state);
void close_predict(State& state);
/// The field has the keyboard.
bool types_prediction(const State& state);
/// Whether the field takes this sign after what stands in it: a number, then a unit of time or the sign of a factor.
bool takes_expected(std::string_view typed, uint32_t sign);
/// A character that is typed before the field that opens has the keyboard goes into it. False: no field opens, or it is
/// none that the field takes.
bool takes_typed(State& state, unsigned character);

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
