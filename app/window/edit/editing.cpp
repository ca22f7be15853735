#include "app/window/edit/editing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <utility>

#include "app/query/selection.h"
#include "app/window/edit/puzzle_results.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/export.h"
#include "app/window/teach/study.h"
#include "common/core/files.h"
#include "common/core/format.h"
#include "common/record/params.h"
#include "common/record/protection.h"

namespace ridge::window {
namespace {

constexpr double kLookEvery_s = 0.1;

double since_s(int64_t real_ns) {
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return 1e-9 * static_cast<double>(now.count() - real_ns);
}

/// The rung that the action is about: the selected one, or what it was made from.
const RungView* original_row(const State& state) {
  const RungView* original = made_from(state);
  return original ? original : find_row(state.ladder, state.selection.rung);
}

Rung row_of(const Editing& editing, bool expert) {
  Rung rung{editing.id.c_str(), editing.title.c_str(), editing.change.c_str()};
  rung.expert = expert;
  return rung;
}

/// Its request is under way; null: none was made, or it has ended.
const Request* open_build(const State& state) {
  const Request* request =
      state.editing ? state.run().request(state.editing->build_request) : nullptr;
  return request && request->open() ? request : nullptr;
}

void keep_on_disk(State& state, Editing* editing) {
  const auto number = app::keep_save(editing->watch.path(), editing->on_disk);
  if (number)
    editing->kept = *number;
  else
    state.notice = {number.error().sentence(), true};
}

/// Opens the learner's file, made from `text` where there is none yet; else the notice says why not.
template <class... Made>
void open_editing(State& state, const Rung& row, const std::string& file, const std::string& text,
                  const Made&... made) {
  const auto copied = app::make_copy(file, text);
  const auto read = copied ? app::read_learner_file(file) : Result<std::string>(copied.error());
  if (!read) {
    state.notice = {read.error().sentence(), true};
    return;
  }
  if (is_building(state)) state.sessions.shown->cancel(state.editing->build_request);
  state.editing = std::make_shared<Editing>(row, file, made...);
  state.editing->text = state.editing->on_disk = state.editing->as_opened = *read;
  const bool is_handed_out = !state.editing->exercise.empty() && *read == text;
  state.editing->kept = app::last_kept_save(file);
  if (!is_handed_out) keep_on_disk(state, state.editing.get());
  state.editing->wants_build = true;
}

void show_editing(State& state) {
  if (!state.editing) return;
  if (state.selection.baseline.empty()) state.selection.baseline = state.editing->kernel;
  state.view.screen = ScreenId::workbench;
  rebuild_ladder(state);
  select_rung(state, state.editing->id);
}

/// What was saved just now.
void ask_to_build(State& state, Editing* editing) {
  keep_on_disk(state, editing);
  editing->wants_build = true;
  editing->is_again = false;
  editing->as_opened.clear();
  editing->saved_ns = editing->watch.saved_ns();
}

/// Somebody saved it, here or in an editor of their own.
bool look_at_file(State& state, Editing* editing) {
  if (!editing->watch.changed()) return false;
  const auto text = app::read_learner_file(editing->watch.path());
  if (!text) {
    state.notice = {text.error().sentence(), true};
    return true;
  }
  if (*text == editing->on_disk) return false;
  if (editing->is_unsaved()) {
    state.notice = {"The file was changed elsewhere too; what stands here is not saved.", true};
  } else {
    editing->text = *text;
    ++editing->texts;
  }
  editing->on_disk = *text;
  ask_to_build(state, editing);
  return true;
}

/// The one to build for; empty where its original has no choice.
std::string wanted_dtype(const State& state, const Editing& editing) {
  const KernelInfo* info = state.run().kernel(editing.kernel);
  if (!info || info->dtypes.size() < 2) return "";
  const std::string dtype = param_text(params_for(state, *info), "dtype");
  const bool has = std::find(info->dtypes.begin(), info->dtypes.end(), dtype) != info->dtypes.end();
  return has ? dtype : "";
}

/// The worker was asked to build or to count what is on disk; else the notice says why it was not. True: it was.
bool take_asked(State& state, const Result<int64_t>& id, Editing* editing) {
  if (!id) {
    state.notice = {id.error().sentence(), true};
    return false;
  }
  editing->build_request = *id;
  editing->numbers[*id] = editing->kept;
  editing->built = editing->on_disk;
  if (state.run().learner() != state.settings.learner)
    state.sessions.shown->name_learner(state.settings.learner);
  return true;
}

bool build_now(State& state, Editing* editing) {
  editing->dtype = wanted_dtype(state, *editing);
  const auto id = state.sessions.shown->build(editing->kernel, editing->dtype, editing->on_disk);
  editing->wants_build = editing->cancels = false;
  editing->build_since_s = editing->now_s;
  editing->run_request = editing->compare_request = 0;
  editing->wants_comparison = false;
  state.requests.assembly.erase(editing->id);
  editing->first_s.reset();
  if (!take_asked(state, id, editing)) return true;
  editing->wants_run = true;
  return true;
}

/// A puzzle's save: it runs thread by thread on this CPU, at the puzzle's own size.
bool count_now(State& state, Editing* editing) {
  editing->wants_build = editing->cancels = false;
  editing->build_since_s = editing->now_s;
  WorkRequest request = request_for(state, RequestType::count);
  request.kernels.push_back({std::string(original_of(editing->id)), {}});
  request.text = editing->on_disk;
  take_asked(state, state.sessions.shown->send(std::move(request)), editing);
  return true;
}

bool run_now(State& state, Editing* editing) {
  const EditBuild* build = state.run().build(editing->build_request);
  if (!build) {
    const Request* request = state.run().request(editing->build_request);
    if (request && !request->open()) editing->wants_run = false;  // cancelled
    return false;
  }
  editing->wants_run = false;
  for (const CompileMessage& message : build->messages) {
    if (message.text.starts_with(kUnprotected))
      state.notice = {"Your code is " + message.text, true};
  }
  const KernelInfo* info = state.run().kernel(editing->id);
  if (!build->built || !info || !info->available) return true;
  // The hole is known to be empty: a check would only say so.
  const bool is_original = editing->built == editing->original;
  if (is_original && !editing->exercise.empty()) return true;
  WorkRequest request = request_for(state, RequestType::run);
  request.mode = RunMode::live;
  request.counters = false;
  request.kernels = {{editing->id, params_for(state, *info)}};
  send(state, std::move(request), &state.requests.run);
  editing->run_request = state.requests.run;
  editing->wants_comparison = !is_original;
  return true;
}

/// Its series in the run under way or just ended; null before it has begun.
const Series* own_series(const State& state) {
  const auto& all = state.run().series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->request == state.editing->run_request && it->kernel == state.editing->id) return &*it;
  }
  return nullptr;
}

