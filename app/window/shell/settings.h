// What is remembered between starts, in the settings file: how the window looks and where things lie; runs that can be
// opened again (kept as transcripts) and which rungs were verified on this machine.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/core/level.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::window {

struct State;

/// A run that can be opened again.
struct RecentRun {
  std::string path, title;          ///< "GEMM · 7 rungs"
  std::string machine, time_utc;    ///< empty: not recorded in it
  std::vector<std::string> labs{};  ///< ids of those that it has results of
};

/// What a learner did of an exercise.
struct ExerciseProgress {
  int hints_spent = 0;
  bool is_solved = false;  ///< verified, and not slower than the rung that it goes on from
};

/// What was done so far; all of it but left_params, last_export and handed_in is kept.
struct History {
  std::string runs_folder;        ///< where transcripts are kept; empty: nowhere (tests, shot)
  std::string run_file;           ///< this session's, once there is something in it
  std::vector<RecentRun> recent;  ///< newest first
  std::map<std::string, std::set<std::string>> verified;  ///< lab id: kernels that passed here
  std::map<std::string, ExerciseProgress> exercises;      ///< by name
  std::string last_lab;  ///< of the session before; empty: the program was never used
  std::map<std::string, Params> left_params;  ///< by lab id: what was chosen there, for coming back
  std::string last_export;                    ///< folder of the last export
  std::string handed_in;  ///< this session's file in the class's folder; empty: not there
};

/// $XDG_STATE_HOME or ~/.local/state, then ridgepoint/runs. Empty without a home.
std::string default_runs_folder();

/// At each refresh: from the first measurement on the session keeps its transcript below state.history.runs_folder
/// (one file a session, the newest kKeptRuns are kept), and the run is listed first. Does nothing for a
/// replay; nothing is kept where runs_folder is empty. What cannot be written shows in the notice.
void keep_run(State& state);
/// After a request has ended: notes verified rungs, brings what is kept to the disk, lists the run with what
/// it holds now.
void remember_run(State& state);
inline constexpr size_t kKeptRuns = 20;

/// Puts a run first in the list, once; drops what is beyond kKeptRuns.
void list_recent(State& state, const std::string& path, const Run& run);

/// Shows a saved run instead of the worker's, from the next refresh() on; an empty path leads back to
/// the worker. Refused, with the reason in the notice, while something is being measured.
void open_run(State& state, const std::string& path);
/// From a saved run, where nothing can be measured: what the button that leads on is called, and what it does.
std::string way_out(const State& state);
void take_way_out(State& state);
/// Puts a second saved run beside the one that is shown (screen_beside.cpp); an empty path takes it away. Refused, with
/// the reason in the notice, where the two solve nothing in common.
void open_beside(State& state, const std::string& path);
/// Shows the recordings of one lab on one machine in place of the worker's run, as open_run() shows a saved one.
void open_recordings(State& state, const std::string& lab, const std::string& machine);
/// What Sessions::opened_path is then.
std::string recordings_path(const std::string& lab, const std::string& machine);
/// The newest run of a session before that has results of this lab; null: none is kept.
const RecentRun* kept_run_of(const State& state, const Lab& lab);
/// Loads that run into Sessions::before where the report has to be of it: this session has no result of the lab in view.
/// Only one that this program kept: a run of somebody else's that was looked at is none of the reader's.
void recall_session(State& state);
/// Whether anything of the lab was timed in the run.
bool has_results(const Run& run, const Lab& lab);
/// What refresh() does about it.
void open_wanted_run(State& state);

struct LabProgress {
  int verified = 0, runnable = 0;
  bool is_of_puzzles = false;
  std::string
      missing;  ///< why not all of them were: "1 expert rung is folded: X shows it"; empty: all were, or none
};
/// Rungs of a lab that were verified here, of those that this machine can run (0: not known yet); of puzzles those that are
/// solved.
LabProgress lab_progress(const State& state, const Lab& lab);

// ---- settings ----------------------------------------------------------------------------------

struct State;

/// The mode of the runs to come, also after the next start.
void choose_mode(State& state, RunMode mode);
/// On the screens that list exercises: what the command line or another window has solved since, and hints spent there.
/// Looks at most once a second. True: something is new.
bool reread_exercises(State& state, double now_s);

/// How the window looks.
struct Appearance {
  /// How much of it is shown; a figure is the same at every level. The window of a first start is at kLearn.
  Level level = Level::kLab;
  bool light_theme = false;
  bool reduced_motion = false;  ///< nothing moves by itself
  bool log_time = false;  ///< the view Gains has times on a log axis in place of bars of speed
  float scale = 1;        ///< 0.75 to 3
  bool full_screen = false;
  float left_width = 228;  ///< of the side panels at scale 1, pixels
  float right_width = 0;   ///< the same; 0: as fits
};

/// Where things lie, and how the worker is started.
struct Settings {
  std::string path;             ///< of the file; empty: nothing is saved (tests, shot)
  std::string worker_command;   ///< as given; empty: the worker beside this program
  std::array<int, 4> window{};  ///< x, y, width, height when last closed; width 0: as given
  std::string edits_folder;     ///< where copies are made; empty: the learner's own
  std::string class_folder;     ///< of the leaderboard's runs; empty: those of this machine
  std::string learner;          ///< the name that a leaderboard shows; empty: the file's
  std::string export_root;      ///< folder under which exports are written
  RunMode mode = RunMode::
      measure;  ///< as it was chosen last, or as the climb set it; a tour's own mode is not kept
  std::string kept;             ///< the file's text as it was read or written last
  std::string seen;             ///< that text as reread_exercises() found it last
  double looked_s = 0;          ///< when it looked
};

/// $XDG_CONFIG_HOME or ~/.config, then ridgepoint/settings.json. Empty without a home.
std::string default_settings_path();
/// Reads what is there into state->appearance; a missing or damaged file leaves the defaults, at the first level.
void load_settings(State* state);
/// Writes to state->settings.path, unless that is empty; a failure becomes the notice.
void save_settings(State* state);

}  // namespace ridge::window
