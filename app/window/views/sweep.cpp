#include "app/window/views/sweep.h"

#include <algorithm>
#include <string_view>

#include "app/window/shell/actions.h"
#include "app/window/views/view.h"

namespace ridge::window {
namespace {

bool takes(const KernelInfo& info, const std::string& name, int64_t value) {
  return std::any_of(info.params.begin(), info.params.end(), [&](const ParamSpec& spec) {
    return spec.name == name && !spec.is_choice && value >= spec.min && value <= spec.max;
  });
}

template <class Wanted>
void sweep(State& state, Wanted wanted) {
  const ParamView* param = swept_param(*state.selection.lab);
  if (!param) {
    state.notice = {"This lab has no size to sweep over.", false};
    return;
  }
  std::vector<int64_t> stops = param->stops;
  std::sort(stops.begin(), stops.end());
  WorkRequest request = request_for(state, RequestType::run);
  for (const int64_t stop : stops) {  // what takes longest comes last, when the curve is there
    for (const RungView& row : state.ladder.rows) {
      if (!row.can_run || !wanted(row) || !takes(*row.info, param->name, stop)) continue;
      Params params = params_for(state, *row.info);
      params[param->name] = stop;
      request.kernels.push_back({row.rung->kernel, std::move(params)});
    }
  }
  if (request.kernels.empty()) {
    state.notice = {"Nothing of this can run on this machine.", false};
    return;
  }
  send(state, std::move(request), &state.requests.run);
  state.selection.view = &kSizesView;
}

}  // namespace

const ParamView* swept_param(const Lab& lab) {
  for (const ParamView& param : lab.params) {
    if (param.stops.size() < 2) continue;
    if (param.name != std::string_view("threads")) return &param;
  }
  return nullptr;
}

void sweep_selected(State& state) {
  sweep(state, [&](const RungView& row) { return row.rung->kernel == state.selection.rung; });
}

void sweep_all(State& state) {
  sweep(state, [&](const RungView& row) { return !is_folded(state, *row.rung); });
}

void rerun_live(State& state) {
  if (!state.teaching.reruns || state.is_replay() || !state.run().catalogue_complete()) return;
  rebuild_ladder(state);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !row->can_run) return;
  // The worker takes requests in turn: the new one waits for the cancelled one's last sample only.
  for (const int64_t open : {state.requests.run, state.requests.compare}) {
    if (open) state.sessions.shown->cancel(open);
  }
  WorkRequest request = request_for(state, RequestType::run);
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  send(state, std::move(request), &state.requests.run);
}

void toggle_reruns(State& state) {
  state.teaching.reruns = !state.teaching.reruns;
  if (state.teaching.reruns) state.selection.mode = RunMode::live;
  state.notice = {state.teaching.reruns
                      ? "Live: a change of a parameter runs the selected rung again."
                      : "Changes wait for Run again.",
                  false};
  state.ladder.dirty = true;
}

}  // namespace ridge::window
