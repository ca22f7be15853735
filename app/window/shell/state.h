// What the window knows and shows, as plain data: no ImGui here, so that every action can be tested
// without a display. Panels read State and dispatch changes (Ui::dispatch), actions
// (actions.h) first of all; nothing else changes it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/study/progress.h"
#include "app/window/inspect/inspecting.h"
#include "app/window/shell/recorded.h"
#include "app/window/teach/teaching.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::window {

/// What the window shows between its bars; screens.cpp has a row for each.
enum class ScreenId {
  home,
  lab,
  cards,
  compare,
  timeline,
  machine,
  report,
  classroom,
  settings,
  shortcuts,
  presenter
};
enum class Tab { lesson, source, diff };
struct ViewDesc;                    ///< what the centre shows of the results (views/view.h)
extern const ViewDesc kLadderView;  ///< the first, which every lab has

/// What an action asks of the chart in view, until it is drawn (chart_view.cpp).
enum class ChartCommand { none, fit, table, copy_value, copy_csv, copy_svg };

/// What the strip below it shows; automatic: telemetry while something is measured.
enum class Strip { automatic, samples, telemetry };

/// The study screen: what is open on it, and what was chosen since the start.
struct StudyView {
  bool is_quiz = false;
  std::string deck;  ///< its lab; empty: the first
  std::string card;  ///< id; empty: the next one that is due
  bool is_turned = false;
  bool goes_on = false;  ///< nothing is due, and the deck is gone through all the same
  std::string question;  ///< id; empty: the first
  std::map<std::string, std::string> chosen;  ///< question id: label of the choice
};

/// A link of the lesson that was followed: the place in a rung's source to scroll to and to mark.
struct CodeMark {
  std::string kernel, anchor;
  int jumps = 0;  ///< counts the clicks: the same link scrolls again
};

/// What the person chose. Nothing in here was measured.
struct ViewState {
  ScreenId screen = ScreenId::lab;
  bool show_menu = false, show_palette = false;
  std::string palette_typed;
  int palette_at = 0;  ///< the line that Enter does
  bool show_glossary = false;
  std::string glossary_typed, glossary_term;  ///< what is looked for; the term that is open
  StudyView study;
  CodeMark code_mark;
  std::set<std::string> open_answers;  ///< of the lesson: "<part>#<question>"
  const Lab* lab = nullptr;
  std::string rung;      ///< kernel id of the selected rung
  std::string baseline;  ///< kernel id; empty: none chosen
  Params params;         ///< of the lab's parameters those that were chosen: shown_params() has all
  RunMode mode = RunMode::measure;             ///< live or measure
  OpenEnum<CacheMode> cache = CacheMode::hot;  ///< of a saved run: any text
  Tab tab = Tab::lesson;
  bool assembly = false;  ///< the source tab shows what the compiler made of it
  bool counters = false;  ///< runs count a GPU's hardware events too, after the timing
  const ViewDesc* chart = &kLadderView;
  std::string heat_x, heat_y;  ///< the heatmap's parameters; empty: as fits the lab
  int curve_of = 0;  ///< training curves: the task metric, the loss, the spread of the gradients
  bool curve_by_step = false;  ///< over steps in place of seconds
  bool show_chart_menu = false;
  float chart_menu_x = 0, chart_menu_y = 0;  ///< where the right button was pressed
  Strip strip = Strip::automatic;
  bool light_theme = false;
  bool reduced_motion = false;  ///< nothing moves by itself
  float scale = 1;              ///< 0.75 to 3
  bool full_screen = false;
  bool show_log = false;
  bool show_experts = false;  ///< the lab's expert rungs are not folded away (fold.h)
  float left_width = 228;     ///< at scale 1, pixels
  float right_width = 0;      ///< the same; 0: as fits
};

/// The value of dtype in the view that stands for: each rung in the first type it has.
inline constexpr const char* kOwnType = "own";
/// The notice that holds only while something is being measured.
inline constexpr const char* kBusyNotice = "A measurement is running; Esc cancels it.";

