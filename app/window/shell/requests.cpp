// Asking the worker, as every action does it.
#include "app/window/panels/fold.h"
#include "app/window/shell/actions.h"
#include "app/window/teach/predict.h"
#include "app/window/views/training_view.h"

namespace ridge::window {

std::string work_blocker(const State& state) {
  if (!state.view.lab) return "This build has no labs.";
  if (state.is_replay())
    return "This is a saved run; start ridgepoint without --replay to measure.";
  if (state.run_request || state.compare_request) return kBusyNotice;
  if (!state.run().catalogue_complete() && state.session->state() != app::WorkerState::lost) {
    return "The worker has not listed its rungs yet.";
  }
  return {};
}

WorkRequest request_for(const State& state, RequestType type) {
  WorkRequest request;
  request.type = type;
  request.lab = state.view.lab->id;
  request.mode = state.view.mode;
  request.cache = state.view.cache.value().value_or(CacheMode::hot);
  request.counters = request.type == RequestType::run && state.view.counters;
  return request;
}

void cancel_estimates(State& state) {
  const Request* estimates = state.run().request(state.estimate_request);
  if (!estimates || !estimates->open()) return;
  state.session->cancel(state.estimate_request);
  state.estimates_due = true;
}

void send(State& state, WorkRequest request, int64_t* id_out) {
  state.notice = {};
  cancel_estimates(state);
  lock_drafts(state, request);
  const auto id = state.session->send(std::move(request));
  if (id)
    *id_out = *id;
  else
    state.notice = {id.error().sentence(), true};
  state.dirty = true;
}

bool must_list_again(const State& state) {
  return state.session->state() == app::WorkerState::lost && !state.run().catalogue_complete();
}

void run_ladder(State& state) {
  if (must_list_again(state)) {
    state.list_request = 0;
    state.sources_asked.clear();
    state.assembly_asked.clear();
    return open_lab(state, state.view.lab->id);
  }
  WorkRequest request = request_for(state, RequestType::run);
  for (const RungView& row : state.ladder) {
    if (!row.can_run || is_folded(state, *row.rung)) continue;
    request.kernels.push_back({row.rung->kernel, params_for(state, *row.info)});
  }
  send(state, std::move(request), &state.run_request);
}

void climb(State& state) {
  state.view.params.clear();
  state.view.mode = RunMode::live;
  state.view.cache = CacheMode::hot;
  state.view.chart = &kLadderView;
  state.view.screen = ScreenId::lab;
  rebuild_ladder(state);
  run_ladder(state);
}

void run_selected(State& state) {
  WorkRequest request = request_for(state, RequestType::run);
  const RungView* row = find_row(state, state.view.rung);
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  // A training is watched as it climbs; the ladder has nothing of it before its end.
  if (row->info->kind == RungKind::training && state.view.chart == &kLadderView)
    state.view.chart = &kTrainingView;
  send(state, std::move(request), &state.run_request);
}

void probe(State& state) {
  WorkRequest request;
  request.type = RequestType::probe;
  send(state, std::move(request), &state.run_request);
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
  const RungView &baseline = *find_row(state, state.view.baseline),
                 &candidate = *find_row(state, state.view.rung);
  send(state, comparison_of(state, baseline, candidate), &state.compare_request);
}

}  // namespace ridge::window
