// The view "Scaling": how much faster more ranks or threads are, at the same work and at work that grows with them.
#include <algorithm>
#include <optional>

#include "app/window/shell/actions.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/views/view.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

const Scaling& scaling_of(const State& state) {
  return state.selection.lab->scaling;
}

/// Where the lab's amount of work is that of each, it grows with them as it is.
bool shows_weak(const State& state) {
  const Scaling& scaling = scaling_of(state);
  return !scaling.work.empty() && state.options.weak_scaling.value_or(scaling.is_each);
}

std::string scaling_blocker(const State& state) {
  const bool any = state.selection.lab && !scaling_of(state).param.empty();
  return any ? "" : "No rung of this lab shares its work out over ranks or threads.";
}

chart::ChartModel build_scaling(const State& state, ChartRows* rows) {
  const chart::Figure& figure = *chart::find_figure(shows_weak(state) ? "weak_scaling" : "scaling");
  *rows = figure_rows(state, figure.rows);
  return figure.build(rows->rows, figure_options(*state.selection.lab));
}

/// What a rung is asked for at a count, its work in step with that where the curve needs it; none where the rung takes no
/// such values.
std::optional<Params> params_at(const State& state, const KernelInfo& info, int64_t count) {
  const Scaling& scaling = scaling_of(state);
  Params params = params_for(state, info);
  const Params now = view_params(state, &info);
  if (!now.contains(scaling.param)) return std::nullopt;
  if (info.id != scaling.alone) params[scaling.param] = count;
  if (!scaling.work.empty() && shows_weak(state) != scaling.is_each) {
    const int64_t more = scaling.is_each ? param_int(now, scaling.param) : count,
                  fewer = scaling.is_each ? count : param_int(now, scaling.param);
    const int64_t work = param_int(now, scaling.work) * more;
    if (work % fewer != 0) return std::nullopt;
    params[scaling.work] = work / fewer;
  }
  return resolve_params(info.params, params, info.family) ? std::optional(params) : std::nullopt;
}

/// The selected rung at each of the lab's counts, the largest last, and before it what all are held against.
void run_counts(State& state) {
  const Lab& lab = *state.selection.lab;
  WorkRequest request = request_for(state, RequestType::run);
  const auto add = [&](const RungView* row, int64_t count) {
    const auto params = row && row->can_run ? params_at(state, *row->info, count) : std::nullopt;
    if (params) request.kernels.push_back({row->rung->kernel, *params});
  };
  add(find_row(state.ladder, lab.scaling.alone), 1);
  const bool is_alone = state.selection.rung == lab.scaling.alone;
  for (const ParamView& param : lab.params) {
    if (param.name != lab.scaling.param || is_alone) continue;
    for (const int64_t stop : param.stops) add(find_row(state.ladder, state.selection.rung), stop);
  }
  if (request.kernels.size() < 2) {
    state.notice = {"The selected rung runs at no two counts of " + lab.scaling.param + " here.",
                    false};
    return;
  }
  send(state, std::move(request), &state.requests.run);
  state.selection.view = find_view("scaling");
}

std::string counts_blocker(const State& state) {
  const std::string why = scaling_blocker(state);
  return why.empty() ? run_selected_blocker(state) : why;
}

std::span<const Action> scaling_actions() {
  static const Action kActions[] = {{"run_counts",
                                     "Run the selected rung at each count of ranks or threads",
                                     {},
                                     counts_blocker,
                                     run_counts}};
  return kActions;
}

void draw_scaling_bar(Ui& ui, Area area) {
  Area line = area.inset(ui.px(8), ui.px(5));
  const std::vector<std::string> words = {"strong: same work", "weak: work in step"};
  float width = 0;
  for (const std::string& word : words) width += ui.width(word, kSmall_px) + ui.px(24);
  const int clicked = ui.segments("scaling_kind", line.take_left(std::min(width, line.w)), words,
                                  shows_weak(ui.state) ? 1 : 0);
  if (clicked < 0) return;
  ui.dispatch([is_weak = clicked == 1](State& state) {
    state.options.weak_scaling = is_weak;
    state.ladder.dirty = true;
  });
}

const ViewDesc kScalingView = {
    .id = "scaling",
    .label = "Scaling",
    .title = "Scaling: how much faster more ranks or threads are",
    .place = 38,
    .level = Level::kLab,
    .blocker = scaling_blocker,
    .build = build_scaling,
    .bar = {.height_px = 40,
            .draw = draw_scaling_bar,
            .is_shown = [](const State& state) { return !scaling_of(state).work.empty(); },
            .holds_foot = true},
    .foot = {"run_counts", "Run each count"},
    .actions = scaling_actions};
RIDGE_VIEW(kScalingView);

}  // namespace
}  // namespace ridge::window