/// One sentence at the bottom, until the next action.
struct Notice {
  std::string text;
  bool is_error = false;
};

enum class Origin { none, live, recorded };

/// One row of the ladder: what is known about a rung now, and where it comes from.
struct RungView {
  const Rung* rung = nullptr;
  const KernelInfo* info = nullptr;  ///< from the live catalogue, else the recording's; may be null
  const Series* series = nullptr;    ///< as it is shown; null: nothing measured
  const Series* kept = nullptr;      ///< the same as its run keeps it, with all samples
  /// While samples are still coming in this is `series`: what they come to so far, without them.
  std::shared_ptr<const Series> running;
  const Run* run = nullptr;  ///< where the series comes from
  Origin origin = Origin::none;
  std::string machine;               ///< recorded: the machine that ran it
  bool stale = false;                ///< recorded: the kernel has changed since
  bool greyed = false;               ///< the last good result of a worker that was lost
  std::string shown_size;            ///< "n = 4096" where it is not the size asked for
  std::string reason;                ///< why there is no result; empty when there is one
  std::optional<Estimate> estimate;  ///< live only
  bool can_run = false;              ///< on this machine, at this data type
};

/// A run that can be opened again.
struct RecentRun {
  std::string path, title;        ///< "GEMM · 7 rungs"
  std::string machine, time_utc;  ///< empty: not recorded in it
};

struct Editing;  ///< editing.h

struct State {
  app::Session* session = nullptr;  ///< not owned: outlives the state, or is `opened`
  ChartCommand chart_command = ChartCommand::none;
  int png_in_frames = 0;        ///< > 0: the chart's picture is saved after that many more frames
  bool png_copied = false;      ///< and then onto the clipboard
  app::Session* own = nullptr;  ///< while a saved run is open: the session to go back to
  std::unique_ptr<app::Session> opened;   ///< the saved run; null: none
  std::string opened_path;                ///< its file
  std::optional<std::string> wanted_run;  ///< opened by the next refresh(); empty: back to `own`
  ViewState view;
  Notice notice;
  Teaching teach;
  Inspecting look;
  ServeAsked serve;            ///< what the view Queue asks for
  ModelShape model;            ///< what the view Workload is of, in labs with a model
  bool model_decodes = false;  ///< which of its two phases is shown
  std::vector<Recording> recordings;
  std::string settings_path;   ///< empty: nothing is saved (tests, shot)
  std::string worker_command;  ///< as given; empty: the worker beside this program
  std::string last_lab;        ///< of the session before; empty: the program was never used
  std::map<std::string, Params> left_params;  ///< by lab id: what was chosen there, for coming back
  std::array<int, 4> window{};    ///< x, y, width, height when last closed; width 0: as given
  std::string runs_folder;        ///< where transcripts are kept; empty: nowhere (tests, shot)
  std::string run_file;           ///< this session's, once there is something in it
  std::vector<RecentRun> recent;  ///< newest first
  std::map<std::string, std::set<std::string>> verified;  ///< lab id: kernels that passed here
  study::Progress progress;                               ///< of the cards and the quiz
  std::string progress_path;     ///< where it is kept; empty: nowhere (tests, shot)
  std::string progress_problem;  ///< why the file there could not be read: it is not written over
  std::shared_ptr<Editing> editing;  ///< a learner's file; null: none is open
  std::string edits_folder;          ///< where copies are made; empty: the learner's own
  std::string class_folder;          ///< of the leaderboard's runs; empty: those of this machine
  std::string export_root;           ///< folder under which exports are written
  std::string last_export;           ///< folder of the last export
  std::vector<RungView> ladder;      ///< rebuilt by refresh()
  uint64_t ladder_version = 0;  ///< counts changes of the ladder, and of all else but telemetry