/// What the compiler made of it, once for each build; after its first time, which is waited for.
void ask_for_listing(State& state, const Editing& editing) {
  const EditBuild* build = state.run().build(editing.build_request);
  const bool has = state.requests.assembly.count(editing.id) > 0;
  if (has || !build || !build->built || state.view.screen != ScreenId::workbench) return;
  const auto listing = state.sessions.shown->assembly(editing.id);
  state.requests.assembly[editing.id] = listing ? *listing : 0;
}

/// With the rung that it was made from, in pairs, once its own run has passed.
bool compare_now(State& state, Editing* editing) {
  editing->wants_comparison = false;
  const Series* series = own_series(state);
  const bool passed = series && series->status == SeriesStatus::ok && series->quality_passed();
  rebuild_ladder(state);
  const RungView* baseline = find_row(state.ladder, editing->kernel);
  const RungView* candidate = find_row(state.ladder, editing->id);
  if (!passed || !baseline || !baseline->can_run || !candidate || !candidate->can_run) return true;
  ask_for_listing(state, *editing);  // a moment's work, where the comparison takes seconds
  WorkRequest request = comparison_of(state, *baseline, *candidate);
  request.limit_s = kComparison_s;
  request.sustained = false;
  send(state, std::move(request), &state.requests.compare);
  editing->compare_request = state.requests.compare;
  return true;
}

/// An exercise is solved by a verified comparison that is not slower than what it goes on from, a puzzle by its counts, as
/// `exercise check` has it.
bool note_solved(State& state, const Editing& editing) {
  if (editing.exercise.empty()) return false;
  if (exercise_progress(state, editing.exercise).is_solved) return false;
  if (is_puzzle_open(state)) {
    const KernelCounts* counts = puzzle_counts(state);
    if (!counts || !app::is_solved(*counts, editing.targets)) return false;
    state.history.exercises[editing.exercise].is_solved = true;
    save_settings(&state);
    return true;
  }
  const auto& all = state.run().comparisons();
  const bool solves = std::any_of(all.begin(), all.end(), [&](const Comparison& made) {
    return made.candidate == editing.id && made.baseline == editing.kernel &&
           (made.verdict == Verdict::faster || made.verdict == Verdict::same);
  });
  if (!solves) return false;
  state.history.exercises[editing.exercise].is_solved = true;
  save_settings(&state);
  return true;
}

