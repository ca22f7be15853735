#include "app/window/shell/state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/query/flat_source.h"
#include "app/window/edit/editing.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/presenter.h"
#include "app/window/views/history_view.h"
#include "app/window/views/view.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/import.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

constexpr double kEstimateDelay_s = 0.25;  // a slider drag asks once, at its end
constexpr double kSummary_s = 0.1;         // what samples come to so far, ten times a second

void ask_for_source(State& state, const std::string& name) {
  if (!must_ask(state, state.requests.sources, name)) return;
  const auto id = state.sessions.shown->source(name);
  state.requests.sources[name] = id ? *id : 0;
}

void ask_for_sources(State& state) {
  for (const Rung& rung : state.selection.lab->rungs) {
    if (!state.run().kernel(rung.kernel) || state.run().source(rung.kernel)) continue;
    ask_for_source(state, rung.kernel);
  }
}

bool shows_source_as(const State& state, SourceForm form) {
  return state.view.tab == Tab::source && state.view.source_form == form;
}

/// The headers of the flat source, each once; what a header includes when it is there.
void ask_for_headers(State& state) {
  const std::string& kernel = state.selection.rung;
  const SourceText* source = state.run().source(kernel);
  if (!shows_source_as(state, SourceForm::flat) || !source) return;
  if (state.requests.flat_of == kernel && state.requests.flat_version == state.run().version())
    return;
  state.requests.flat_of = kernel;
  state.requests.flat_version = state.run().version();
  for (const std::string& path : app::flat_source(state.run(), *source).missing) {
    ask_for_source(state, path);
  }
}

/// Only where it is looked at: a GPU's disassembler takes seconds.
void ask_for_assembly(State& state) {
  const std::string& kernel = state.selection.rung;
  if (!shows_source_as(state, SourceForm::assembly) || find_assembly(state, kernel)) return;
  if (!state.run().kernel(kernel) || !must_ask(state, state.requests.assembly, kernel)) return;
  const auto id = state.sessions.shown->assembly(kernel);
  state.requests.assembly[kernel] = id ? *id : 0;
}

void ask_for_estimates(State& state) {
  cancel_estimates(state);  // those of other parameters, or of another lab
  WorkRequest request;
  request.type = RequestType::probe;
  request.lab = state.selection.lab->id;
  request.mode = state.selection.mode;
  for (const RungView& row : state.ladder.rows) {
    if (!row.can_run) continue;
    request.kernels.push_back({row.rung->kernel, params_for(state, *row.info)});
  }
  state.requests.estimates_due = false;
  if (request.kernels.empty()) return;
  if (const auto id = state.sessions.shown->send(request)) state.requests.estimates = *id;
}

/// What became of what the person asked to be measured.
void note_ended_requests(State& state) {
  for (int64_t* open : {&state.requests.run, &state.requests.compare}) {
    const Request* request = *open ? state.run().request(*open) : nullptr;
    if (!request || request->open()) continue;
    if (request->error)
      state.notice = {request->error->sentence(), true};
    else if (request->status == RequestStatus::cancelled &&
             !(state.editing && state.editing->cancels))
      state.notice = {"Cancelled; what was measured stays.", false};
    else if (request->status == RequestStatus::failed && !state.sessions.shown->reason().empty()) {
      state.notice = {state.sessions.shown->reason(), true};
    } else if (state.notice.text == kBusyNotice) {
      state.notice = {};
    }
    *open = 0;
    state.ladder.dirty = true;
    if (!state.run().has_hello()) {  // what else it was asked for has gone with the worker
      state.requests.estimates_due = true;
      build_again(state);
    }
    go_on(state, *request);
    if (!state.requests.sequence.is_open())
      remember_run(state);  // a hundred times the same file would be too often
  }
}

/// Hot or cold, as the saved run of this lab begins.
OpenEnum<CacheMode> first_cache(const State& state) {
  for (const Series& series : state.run().series()) {
    if (series.lab == state.selection.lab->id && !series.cache.empty()) return series.cache;
  }
  return CacheMode::hot;
}

