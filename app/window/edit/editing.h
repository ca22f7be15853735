// A rung's file in the learner's hands: their copy, what became of each save, and the row that it has in
// the ladder. No ImGui here. One file is open at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/query/editing.h"
#include "app/window/shell/state.h"

namespace ridge::window {

/// Of the comparison after each save: the rounds that fit. Compare has the whole limit.
inline constexpr double kComparison_s = 8;

struct Editing {
  Editing(const Rung& made_from, const std::string& file, const std::string& original_text);
  /// `after`: the row that it goes on from.
  Editing(const Rung& after, const std::string& file, const app::Exercise& exercise);

  std::string kernel, id;      ///< what it was made from or goes on from; the learner's
  std::string original;        ///< the text to go back to
  std::string exercise, task;  ///< its name and what is to be done; empty: a copy of a rung
  std::vector<std::string> hints = {};  ///< of an exercise
  std::vector<app::CountTarget> targets =
      {};  ///< of a puzzle: a save is counted, and `build_request` is that
  std::string title, change;
  Rung rung;  ///< the ladder's row; its texts are the strings above
  app::FileWatch watch;
  std::string text;       ///< as it stands in the window
  std::string on_disk;    ///< as it was last read or written
  std::string as_opened;  ///< as it was found; empty from the first save on
  std::string built;      ///< what the last build was asked for
  std::string dtype;      ///< and for which data type; empty: the text's first
  int kept = 0;  ///< the number of the text on disk among the file's saves, which outlive a session
  std::map<int64_t, int> numbers = {};  ///< of the saves that were built, by request
  int texts = 0;                        ///< counts the texts that did not come from the window
  bool wants_build = false, wants_run = false, wants_comparison = false;
  bool cancels = false;       ///< its build, run or comparison, because there is a newer text
  bool leaves_field = false;  ///< by Esc: the text stays as it is
  bool in_field = false;      ///< the editor has the keyboard
  bool is_again = false;      ///< what was saved last is the text of the save before
  bool is_recorded = false;   ///< of a saved run: it is read, and nothing of it is built
  double build_since_s = 0;   ///< when the build was asked for, by the window's clock
  double now_s = 0;           ///< that clock
  int64_t build_request = 0, run_request = 0, compare_request = 0;  ///< 0: none yet
  int64_t saved_ns = 0;           ///< real-time clock, of what is built or run
  std::optional<double> first_s;  ///< from that save to the first verified number
  double look_s = 0;              ///< when the file was last looked at
  bool is_unsaved() const { return text != on_disk; }
  /// Nothing was written yet, or all of it was taken back: of an exercise, its hole is open.
  bool is_as_handed_out() const { return text == original && on_disk == original; }
};

/// Your turn shows the open file: letters are its text, F5 is for it.
bool is_editing_here(const State& state);
/// What F5 and Esc do there, for the line at the bottom.
std::string editing_keys(const State& state);
/// Why nothing can be built now; empty: F5 saves the text, and it is built, checked and timed.
std::string build_blocker(const State& state);
/// Esc leaves the field, then the screen; what is not saved is asked about once.
void leave_editing(State& state);
/// Whether the selected rung is the learner's.
bool edits_selected(const State& state);
std::string edit_blocker(const State& state);
std::string save_blocker(const State& state);
/// After the end of a worker: the next one does not know the learner's rung yet.
void build_again(State& state);
std::string hint_blocker(const State& state);
/// The next hint: spent, and remembered as spent.
void show_hint(State& state);
/// Hints of the open exercise that were shown, now or in an earlier session.
size_t hints_shown(const State& state);
/// Makes the copy, where there is none, and opens it; the second time it goes back to it.
void start_editing(State& state);
/// A learner's file of the exercise, beside the rung that it goes on from; the lab is changed for it.
void start_exercise(State& state, const app::Exercise& exercise);
/// Takes the name that a leaderboard shows, and writes it into the session's run, once each.
void name_learner(State& state, const std::string& name);
/// Why the session cannot be put into the class's folder; empty: it can.
std::string hand_in_blocker(const State& state);
/// The session's run, under the learner's name, into the class's folder; what is there is not written over.
void hand_in(State& state);
/// What was done of an exercise so far, in all sessions.
ExerciseProgress exercise_progress(const State& state, const std::string& exercise);
/// The selected row is a learner's: the rung that it was made from or goes on from; else null.
const RungView* made_from(const State& state);
/// What an edit of the run stands after: its original; of an exercise, whose name no ladder has, what it was
/// compared with, else what its text says (an exercise of ours). Empty: nothing in this lab.
std::string original_rung_of(const State& state, const std::string& edit);
/// Rows for the edits of `rung` that the run holds besides the open one: of a saved run, or made before it
/// in this session. They are read from what was recorded, and stay where they are.
std::vector<const Rung*> kept_edits(const State& state, const Rung& rung);
/// Where the selected one is such an edit of a saved run: that nothing of it is built here; else empty.
std::string replayed_edit_note(const State& state);
/// Opens the edit of a saved run (the selected one, else the last that was built) to be read; false: it holds none.
bool open_recorded_edit(State& state);
bool is_building(const State& state);
/// The text is as it was when the file was opened: it was not saved since.
bool is_as_left(const State& state);
void save_edit(State& state);
/// The original's text in the window and in the file; what was there is kept among the saves.
void revert_edit(State& state);
/// Looks at the file, builds what was saved, runs what was built, compares what passed its check with the original.
/// A copy that nothing was written into is closed where the window shows something else. True when something moved.
bool tick_editing(State& state, double now_s);

/// The machine code of what was built last; null while it has not come, and where that did not compile.
const AssemblyText* edit_listing(const State& state);
/// What the last build gave; null before it has ended.
const EditBuild* last_build(const State& state);
/// Where it stands, in a sentence; `is_error`: it did not build, or failed its check.
std::string editing_status(const State& state, bool* is_error);

}  // namespace ridge::window