/// What the person wrote nothing into leaves no row behind.
bool close_untouched(State& state) {
  const Editing& editing = *state.editing;
  const bool is_busy = editing.wants_build || editing.wants_run || is_building(state) ||
                       (state.requests.run && state.requests.run == editing.run_request);
  if (is_busy || state.view.screen == ScreenId::workbench || !editing.is_as_handed_out())
    return false;
  if (state.selection.rung == editing.id) state.selection.rung = editing.kernel;
  if (state.selection.baseline == editing.id) state.selection.baseline.clear();
  state.editing.reset();
  state.ladder.dirty = true;
  return true;
}

/// Your turn shows the open file, and so its lab: its rows, and the parameters that it runs with.
bool return_to_lab(State& state) {
  const Lab* lab = app::lab_and_rung(state.editing->kernel).first;
  if (state.view.screen != ScreenId::workbench || !lab || !state.selection.lab) return false;
  const auto& rungs = state.selection.lab->rungs;
  const bool is_here = std::any_of(rungs.begin(), rungs.end(), [&](const Rung& rung) {
    return rung.kernel == state.editing->kernel;
  });
  if (is_here || !state.view.wanted_exercise.empty()) return false;
  open_lab(state, lab->id);
  show_editing(state);
  return true;
}

/// Builds, runs or compares, whatever is next and the worker is free for.
bool advance(State& state, Editing* editing) {
  const bool is_free = !state.requests.is_measuring();
  // The figures of the text before are of no use any more.
  const int64_t open = state.requests.run ? state.requests.run : state.requests.compare;
  const bool is_own = open && (open == editing->run_request || open == editing->compare_request);
  const bool building = is_building(state);
  if (editing->wants_build && (is_own || building) && !editing->cancels) {
    editing->cancels = true;
    state.sessions.shown->cancel(building ? editing->build_request : open);
  }
  bool moved = false;
  if (editing->wants_build && is_free && !building && !state.counting.request)
    moved |= is_puzzle_open(state) ? count_now(state, editing) : build_now(state, editing);
  if (editing->wants_run && is_free) moved |= run_now(state, editing);
  if (editing->wants_comparison && !state.requests.is_measuring())
    moved |= compare_now(state, editing);
  const bool is_idle = !editing->wants_build && !editing->wants_run && !is_building(state);
  if (is_idle && !state.requests.is_measuring()) ask_for_listing(state, *editing);
  return moved;
}

}  // namespace

Editing::Editing(const Rung& made_from, const std::string& file, const std::string& original_text)
    : kernel(made_from.kernel),
      id(kernel + std::string(kEditSuffix)),
      original(original_text),
      title(app::edit_title(id)),
      change("made from " + std::string(made_from.title)),
      rung(row_of(*this, made_from.expert)),
      watch(file) {}

Editing::Editing(const Rung& after, const std::string& file, const app::Exercise& given)
    : kernel(after.kernel),
      id(given.kernel + std::string(kEditSuffix)),
      original(given.handed_out),
      exercise(given.name),
      task(given.task),
      hints(given.hints),
      targets(given.targets),
      title(app::edit_title(id)),
      change("yours, after " + std::string(after.title)),
      rung(row_of(*this, after.expert)),
      watch(file) {}

bool is_editing_here(const State& state) {
  return state.view.screen == ScreenId::workbench && state.editing && !state.is_replay();
}

std::string editing_keys(const State& state) {
  const Editing& editing = *state.editing;
  const bool is_empty = !editing.exercise.empty() && editing.is_as_handed_out();
  const char* works =
      is_puzzle_open(state) ? "checks and counts it" : "builds, checks and times it";
  const bool again = !is_empty && !editing.is_unsaved();
  const std::string begin = is_empty ? "Fill the hole; then F5 or Ctrl S "
                            : again  ? "F5 "
                                     : "F5 or Ctrl S saves it, then ";
  return begin + works + (again ? " again." : ".") +
         (editing.in_field ? " Esc leaves the editor." : " Esc goes to the lab.");
}