/// The first rung of the ladder that has a result in this run, else one in any recording; else its first. One that is
/// wrong by design comes after all others.
std::string first_to_see(const State& state) {
  const RungView* first = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (!row.series) continue;
    const bool is_wrong = row.rung->wrong != nullptr;
    if (row.origin != Origin::recorded && !is_wrong) return row.rung->kernel;
    if (!first || (first->rung->wrong && !is_wrong)) first = &row;
  }
  return first ? first->rung->kernel : first_rung(*state.selection.lab).kernel;
}

/// Of the processor and the type that the ladder begins with, at the size in view.
bool is_of_climb(const RungView& row, const RungView& first) {
  if (row.rung->peer || row.rung->wrong || !row.series || !row.series->stats) return false;
  return row.origin != Origin::recorded && row.shown_size.empty() &&
         backend_of(row.rung->kernel) == backend_of(first.rung->kernel) &&
         dtype_of(*row.series) == dtype_of(*first.series);
}

/// Where the climb of a saved run ends: the fastest of our rungs that was compared, against a library where it was, else
/// in its newest pair. A learner's own copy is what its session was about: then, and where no step was compared, it is
/// the newest pair of all.
const Comparison& pair_to_see(const State& state) {
  const auto& all = state.run().comparisons();
  const RungView* first = find_row(state.ladder, first_to_see(state));
  const Comparison* best = &all.back();
  if (is_edit(best->candidate) || is_edit(best->baseline) || !first || !first->series) return *best;
  std::pair<double, bool> least(INFINITY, false);  // of its time, and whether a library is missing
  for (const Comparison& one : all) {
    const RungView* row = find_row(state.ladder, one.candidate);
    const RungView* beside = find_row(state.ladder, one.baseline);
    if (!row || !beside || is_self_check(one) || one.verdict == Verdict::invalid) continue;
    if (!is_of_climb(*row, *first) || one.cache != state.selection.cache ||
        !agrees(one.candidate_params, row->series->params))
      continue;
    const std::pair found(row->series->stats->median_ns, !beside->rung->peer);
    if (found <= least) least = found, best = &one;
  }
  return *best;
}

}  // namespace

void take_recordings(State& state, std::vector<Recording> recordings) {
  const bool is_as_opened = state.is_replay() && state.selection.lab &&
                            state.selection.baseline.empty() &&
                            state.selection.rung == first_to_see(state);
  state.sessions.recordings = std::move(recordings);
  rebuild_ladder(state);
  state.ladder.dirty = true;
  if (!is_as_opened) return;
  state.selection.rung = first_to_see(state);
  unfold_for(state, state.selection.rung);
}

void finish_typing(State& state) {
  const Typing typed = std::exchange(state.typing, {});
  if (typed.take) typed.take(state, typed.text);
}

void leave_lab(State& state) {
  cancel_estimates(state);  // of a lab that trains a network for them, they take a minute
  if (state.selection.lab && !state.is_replay())
    state.history.left_params[state.selection.lab->id] = state.selection.params;
}

