// What the window knows and shows, as plain data: no ImGui here, so that every action can be tested
// without a display. Panels read State and dispatch changes (Ui::dispatch), actions
// (actions.h) first of all; nothing else changes it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/query/recordings.h"
#include "app/session/session.h"
#include "app/window/inspect/count_view.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/inspect/lanes_view.h"
#include "app/window/inspect/walk_view.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/ladder.h"
#include "app/window/shell/selection.h"
#include "app/window/shell/settings.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/shell/written.h"
#include "app/window/teach/teaching.h"
#include "app/window/teach/tour_progress.h"
#include "app/window/views/history_view.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::window {

using app::Recording;

struct State;

/// What the window shows between its bars; screens.cpp has a row for each.
enum class ScreenId {
  home,
  lab,
  workbench,
  cards,
  compare,
  beside,
  timeline,
  machine,
  binds,
  report,
  classroom,
  settings,
  shortcuts,
  tour,
  presenter
};
enum class Tab { lesson, source, diff };

/// The rung's file; the file with its headers folded in; what the compiler made of it.
enum class SourceForm { file, flat, assembly };

/// What the strip below it shows; automatic: telemetry while something is measured.
enum class Strip { automatic, samples, telemetry };

/// A link of the lesson that was followed: the place in a rung's source to scroll to and to mark.
struct CodeMark {
  std::string kernel, anchor;
  int jumps = 0;  ///< counts the clicks: the same link scrolls again
};

/// What of the window is open, and where. Nothing in here was measured.
struct ViewState {
  ScreenId screen = ScreenId::lab;
  size_t tours_from =
      0;  ///< which tour Home's door lists first; there may be more than it has room for
  std::set<std::string> open_recorded;  ///< labs whose recordings Home lists machine by machine
  bool shows_all_recorded = false;      ///< Home lists every lab that was recorded
  bool show_menu = false, show_levels = false, show_palette = false;
  int menu_at = -1;  ///< the marked line of the menu or of the levels; -1: the one that is shown
  std::string palette_typed;
  int palette_at = 0;  ///< the line that Enter does
  bool show_glossary = false;
  std::string glossary_typed, glossary_term;  ///< what is looked for; the term that is open
  CodeMark code_mark;
  std::set<std::string> open_answers;  ///< of the lesson: "<part>#<question>"; see key_of_all()
  std::set<std::string> solutions;     ///< of puzzles that are not solved: those that were asked for, by kernel
  std::string wanted_exercise;         ///< its name: chosen before the worker had listed its rungs
  Tab tab = Tab::lesson;
  SourceForm source_form = SourceForm::file;  ///< what the source tab shows of the rung
  bool show_chart_menu = false;
  float chart_menu_x = 0, chart_menu_y = 0;  ///< where the right button was pressed
  Strip strip = Strip::automatic;
  bool show_log = false;
  bool show_notes = false;    ///< the fields for the author's words, over the report
  bool show_experts = false;  ///< the lab's expert rungs are not folded away
};

/// The notice that holds only while something is being measured.
inline constexpr const char* kBusyNotice = "A measurement is running; Esc cancels it.";

/// One sentence at the bottom, until the next action.
struct Notice {
  std::string text;
  bool is_error = false;
};

/// The line of text that is being edited. What stands in it counts once `take` has been called with it.
struct Typing {
  std::string field{}, text{};  ///< the widget, and what stands in it; empty: none is edited
  std::function<void(State&, const std::string&)> take{};
};

/// What is measured or loaded: the session that is shown, the one behind a saved run, the recordings.
struct Sessions {
  app::Session* shown = nullptr;          ///< not owned: outlives the state, or is `opened`
  app::Session* own = nullptr;            ///< while a saved run is open: the session to go back to
  std::unique_ptr<app::Session> opened;   ///< the saved run; null: none
  std::string opened_path;                ///< its file, or that of --replay
  std::string claimed_path;               ///< of the run that a link brought; empty: none did
  std::shared_ptr<const Run> beside;      ///< a second saved run; null: none
  std::string beside_path;                ///< its file
  std::shared_ptr<const Run> before;      ///< of the session before (recall_session); null: none
  std::string before_path;                ///< its file
  std::optional<std::string> wanted_run;  ///< opened by the next refresh(); empty: back to `own`
  std::optional<std::pair<std::string, std::string>> wanted_recordings;  ///< the same: lab, machine
  std::vector<Recording> recordings;

  const Run& run() const { return shown->run(); }
  bool is_replay() const { return shown->state() == app::WorkerState::replay; }
  /// What is shown came with a link, and was not measured here.
  bool is_claimed() const { return opened && !claimed_path.empty() && opened_path == claimed_path; }
};

struct Editing;  ///< edit/editing.h

struct State {
  Sessions sessions;
  Ladder ladder;      ///< of the lab in view, from the sessions
  Requests requests;  ///< what the worker was asked for
  Selection selection;
  ViewOptions options;
  ChartAsked chart;
  ViewState view;
  Notice notice;
  Typing typing;
  Written written;
  Studying studying;
  Teaching teaching;
  std::shared_ptr<Editing> editing;  ///< a learner's file; null: none is open
  Inspecting inspecting;
  Walking walking;
  Counting counting;
  LanesLook lanes;
  HistoryLook past;  ///< the selected rung over time
  FirstClimb first_climb;
  TourProgress tour_progress;
  Appearance appearance;
  Settings settings;
  History history;

  const Run& run() const { return sessions.run(); }
  bool is_replay() const { return sessions.is_replay(); }
};

/// One canvas, one button: what else there is, the palette finds.
inline bool is_learning(const State& state) {
  return state.appearance.level == Level::kLearn;
}

/// Picks the lab, its parameters and a first selection; `lab_id` may be empty. Asks a live worker
/// for its catalogue.
void open_lab(State& state, const std::string& lab_id);

/// The recorded runs, which come after the first frame: what opened without them opens as it would have with
/// them, unless something was chosen since.
void take_recordings(State& state, std::vector<Recording> recordings);

/// Takes what stands in the field that is being edited: when it is left, and before anything is done that may use it.
void finish_typing(State& state);

/// Keeps what was chosen in the lab, for coming back to it.
void leave_lab(State& state);

/// Advances what is waiting on the worker (catalogue, then sources and estimates) and rebuilds the
/// ladder when anything moved. `now_s` is any monotonic clock. True when the picture changed.
bool refresh(State& state, double now_s);

}  // namespace ridge::window