std::string build_blocker(const State& state) {
  if (std::string why = save_blocker(state); !why.empty()) return why;
  const Editing& editing = *state.editing;
  if (!editing.exercise.empty() && editing.is_as_handed_out())
    return fmt::format("The hole is still empty: write at the line YOUR TURN, then F5 {} it.",
                       is_puzzle_open(state) ? "checks and counts" : "builds, checks and times");
  const bool is_busy = is_building(state) || state.requests.is_measuring();
  return is_busy && !editing.is_unsaved() ? "This text is being measured; Esc ends that." : "";
}

void leave_editing(State& state) {
  Editing& editing = *state.editing;
  if (editing.in_field) {
    editing.leaves_field = true;
    state.notice = {};
    return;
  }
  const std::string ask =
      "Not saved yet: Ctrl S saves it. Esc once more goes to the lab, and the text waits here.";
  if (editing.is_unsaved() && state.notice.text != ask) {
    state.notice = {ask, false};
    return;
  }
  state.notice = {};
  state.view.screen = ScreenId::lab;
}

bool edits_selected(const State& state) {
  return state.editing && state.selection.rung == state.editing->id;
}

std::string edit_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  if (state.is_replay()) return leave_saved_run(state, "edit");
  const RungView* row = original_row(state);
  if (!row || !row->info || !state.run().source(row->rung->kernel)) {
    return "The worker has not sent this rung's source.";
  }
  if (!row->info->library.empty()) return "Its work is done by " + row->info->library + ".";
  if (row->info->kind != RungKind::kernel) {
    return "It is a " + row->info->kind.text() + "; only kernels are edited.";
  }
  return row->can_run ? "" : "It cannot run on this machine, so that an edit could not be checked.";
}

std::string save_blocker(const State& state) {
  if (!state.editing) return "Nothing is being edited: press Edit in the source tab first.";
  return state.is_replay() ? leave_saved_run(state, "edit") : "";
}

const RungView* made_from(const State& state) {
  if (edits_selected(state)) return find_row(state.ladder, state.editing->kernel);
  const bool is_kept = state.selection.lab && is_edit(state.selection.rung);
  return is_kept ? find_row(state.ladder, original_rung_of(state, state.selection.rung)) : nullptr;
}

bool is_building(const State& state) {
  return open_build(state) != nullptr;
}

bool is_as_left(const State& state) {
  return state.editing && state.editing->as_opened == state.editing->built;
}

void start_editing(State& state) {
  const RungView* row = original_row(state);
  const std::string kernel = row->rung->kernel;
  const std::string id = kernel + std::string(kEditSuffix);
  if (!edits_selected(state) && (!state.editing || state.editing->id != id)) {
    const SourceText* source = state.run().source(kernel);
    const std::string file =
        app::learner_file(state.settings.edits_folder.empty() ? app::learner_folder("edits")
                                                              : state.settings.edits_folder,
                          kernel, source->path.ends_with(".cu"));
    open_editing(state, *row->rung, file, source->text, source->text);
    if (!state.notice.text.empty() && state.notice.is_error) return;
  }
  show_editing(state);
}

void start_exercise(State& state, const app::Exercise& exercise) {
  const auto [lab, after] = app::lab_and_rung(exercise.after);
  if (!lab) return;
  state.notice = {};
  if (state.sessions.opened) {  // nothing can be built in a saved run
    open_run(state, "");
    state.view.wanted_exercise = exercise.name;
    return;
  }
  if (state.selection.lab != lab) open_lab(state, lab->id);
  rebuild_ladder(state);
  const bool is_starting = !state.is_replay() && !state.run().catalogue_complete() &&
                           state.sessions.shown->state() != app::WorkerState::lost;
  if (is_starting) {  // what can run here is not known yet
    state.view.wanted_exercise = exercise.name;
    state.notice = {"The worker is starting; the exercise opens when it is ready.", false};
    return;
  }
  state.view.screen = ScreenId::lab;
  const RungView* row = find_row(state.ladder, after);
  if (state.is_replay() || (!exercise.is_puzzle() && (!row || !row->can_run))) {
    state.notice = {state.is_replay() ? leave_saved_run(state, "build")
                                      : "It goes on from " + after + ", which cannot run here.",
                    true};
    return;
  }
  if (!state.editing || state.editing->id != exercise.kernel + std::string(kEditSuffix)) {
    state.selection.params
        .clear();  // a GPU's size of a step before is none for the learner's loops
    const std::string folder = state.settings.edits_folder.empty()
                                   ? app::learner_folder("exercises")
                                   : state.settings.edits_folder;
    open_editing(state, *rung_of(after), app::learner_file(folder, exercise.name, exercise.is_cuda),
                 exercise.handed_out, exercise);
    if (state.notice.is_error) return;
  }
  state.selection.baseline = after;
  show_editing(state);
}