void open_lab(State& state, const std::string& lab_id) {
  const auto labs = all_labs();
  const Lab* lab = lab_id.empty() ? nullptr : find_lab(lab_id);
  if (!lab && !state.run().series().empty()) lab = find_lab(state.run().series().front().lab);
  if (!lab && !labs.empty()) lab = labs.front();
  const bool is_other = lab != state.selection.lab;
  if (is_other) {
    leave_lab(state);
    state.selection.params =
        lab && !state.is_replay() ? state.history.left_params[lab->id] : Params();
    state.selection.baseline.clear();
    state.selection.rung.clear();
    state.requests.sources.clear();
    state.requests.assembly.clear();
    if (state.selection.view->blocker) state.selection.view = &kLadderView;  // not every lab has it
    if (is_learning(state))
      state.selection.view = &kGainsView;  // refresh() knows whether it climbs
  }
  state.selection.lab = lab;
  if (is_other && can_fill(state, kPuzzlesView)) state.selection.view = &kPuzzlesView;
  state.ladder.dirty = true;
  if (!lab || lab->rungs.empty()) return;
  if (state.is_replay()) state.selection.cache = first_cache(state);
  for (const Request& request : state.run().requests()) {
    if (state.is_replay() && !request.model.empty())
      state.options.model = model_shape(request.model);
  }
  const auto& compared = state.run().comparisons();
  // Commands and benchmarks of other programs belong to no ladder.
  if (state.is_replay() && !compared.empty() && compared.back().lab == kCommandLab)
    state.view.screen = ScreenId::compare;
  if (state.is_replay() && state.run().series().size() > 0 &&
      state.run().series().begin()->lab == kImportedLab)
    state.view.screen = ScreenId::report;
  if (state.is_replay() && !compared.empty() && compared.back().lab == lab->id) {
    state.selection.rung = first_rung(*lab).kernel;
    rebuild_ladder(state);
    state.selection.rung = first_to_see(state);
    rebuild_ladder(state);  // at its size
    const Comparison& pair = pair_to_see(state);
    state.selection.baseline = pair.baseline;
    state.selection.rung = pair.candidate;
    state.ladder.dirty = true;
  }
  if (state.selection.rung.empty()) {
    state.selection.rung = first_rung(*lab).kernel;
    if (state.is_replay()) {  // nothing can be run: begin where there is something to see
      rebuild_ladder(state);
      state.selection.rung = first_to_see(state);
    }
  }
  for (const std::string& shown : {state.selection.rung, state.selection.baseline})
    unfold_for(state, shown);
  if (!state.is_replay() && !state.requests.list) {
    if (const auto id = state.sessions.shown->list()) {
      state.requests.list = *id;
    } else {
      state.notice = {id.error().sentence(), true};
    }
  }
  state.requests.estimates_due = true;
}

bool refresh(State& state, double now_s) {
  open_wanted_run(state);
  if (state.view.screen == ScreenId::report) recall_session(state);
  const bool toured = tick_teaching(state, now_s);
  keep_tour_place(state);
  const bool edited = tick_editing(state, now_s), rewritten = watch_written(state);
  bool moved = state.ladder.dirty || state.ladder.seen_version != state.run().version() ||
               state.ladder.seen_state != state.sessions.shown->state();
  if (moved) {
    state.ladder.dirty = false;
    state.ladder.seen_version = state.run().version();
    state.ladder.seen_state = state.sessions.shown->state();
    rebuild_ladder(state);
    // What the catalogue says of its rungs: traps do not climb.
    if (state.selection.view == &kGainsView && !can_fill(state, kGainsView))
      state.selection.view = &kLadderView;
    state.ladder.summarized_s = now_s;
    if (state.requests.estimates_due) state.requests.estimates_due_s = now_s + kEstimateDelay_s;
  } else if (now_s - state.ladder.summarized_s >= kSummary_s) {
    moved = summarize_again(state.ladder);
    if (moved) state.ladder.summarized_s = now_s;
  }
  const bool live = !state.is_replay() && state.selection.lab && state.run().catalogue_complete();
  if (live && state.sessions.shown->state() != app::WorkerState::lost) {
    ask_for_sources(state);
    ask_for_headers(state);
    ask_for_assembly(state);
  }
  if (live && state.requests.estimates_due && !state.requests.is_measuring() &&
      state.sessions.shown->state() == app::WorkerState::idle &&
      now_s >= state.requests.estimates_due_s) {
    ask_for_estimates(state);
  }
  note_ended_requests(state);
  const bool climbed = tick_first_climb(state);
  note_progress(state, now_s);
  keep_run(state);
  const bool solved = reread_exercises(state, now_s);
  const bool looked = tick_inspect(state, now_s);
  const bool walked = tick_walk(state, now_s);
  const bool stamped = tick_lanes(state);
  const bool counted = tick_count(state);
  const bool remembered = tick_history(state);
  return moved || toured || edited || rewritten || climbed || solved || looked || walked ||
         stamped || counted || remembered || state.ladder.dirty;
}

}  // namespace ridge::window