  int64_t list_request = 0, run_request = 0, compare_request = 0, estimate_request = 0;
  std::set<std::string> sources_asked;
  std::map<std::string, int64_t> assembly_asked;  ///< kernel id: the request
  int aa_left = 0;                ///< comparisons of a rung with itself that are still to be made
  bool estimates_due = false;     ///< parameters changed since they were asked for
  double estimates_due_s = 0;     ///< clock at which to ask, so that a drag asks once
  uint64_t seen_version = ~0ull;  ///< of the run, at the last rebuild
  double summarized_s = -1;       ///< clock at which running series were last summarised
  app::WorkerState seen_state = app::WorkerState::starting;
  bool dirty = true;  ///< a choice changed: rebuild

  const Run& run() const { return session->run(); }
  bool is_replay() const { return session->state() == app::WorkerState::replay; }
};

/// Picks the lab, its parameters and a first selection; `lab_id` may be empty. Asks a live worker
/// for its catalogue.
void open_lab(State& state, const std::string& lab_id);

/// The recorded runs, which come after the first frame: what opened without them opens as it would have with
/// them, unless something was chosen since.
void take_recordings(State& state, std::vector<Recording> recordings);

/// Keeps what was chosen in the lab, for coming back to it.
void leave_lab(State& state);

/// Advances what is waiting on the worker (catalogue, then sources and estimates) and rebuilds the
/// ladder when anything moved. `now_s` is any monotonic clock. True when the picture changed.
bool refresh(State& state, double now_s);
void rebuild_ladder(State& state);

const RungView* find_row(const State& state, const std::string& kernel);
/// Title of a rung in the current lab; the id itself when it is not in the ladder.
std::string rung_title(const State& state, const std::string& kernel);

/// A kernel as this worker describes it, else as a recording does; null: neither knows it.
const KernelInfo* find_info(const State& state, const std::string& kernel);

/// Whether this build's kernel is another than the one recorded. A saved run knows no build.
bool is_stale(const State& state, const Series& recorded);

/// What this kernel is asked for: where it starts (in a saved run where it was measured, else the lab's
/// first look at its processor), and over it what was chosen, as far as the kernel takes it. What is
/// left out is the kernel's own default, which rungs of one lab need not share.
Params params_for(const State& state, const KernelInfo& info);
/// The same beside another kernel, starting where that one does: two sides of a comparison.
Params params_beside(const State& state, const KernelInfo& info, const KernelInfo& other);
/// A value for each parameter of the lab: what was chosen, else what the selected rung is asked for,
/// else any rung's default.
Params shown_params(const State& state);
/// All parameters of the rung as the view asks for them: in its own first type where that is chosen.
Params view_params(const State& state, const KernelInfo* info);
/// The specification behind a parameter of the view: the selected rung's, else from any catalogue at
/// hand; null: unknown.
const ParamSpec* find_spec(const State& state, const std::string& name);
/// What may be chosen for a choice parameter: the choices of all rungs, and for dtype kOwnType.
std::vector<std::string> choices_of(const State& state, const std::string& name);

/// The latest comparison of baseline and selection, live before recorded; null: none was made.
/// `where` receives the recording's machine (and its size, if that is not the view's), empty for a
/// live one.
const Comparison* shown_comparison(const State& state, std::string* where,
                                   const Run** run = nullptr);

/// The source of a rung: where a recorded result is shown, what that run compiled; else as it is
/// built, else as any recording has it. Null: not known yet.
const SourceText* find_source(const State& state, const std::string& kernel);

/// Its assembly: of the run that the shown result comes from, else of this session; null: none there.
const AssemblyText* find_assembly(const State& state, const std::string& kernel);

/// The ceilings to show, with the machine they were measured on (empty: this one).
const std::vector<Ceiling>& shown_ceilings(const State& state, std::string* where);

/// "4096 × 4096 × 4096 · fp32 · 2 threads": the view's parameters as a title says them.
std::string params_summary(const Lab& lab, const Params& params);

/// The machine whose results are in view.
std::string device_label(const State& state);

}  // namespace ridge::window
