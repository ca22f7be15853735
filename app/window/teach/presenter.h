// Presenter mode and tours: which beat a step is at, what Page Down does next, and where a tour stands. What the canvas
// shows of a step is worked out in step.h and the files beside it that begin alike.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/study/tour.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

/// What presenting changes, as it was when it began.
struct BeforePresenting {
  Selection selection;
  ViewState view;
  Appearance appearance;
};

/// A learner's tour, as it was left for one on a stage.
struct LeftTour {
  std::shared_ptr<const study::Tour> tour;
  std::string run;
  int step = 0;
  Beat beat = Beat::predict;
  TourSteps steps;
  double took_s = 0;
  bool leaves_place = false;
};

/// Into presenter mode: the canvas alone, larger, full screen. Out of it: everything as it was, the size of the window
/// too.
void toggle_presenter(State& state);
/// The key: on Home the tour that was begun, or the list of them, as the button there; elsewhere what is in view.
void present_here(State& state);
/// For a room: the tour from its first step, where a speaker begins, with no answer yet. The place that was kept in it
/// stays, and the notice says how it is reached. A tour that is on in the window waits as it is, until the stage is left; one
/// that is on stage goes on.
void begin_on_stage(State& state, const std::string& id);
/// As the program starts with --presenter: the tour that was begun last, from its first step; without one the list of them
/// lies over the selected rung's question. From Home a tour that is open begins again for the room, as begin_on_stage()
/// says. A saved run is shown from the step of its ladder that gains most, else from its
/// first result, where no rung was chosen.
void begin_presenting(State& state, bool keeps_rung = false);
/// The same of this tour, in presenter mode.
void present_tour(State& state, const std::string& id);

/// Page Down and Page Up: predict, run, reveal, explain; then the next rung, or the tour's next step, or its end card.
/// Run needs an answer; a presenter whose room gave none presses twice.
std::string advance_blocker(const State& state);
/// In a tour's window: why its button is locked at a question, or while the step runs; empty: it is not. The key says the
/// same when it is pressed.
std::string locked_because(const State& state);
/// Why the key that runs the lab's ladder does not run the step whose canvas is in view; empty: it does as the step's own
/// button.
std::string step_run_blocker(const State& state);
/// Why the step in view cannot be measured once more; empty: it can.
std::string again_blocker(const State& state);
/// Its run failed, was cancelled, or is in doubt: the canvas offers it.
bool should_run_again(const State& state);
void run_again(State& state);
void advance(State& state);
void go_back(State& state);

/// Whether this step's run is under way: measured here, or played from a recording.
bool is_step_running(const State& state);
/// At each refresh: the clock, what is sent next, when a recording takes over. True when the picture changed.
bool tick_teaching(State& state, double now_s);

// ---- tours ----
/// From its beginning with nothing said, or from a step that was reached before (0 or more), with what was said and shown
/// then in this session. A saved run that is open is closed for it; one that the
/// program was started with stays, and the canvas says so. The notice says why not.
void start_tour(State& state, const std::string& id, int step = -1);
/// Its end card again, with what this session knows of its steps.
void show_end_card(State& state, const std::string& id);
/// The end card, where a step was revealed; from there, and without one, the tour is left. What it showed is kept for
/// going on with it.
void stop_tour(State& state);
void end_tour(State& state);
/// A saved run that a rehearsal made: the tour at that step, shown from it. False: it is no such run.
bool open_rehearsed(State& state);
/// Any step of the tour, its question first: steps are left out, or taken again.
std::string jump_blocker(const State& state);
void go_to_step(State& state, int step);
/// A recording or another saved run is open over the session that the tour belongs to.
bool is_away_from_tour(const State& state);
/// A step is in view, in the window or on a wall.
bool shows_canvas(const State& state);
/// Whether the canvas of a tour or of the presenter is the screen that is shown.
bool is_on_canvas(const State& state);
/// The canvas of the tour's step, as it was left, after a look at another screen, lab or saved run; without a tour the
/// screen that offers one.
void show_tour(State& state);
/// Null without a tour.
const study::TourStep* tour_step(const State& state);
/// Without a tour: the rungs of the lab that are asked about one after the other, as the head counts them.
std::vector<std::string> presented_rungs(const State& state);
/// The next of them, `by` 1, or the one before, -1; empty: there is none. A library that stood beside one of them keeps its
/// place and has no question of its own.
std::string rung_ahead(const State& state, int by);
/// "step 2 of 8 · 4 of 15 min"; of a rung that is presented without one "rung 2 of 8"
std::string tour_clock(const State& state);
/// Files the report of what the tour measured, and says where in the notice.
void report_tour(State& state);

// ---- drawn --------------------------------------------------------------------------------

/// In the lab while a tour is on: a line that leads back to it.
struct TourBar {
  /// 0 while no tour is on.
  static float height(const Ui& ui);
  static void draw(Ui& ui, Area area);
};

}  // namespace ridge::window