std::string hint_blocker(const State& state) {
  if (!state.editing || state.editing->hints.empty())
    return "No exercise is open: the Class screen has them.";
  return hints_shown(state) < state.editing->hints.size() ? "" : "That was the last hint.";
}

void show_hint(State& state) {
  ++state.history.exercises[state.editing->exercise].hints_spent;
  save_settings(&state);
  state.ladder.dirty = true;
}

void name_learner(State& state, const std::string& name) {
  state.settings.learner = name;
  save_settings(&state);
  if (!state.is_replay() && state.run().learner() != name) state.sessions.shown->name_learner(name);
}

std::string hand_in_blocker(const State& state) {
  if (state.is_replay()) return "This is a saved run; Home leads back to your own session.";
  const auto& all = state.run().comparisons();
  const bool has = std::any_of(all.begin(), all.end(), [](const Comparison& made) {
    return is_edit(made.candidate) && made.verdict != Verdict::invalid;
  });
  if (!has) return "Nothing to hand in yet: save an exercise until it passes its check.";
  if (state.settings.learner.empty()) return "Type your name first.";
  return state.settings.class_folder.empty()
             ? "Type the class's folder first; your runs of this machine are listed as they are."
             : "";
}

void hand_in(State& state) {
  std::string file;
  for (const char c : state.settings.learner) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' ||
                          static_cast<unsigned char>(c) >= 0x80;
    file += is_plain ? c : '_';
  }
  namespace fs = std::filesystem;
  const fs::path folder = state.settings.class_folder;
  fs::path path = folder / (file + ".jsonl");
  std::error_code ignored;
  for (int again = 2; fs::exists(path, ignored) && path != state.history.handed_in; ++again)
    path = folder / (file + "-" + std::to_string(again) + ".jsonl");
  note_studied(state);
  const auto saved = state.sessions.shown->save(path.string());
  if (!saved) {
    state.notice = {saved.error().sentence(), true};
    return;
  }
  state.history.handed_in = path.string();
  const auto report = shown_report(state);
  note_written(state, "your run, for the class", path.string(),
               report ? report::plain_summary(*report) : "");
}

ExerciseProgress exercise_progress(const State& state, const std::string& exercise) {
  const auto known = state.history.exercises.find(exercise);
  return known == state.history.exercises.end() ? ExerciseProgress() : known->second;
}

size_t hints_shown(const State& state) {
  if (!state.editing) return 0;
  const int spent = exercise_progress(state, state.editing->exercise).hints_spent;
  return std::min(static_cast<size_t>(std::max(spent, 0)), state.editing->hints.size());
}

void save_edit(State& state) {
  Editing& editing = *state.editing;
  if (const auto written = write_whole(editing.watch.path(), editing.text); !written) {
    state.notice = {written.error().sentence(), true};
    return;
  }
  const bool is_same = editing.on_disk == editing.text && editing.build_request != 0;
  editing.on_disk = editing.text;
  editing.watch.changed();
  state.notice = {};  // it was about the save before
  ask_to_build(state, &editing);
  editing.is_again = is_same && !editing.is_as_handed_out();
  state.ladder.dirty = true;
}

void revert_edit(State& state) {
  Editing& editing = *state.editing;
  if (editing.text == editing.original) return;
  const auto kept = app::keep_save(editing.watch.path(), editing.text);
  if (!kept) {
    state.notice = {kept.error().sentence(), true};
    return;
  }
  editing.text = editing.original;
  ++editing.texts;
  save_edit(state);
  state.notice = {"The original's text is back; what was here is in " +
                      app::kept_save(editing.watch.path(), *kept) + ".",
                  false};
}

