// The state of teaching: what is studied, what a learner expects, where a presenter or a tour stands, and
// what runs again by itself. Plain data; study.h, predict.h and presenter.h work on it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/study/cards.h"
#include "common/record/request.h"
#include "common/record/run.h"
#include "common/record/types.h"

namespace ridge::study {
struct Tour;
}

namespace ridge::window {

struct BeforePresenting;
struct LeftTour;
struct Selection;

/// An expectation that is not locked yet: Run puts it into the transcript.
struct Draft {
  std::string text;     ///< as typed: "3x", "12 ms"
  double value_ns = 0;  ///< 0: a factor over a rung that has no result yet; Run runs that one first
  Params params;        ///< the rung's, when it was typed
  double factor = 0;    ///< typed so: times as fast as `of`; 0: a time was typed
  std::string of = {};  ///< kernel id
};

/// An expectation of a rung that does not run here: a recording answers it as it is entered.
struct Settled {
  Prediction said;
  Params params;         ///< the rung's in view, when it was typed
  bool is_late = false;  ///< what was recorded was in view before
};

/// Where a step stands. Page Down goes on, Page Up goes back. `done`: the tour's end card.
enum class Beat { predict, run, reveal, explain, done };

/// What was answered at a step: a number as typed, or a choice.
struct StepAnswer {
  std::string typed;
  int choice = -1;  ///< from 0; -1: none
};

/// What became of a step that was revealed, for the end card.
struct StepResult {
  std::string title;  ///< "three loops, -O1 → loop order"
  std::string said, measured;
  std::string at;  ///< "n = 256 · fp32 · 1 thread"; empty: at several sizes
  /// Of a number: how far off the interval that was measured, as a factor from 1 on; 1: inside it.
  std::optional<double> off;
  std::optional<double> over;  ///< what was said over the interval's nearer end
  std::optional<bool> right;   ///< of a choice
  bool is_told = false;        ///< the answer is the step's own, and was not measured
  /// Why it has neither though it was answered; empty: it has, or nothing was shown.
  std::string ungraded;
  /// Request and place of the series that were measured here and that the grade rests on; of a pair none.
  std::vector<std::pair<int64_t, int>> rests_on;
  std::string withdrawn;  ///< what this session measured later against the grade; empty: nothing
  std::string claim;      ///< the paired verdict with its interval; empty: no comparison was made
  Verdict verdict = Verdict::unresolved;
  bool is_cancelled = false;  ///< its run was: the step is not done
};

/// What was said and shown at the steps of a tour, by step; `asked_at`: its requests, and the step that sent each.
struct TourSteps {
  std::map<int, StepAnswer> answers;
  std::map<int, StepResult> results;
  std::map<int64_t, int> asked_at;
  std::map<int, std::vector<int64_t>> runs;  ///< of each step the requests of its last run
};

/// The study screen: what is open on it, what was chosen since the start, and what is known of the cards.
struct Studying {
  bool is_quiz = false;
  std::string deck;  ///< its lab; empty: the first
  std::string card;  ///< id; empty: the next one that is due
  bool is_turned = false;
  bool goes_on = false;  ///< nothing is due, and the deck is gone through all the same
  std::string question;  ///< id; empty: the first
  std::map<std::string, std::string> chosen;  ///< question id: label of the choice
  study::Progress progress;                   ///< of the cards and the quiz
  std::string path;     ///< where the progress is kept; empty: nowhere (tests, shot)
  std::string kept;     ///< the file's text as it was read or written last
  std::string problem;  ///< why the file there could not be read: it is not written over
};

/// The teaching loop: predictions, the presenter, tours.
struct Teaching {
  bool predicting = false;  ///< the field is open
  bool predicts_saved = false;  ///< it was opened over a saved run
  bool has_keyboard = false;  ///< the field has it
  bool wants_focus =
      false;              ///< until it has the keyboard: what is typed meanwhile goes into `typed`
  std::string uncovered;  ///< kernel id whose figures were asked for in spite of the open field
  std::string asked_kernel,
      asked_of;           ///< a lesson's question: of this rung, a factor over that one
  Params asked_set;       ///< the size that a question has set: no learner chose it
  std::string typed;      ///< in the field
  std::string typed_for;  ///< kernel id the text belongs to
  std::map<std::string, Draft> drafts;  ///< by kernel id
  std::map<std::string, Settled> settled;  ///< by kernel id

  bool presenting = false;
  std::shared_ptr<const BeforePresenting> before;  ///< what presenting changes; null: it is off
  std::shared_ptr<const LeftTour> learners;  ///< goes on where presenting ends; null: none was on
  double pointer_moved_s = 0;                      ///< when the mouse was moved last on the stage
  bool hides_pointer = false;                      ///< it rests there
  Beat beat = Beat::predict;

  std::shared_ptr<const study::Tour> tour;  ///< null: none
  std::shared_ptr<const Selection> before_tour;  ///< what was chosen before it; null without one
  std::string tour_run;  ///< the saved run that the tour belongs to, its file; empty: the session
  bool returns = false;  ///< to the tour's canvas, once its session is the one that is shown
  bool leaves_place =
      false;  ///< it was begun for a room: the place that a learner kept in it stays
  int tour_step = 0;
  std::map<int, StepAnswer> answers;  ///< by step; without a tour that of the presented rung, at 0
  std::string answers_of;             ///< that rung: of another one the answers are dropped
  std::set<std::string>
      told;  ///< libraries that stood beside a presented rung: no question of their own
  std::map<std::string, StepAnswer>
      shown;                       ///< rungs that the presenter revealed, and what was said
  std::set<std::string> revealed;  ///< rungs of revealed steps: what was seen is not covered again
  std::map<int, StepResult> results;  ///< of the steps that were revealed
  std::map<std::string, TourSteps>
      left;                           ///< of tours that were left, by id, in the window's session
  int focused_step = -1;              ///< whose field has been given the keyboard; below 0: none
  bool skips_answer = false;          ///< the presenter was told that the room has not answered
  std::vector<WorkRequest> waiting;   ///< of this step's run: sent one after the other
  std::vector<int64_t> sent;          ///< of this step's run
  std::map<int64_t, int> asked_at;    ///< all requests of this tour: the step that sent each
  std::map<int, std::vector<int64_t>> runs;  ///< of each step the requests of its last run
  int64_t seen_to = 0;  ///< a request up to this one was over when the step's question was opened
  double beat_started_s = 0;
  double playback_from_s = -1;  ///< the recordings of this step are played since then; below 0: not
  bool show_tours = false;      ///< the list of them
  bool show_steps = false;      ///< the list of the tour's steps
  bool show_keys = false;       ///< the list of the keys that work on the canvas
  int list_at = 0;              ///< the row of the open list that Enter takes; below 0: none
  std::string wanted_tour;      ///< its id: begins once a saved run that was open is closed
  int wanted_step = 0;          ///< as start_tour() takes it
  double now_s = 0, tour_started_s = 0;  ///< the window's clock

  int pages = 0;          ///< turned in what is longer than its place, since the step was explained
  bool has_more = false;  ///< some of the explanation is below: Page Down turns to it first
  int diagram_moves = 0;  ///< steps asked for by key, forward and back, until a diagram takes them

  bool reruns = false;  ///< a change of a parameter runs the selected rung again
};

}  // namespace ridge::window
