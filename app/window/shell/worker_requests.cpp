#include "app/window/shell/worker_requests.h"

#include "app/window/shell/state.h"
#include "app/window/teach/predict.h"
#include "app/window/views/training_view.h"

namespace ridge::window {

std::string work_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  if (state.is_replay())
    return "This is a saved run; start ridgepoint without --replay to measure.";
  if (state.requests.is_measuring()) return kBusyNotice;
  if (!state.run().catalogue_complete() &&
      state.sessions.shown->state() != app::WorkerState::lost) {
    return "The worker has not listed its rungs yet.";
  }
  return {};
}

WorkRequest request_for(const State& state, RequestType type) {
  WorkRequest request;
  request.type = type;
  request.lab = state.selection.lab->id;
  request.mode = state.selection.mode;
  request.cache = state.selection.cache.value().value_or(CacheMode::hot);
  request.counters = request.type == RequestType::run && state.selection.counters;
  return request;
}

void cancel_estimates(State& state) {
  const Request* estimates = state.run().request(state.requests.estimates);
  if (!estimates || !estimates->open()) return;
  state.sessions.shown->cancel(state.requests.estimates);
  state.requests.estimates_due = true;
}

void send(State& state, WorkRequest request, int64_t* id_out) {
  state.notice = {};
  cancel_estimates(state);
  lock_drafts(state, request);
  const auto id = state.sessions.shown->send(std::move(request));
  if (id)
    *id_out = *id;
  else
    state.notice = {id.error().sentence(), true};
  state.ladder.dirty = true;
}

bool must_list_again(const State& state) {
  return state.sessions.shown->state() == app::WorkerState::lost &&
         !state.run().catalogue_complete();
}

void run_ladder(State& state) {
  if (must_list_again(state)) {
    state.requests.list = 0;
    state.requests.sources.clear();
    state.requests.assembly.clear();
    return open_lab(state, state.selection.lab->id);
  }
  WorkRequest request = request_for(state, RequestType::run);
  for (const RungView& row : state.ladder.rows) {
    if (!row.can_run || is_folded(state, *row.rung)) continue;
    request.kernels.push_back({row.rung->kernel, params_for(state, *row.info)});
  }
  send(state, std::move(request), &state.requests.run);
}

void climb(State& state) {
  state.selection.params.clear();
  state.selection.mode = RunMode::live;
  state.selection.cache = CacheMode::hot;
  state.selection.view = &kLadderView;
  state.view.screen = ScreenId::lab;
  rebuild_ladder(state);
  run_ladder(state);
}

void run_selected(State& state) {
  WorkRequest request = request_for(state, RequestType::run);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  // A training is watched as it climbs; the ladder has nothing of it before its end.
  if (row->info->kind == RungKind::training && state.selection.view == &kLadderView)
    state.selection.view = &kTrainingView;
  send(state, std::move(request), &state.requests.run);
}

void probe(State& state) {
  WorkRequest request;
  request.type = RequestType::probe;
  send(state, std::move(request), &state.requests.run);
}

WorkRequest comparison_of(const State& state, const RungView& baseline, const RungView& candidate) {
  WorkRequest request = request_for(state, RequestType::compare);
  for (const RungView* side : {&baseline, &candidate}) {
    request.kernels.push_back(
        {side->rung->kernel, params_beside(state, *side->info, *candidate.info)});
  }
  return request;
}

void compare(State& state) {
  const RungView &baseline = *find_row(state.ladder, state.selection.baseline),
                 &candidate = *find_row(state.ladder, state.selection.rung);
  send(state, comparison_of(state, baseline, candidate), &state.requests.compare);
}

}  // namespace ridge::window