void build_again(State& state) {
  if (!state.editing || !state.editing->build_request) return;
  state.editing->wants_build = true;
  state.editing->saved_ns = 0;  // the learner did not save it now
}

bool tick_editing(State& state, double now_s) {
  if (!state.view.wanted_exercise.empty() && state.run().catalogue_complete()) {
    const auto exercise = app::find_exercise(std::exchange(state.view.wanted_exercise, ""));
    if (exercise) start_exercise(state, *exercise);
  }
  if (state.editing && state.editing->is_recorded && !state.is_replay()) state.editing.reset();
  if (!state.editing || state.is_replay()) return false;
  Editing* editing = state.editing.get();
  bool moved = return_to_lab(state);
  editing->now_s = now_s;
  if (now_s - editing->look_s >= kLookEvery_s) {
    editing->look_s = now_s;
    moved = look_at_file(state, editing);
  }
  if (editing->build_request && editing->targets.empty() &&
      editing->dtype != wanted_dtype(state, *editing)) {
    editing->wants_build = true;  // it was built for another type; the text is not newer
    editing->saved_ns = 0;
  }
  moved |= advance(state, editing);
  if (editing->run_request && !editing->first_s && editing->saved_ns > 0) {
    const Series* series = own_series(state);
    if (series && series->quality_passed() && !series->samples.empty()) {
      editing->first_s = since_s(editing->saved_ns);
      moved = true;
    }
  }
  moved |= note_solved(state, *editing);
  return close_untouched(state) || moved;
}

const AssemblyText* edit_listing(const State& state) {
  const Editing& editing = *state.editing;
  if (editing.is_recorded) return find_assembly(state, editing.id);
  const EditBuild* build = last_build(state);
  const auto asked = state.requests.assembly.find(editing.id);
  const Request* request =
      asked == state.requests.assembly.end() ? nullptr : state.run().request(asked->second);
  const bool has_come = build && build->built && request && !request->open();
  return has_come ? find_assembly(state, editing.id) : nullptr;
}

const EditBuild* last_build(const State& state) {
  return state.editing ? state.run().build(state.editing->build_request) : nullptr;
}

std::string editing_status(const State& state, bool* is_error) {
  if (is_puzzle_open(state)) return puzzle_status(state, is_error);
  const Editing& editing = *state.editing;
  const EditBuild* build = last_build(state);
  *is_error = false;
  if (editing.wants_build) return "Saved; it is built when the measurement under way has ended.";
  if (is_building(state)) {
    const auto& all = state.run().requests();
    const bool waits = std::any_of(all.begin(), all.end(), [&](const Request& one) {
      return one.open() && one.id < editing.build_request;
    });
    return fmt::format("{}, {:.1f} s; Esc cancels it.",
                       waits ? "Waiting for the worker, which measures" : "Compiling",
                       editing.now_s - editing.build_since_s);
  }
  if (!build) return editing.build_request ? "Cancelled; save it to build it." : "Not saved yet.";
  *is_error = !build->built;
  if (!build->built) return build->reason;
  if (!editing.exercise.empty() && editing.built == editing.original)
    return "It compiles, and its hole is still empty: fill it and save.";
  std::string text =
      (editing.is_again
           ? fmt::format("Nothing changed since save {}, built and timed again: ", editing.kept)
           : "") +
      fmt::format("compiled {:.2f} s, loaded {:.2f} s", build->compile_s, build->load_s);
  if (editing.first_s)
    text += fmt::format(", first verified number {:.2f} s after the save", *editing.first_s);
  const Series* series = editing.run_request ? own_series(state) : nullptr;
  if (!series) return text;
  if (series->status == SeriesStatus::failed || series->status == SeriesStatus::skipped) {
    *is_error = true;
    return series->reason;
  }
  if (series->stats) text += "; " + format_time_ns(series->stats->median_ns) + " a call";
  return text;
}

// ---- edits that a run holds ----

namespace {

const app::Exercise* exercise_of(const std::string& kernel) {
  static const auto all = app::all_exercises();
  if (!all) return nullptr;
  const auto found =
      std::find_if(all->begin(), all->end(), [&](const auto& one) { return one.kernel == kernel; });
  return found == all->end() ? nullptr : &*found;
}

}  // namespace

std::string original_rung_of(const State& state, const std::string& edit) {
  const std::string original(original_of(edit));
  const auto& rungs = state.selection.lab->rungs;
  const auto is_here = [&](const std::string& kernel) {
    return std::any_of(rungs.begin(), rungs.end(),
                       [&](const Rung& rung) { return rung.kernel == kernel; });
  };
  if (is_here(original)) return original;
  for (const Comparison& comparison : state.run().comparisons()) {
    if (comparison.candidate == edit && is_here(comparison.baseline)) return comparison.baseline;
  }
  const app::Exercise* exercise = exercise_of(original);
  return exercise ? exercise->after : "";
}

namespace {

/// A row's texts at addresses that stay: rungs are few, and what they say depends on their names alone.
const Rung& kept_row(const std::string& kernel, const Rung& after) {
  struct Kept {
    std::string kernel, title, change;
    Rung rung;
  };
  static std::map<std::string, Kept> all;
  const auto [found, is_new] = all.try_emplace(kernel + " " + after.kernel);
  Kept& kept = found->second;
  if (is_new) {
    const std::string original(original_of(kernel));
    kept.kernel = kernel;
    kept.title = app::edit_title(kernel);
    kept.change = "a learner's, " +
                  std::string(original == after.kernel ? "made from " : "after ") + after.title;
    kept.rung = {kept.kernel.c_str(), kept.title.c_str(), kept.change.c_str()};
    kept.rung.expert = after.expert;
  }
  return kept.rung;
}

}  // namespace

namespace {

/// Its last text is the one that it began with: reverted, or never written into.
bool is_unchanged(const State& state, const std::string& edit) {
  const SourceText* last = state.run().source(edit);
  const std::string from(original_of(edit));
  const app::Exercise* exercise = exercise_of(from);
  const SourceText* original = state.run().source(from);
  if (!last || (!exercise && !original)) return false;
  return last->text == (exercise ? exercise->handed_out : original->text);
}

}  // namespace

std::vector<const Rung*> kept_edits(const State& state, const Rung& rung) {
  std::map<uint64_t, const Rung*> rows;  // by the first that was begun
  for (const auto& [kernel, all] : state.run().series_by_kernel()) {
    if (!is_edit(kernel) || all.empty()) continue;
    if (state.editing && state.editing->id == kernel) continue;
    if (original_rung_of(state, kernel) != rung.kernel || is_unchanged(state, kernel)) continue;
    rows[all.front()->order] = &kept_row(kernel, rung);
  }
  std::vector<const Rung*> list;
  for (const auto& [order, row] : rows) list.push_back(row);
  return list;
}

bool open_recorded_edit(State& state) {
  const Run& run = state.run();
  std::string edit = is_edit(state.selection.rung) ? state.selection.rung : "";
  for (const Request& request : run.requests()) {
    const EditBuild* build = run.build(request.id);
    if (build && !is_edit(state.selection.rung) && !build->kernel.empty()) edit = build->kernel;
  }
  const SourceText* source = edit.empty() ? nullptr : run.source(edit);
  if (!state.is_replay() || !source || !state.selection.lab) return false;
  const RungView* after = find_row(state.ladder, original_rung_of(state, edit));
  if (!after) return false;
  const std::string original(original_of(edit));
  if (const app::Exercise* exercise = exercise_of(original)) {
    state.editing = std::make_shared<Editing>(*after->rung, source->path, *exercise);
  } else {
    const SourceText* from = run.source(original);
    state.editing =
        std::make_shared<Editing>(*after->rung, source->path, from ? from->text : source->text);
  }
  Editing& editing = *state.editing;
  editing.text = editing.on_disk = editing.built = source->text;
  editing.is_recorded = true;
  for (const Request& request : run.requests()) {
    const EditBuild* build = run.build(request.id);
    if (build && build->kernel == edit) editing.build_request = request.id, editing.run_request = 0;
    const bool ran = request.type == RequestType::run && editing.build_request != 0;
    const auto& kernels = request.kernels;
    if (ran && std::find(kernels.begin(), kernels.end(), edit) != kernels.end())
      editing.run_request = request.id;
  }
  state.selection.baseline = editing.kernel;
  rebuild_ladder(state);
  select_rung(state, edit);
  return true;
}

std::string replayed_edit_note(const State& state) {
  if (!state.is_replay() || !is_edit(state.selection.rung) || edits_selected(state)) return "";
  return "A learner's edit, recorded elsewhere: read from the saved run; nothing of it is built or "
         "run here.";
}

}  // namespace ridge::window
