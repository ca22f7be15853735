#include "app/window/views/view.h"

#include <algorithm>

#include "app/window/shell/worker_requests.h"
#include "app/window/teach/predict.h"
#include "app/window/views/training_view.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/view/chart/size_curve.h"

namespace ridge::window {
namespace {

/// Of a recorded row what the lab's controls set, without type and threads.
Params place_params(const State& state, const RungView& row) {
  Params params;
  const Params asked = asked_params(*row.series);
  for (const ParamView& one : state.selection.lab->params) {
    const auto found = asked.find(one.name);
    const std::string name = one.name;
    if (found != asked.end() && name != "dtype" && name != "threads") params.insert(*found);
  }
  return params;
}

bool is_same_place(const State& state, const RungView& a, const RungView& b) {
  return a.machine == b.machine && agrees(place_params(state, a), place_params(state, b));
}

/// The recorded row whose machine and size the chart is of: the selected one, else one of the most.
const RungView* recorded_place(const State& state, const std::vector<const RungView*>& recorded) {
  const RungView* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const RungView* one : recorded) {
    if (one->rung->kernel == state.selection.rung) return one;
    const auto rows = std::count_if(recorded.begin(), recorded.end(), [&](const RungView* other) {
      return is_same_place(state, *one, *other);
    });
    if (rows > most) best = one, most = rows;
  }
  return best;
}

/// Recorded rows of one machine and one size have marks; those of others say their figure in words.
void keep_one_place(const State& state, ChartRows* rows) {
  std::vector<const RungView*> views, recorded;
  for (size_t i = 0; i < rows->rows.size(); ++i) {
    const RungView* view = find_row(state.ladder, rows->kernels[i]);
    const bool is_recorded =
        view && view->series && rows->rows[i].series && view->origin == Origin::recorded;
    views.push_back(is_recorded ? view : nullptr);
    if (is_recorded) recorded.push_back(view);
  }
  const RungView* place = recorded_place(state, recorded);
  for (size_t i = 0; i < views.size(); ++i) {
    if (!views[i] || is_same_place(state, *views[i], *place)) continue;
    chart::LadderRow row = plain_row(state, *views[i]);
    row.section = rows->rows[i].section;
    row.state = elsewhere_text(state, *views[i]);
    if (!row.state.empty()) rows->rows[i] = std::move(row);
  }
}

chart::ChartModel build_ladder(const State& state, ChartRows* rows) {
  *rows = ladder_rows(state);
  keep_one_place(state, rows);
  chart::ChartModel model =
      chart::find_figure("ladder")->build(rows->rows, figure_options(*state.selection.lab));
  mark_predictions(state, *rows, &model);
  say_place_once(state, *rows, &model);
  return model;
}

/// What there is of memory: on this machine, and of a GPU that only a recording has, on that.
chart::SizeCurveOptions memory_options(const State& state) {
  chart::SizeCurveOptions options{.memory = true,
                                  .param_titles = param_titles(*state.selection.lab)};
  const auto add = [&](const Run& run) {
    if (!run.environment()) return;
    const Environment& env = *run.environment();
    if (options.host_bytes == 0) options.host_bytes = double(env.cpu.memory_bytes);
    if (options.gpu_bytes == 0 && !env.gpus.empty())
      options.gpu_bytes = double(env.gpus.front().memory_bytes);
  };
  add(state.run());
  for (const Recording& recording : state.sessions.recordings) add(*recording.run);
  return options;
}

/// Of a chart over sizes: what else was measured at other values of what it holds.
void name_held(const ChartRows& rows, const Lab& lab, chart::ChartModel* model) {
  if (std::string text = held_text(rows, lab); !text.empty())
    model->legend.insert(model->legend.begin(), std::move(text));
}

chart::ChartModel build_memory(const State& state, ChartRows* rows) {
  *rows = size_rows(state);
  chart::ChartModel model = chart::size_curve_chart(rows->rows, memory_options(state));
  name_held(*rows, *state.selection.lab, &model);
  return model;
}

/// Without a parameter to sweep there is nothing to draw a curve over.
bool has_sizes(const State& state) {
  return swept_param(*state.selection.lab) != nullptr;
}

bool has_rates_over_sizes(const State& state) {
  const Lab& lab = *state.selection.lab;
  return has_sizes(state) && (lab.counts_flop || lab.per_item);
}

/// Rungs that are held to an error, in a lab that has a task metric too.
bool has_error(const State& state) {
  if (!state.selection.lab->counts_flop) return false;
  if (state.selection.lab->quality_metric == kErrorMetric) return true;
  return std::any_of(state.ladder.rows.begin(), state.ladder.rows.end(), [](const RungView& row) {
    const QualityCheck* check = row.series ? row.series->quality() : nullptr;
    return check != nullptr && check->nmse_limit > 0;
  });
}

/// A training and a loader are timed by the step and by the image: no FLOP and bytes of a call are counted.
bool has_calls(const State& state) {
  bool is_known = false;
  for (const RungView& row : state.ladder.rows) {
    if (!row.info) continue;  // a rung that this worker has not says nothing of its lab
    is_known = true;
    if (row.info->kind != RungKind::training && row.info->kind != RungKind::pipeline) return true;
  }
  return !is_known;
}

bool has_roofs(const State& state) {
  return state.selection.lab->counts_flop && has_calls(state);
}

std::string frontier_blocker(const State& state) {
  const bool any = state.selection.lab && has_frontier(*state.selection.lab);
  return any ? std::string() : "This lab is judged by an error, not by right answers.";
}

/// The first rung of another processor than the selected one's that has its accuracy beside the baseline's; empty: none.
std::string judged_elsewhere(const State& state) {
  const ChartRows rows = ladder_rows(state);
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const Series* series = rows.rows[i].series;
    const QualityCheck* check = series && rows.rows[i].delta ? series->quality() : nullptr;
    const bool is_here = backend_of(rows.kernels[i]) == backend_of(state.selection.rung);
    if (check && !is_here && check->task.contains(state.selection.lab->quality_metric))
      return rows.kernels[i];
  }
  return "";
}

ViewFill fill_frontier(const State& state) {
  const std::string metric = state.selection.lab->quality_metric;
  if (const std::string other = judged_elsewhere(state); !other.empty()) {
    const std::string title = "“" + rung_title(state.ladder, other) + "”";
    return {"No frontier for this rung's processor",
            title + ", of the other processor, is judged by its " + metric + ".", "Show " + title,
            [other](State& changed) { select_rung(changed, other); }};
  }
  const std::string next =
      "A run of the ladder measures the speed and the " + metric + " of each rung.";
  if (!state.is_replay())
    return {"No rung has its " + metric + " yet", next, "Run the ladder (F5)",
            [](State& changed) { perform(changed, "run"); }};
  const bool is_opened = state.sessions.opened != nullptr;
  return {"This saved run holds no " + metric, next, is_opened ? way_out(state) : "", take_way_out};
}

const ViewDesc kRooflineView = {.id = "roofline",
                                .label = "Roofline",
                                .title = "Roofline: speed under the machine's ceilings",
                                .place = 20,
                                .keys = typed("R", 'r'),
                                .is_offered = has_roofs,
                                .figure = "roofline"};
RIDGE_VIEW(kRooflineView);
const ViewDesc kBandwidthView = {.id = "bandwidth",
                                 .label = "Bandwidth",
                                 .title = "Bandwidth: memory bandwidth against size",
                                 .place = 40,
                                 .keys = typed("Q", 'q'),
                                 .level = Level::kBench,
                                 .is_offered = has_calls,
                                 .figure = "bandwidth"};
RIDGE_VIEW(kBandwidthView);
const ViewDesc kMemoryView = {.id = "memory",
                              .label = "Memory",
                              .title = "Memory: bytes that a rung holds, against size",
                              .place = 50,
                              .level = Level::kBench,
                              .is_offered = has_sizes,
                              .build = build_memory};
RIDGE_VIEW(kMemoryView);
const ViewDesc kErrorView = {.id = "error",
                             .label = "Error",
                             .title = "Error: speed against error, with the limit",
                             .place = 60,
                             .keys = typed("E", 'e'),
                             .level = Level::kBench,
                             .is_offered = has_error,
                             .figure = "error"};
RIDGE_VIEW(kErrorView);
const ViewDesc kFrontierView = {.id = "frontier",
                                .label = "Frontier",
                                .title = "Frontier: speed against right answers",
                                .place = 100,
                                .level = Level::kLearn,
                                .blocker = frontier_blocker,
                                .figure = "frontier",
                                .fill = fill_frontier};
RIDGE_VIEW(kFrontierView);
}  // namespace

const ViewDesc kLadderView = {.id = "ladder",
                              .label = "Ladder",
                              .title = "Show the ladder",
                              .place = 10,
                              .build = build_ladder};
RIDGE_VIEW(kLadderView);

const ViewDesc kSizesView = {.id = "sizes",
                             .label = "Sizes",
                             .title = "Sizes: speed against size",
                             .place = 30,
                             .keys = typed("N", 'n'),
                             .is_offered = has_rates_over_sizes,
                             .figure = "sizes"};
RIDGE_VIEW(kSizesView);

const ViewDesc& sweep_view(const State& state) {
  return can_fill(state, kMessagesView) ? kMessagesView : kSizesView;
}

std::span<const ViewDesc* const> views() {
  static const std::vector<const ViewDesc*> kViews = [] {
    const auto all = registered_views();
    std::vector<const ViewDesc*> sorted(all.begin(), all.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const ViewDesc* a, const ViewDesc* b) { return a->place < b->place; });
    return sorted;
  }();
  return kViews;
}

const ViewDesc* find_view(std::string_view id) {
  const auto all = views();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ViewDesc* view) { return view->id == id; });
  return found == all.end() ? nullptr : *found;
}

bool can_fill(const State& state, const ViewDesc& view) {
  if (view.is_offered) return view.is_offered(state);
  return !view.blocker || view.blocker(state).empty();
}

std::vector<const ViewDesc*> offered_views(const State& state) {
  std::vector<const ViewDesc*> offered;
  for (const ViewDesc* view : views()) {
    const bool belongs = is_shown(view->level, state.appearance.level) && can_fill(state, *view);
    if (belongs || view == state.selection.view) offered.push_back(view);
  }
  return offered;
}

const ViewDesc& first_view(const State& state) {
  if (can_fill(state, kPuzzlesView)) return kPuzzlesView;
  const bool climbs = state.appearance.level == Level::kLearn && can_fill(state, kGainsView);
  return climbs ? kGainsView : kLadderView;
}

void show_view(State& state, const ViewDesc& view) {
  const bool is_shown = state.view.screen == ScreenId::lab && state.selection.view == &view;
  state.selection.view = is_shown ? &first_view(state) : &view;
  state.view.screen = ScreenId::lab;
}

void set_level(State& state, Level level) {
  state.appearance.level = level;
  state.ladder.dirty = true;  // a chart has other columns
  const ViewDesc& shown = *state.selection.view;
  if (!is_shown(shown.level, level) || &shown == &kLadderView)
    state.selection.view = &first_view(state);
  save_settings(&state);
}

ChartRows figure_rows(const State& state, chart::FigureRows rows) {
  switch (rows) {
    case chart::FigureRows::kLadder:
      return ladder_rows(state);
    case chart::FigureRows::kTypes:
      return type_rows(state);
    case chart::FigureRows::kPath:
      return path_rows(state);
    case chart::FigureRows::kSizes:
      return size_rows(state);
    case chart::FigureRows::kCounts:
      return count_rows(state);
    case chart::FigureRows::kTrainings:
      return training_rows(state);
  }
  return {};
}

chart::FigureOptions figure_options(const Lab& lab) {
  return {.task_metric = lab.quality_metric == kErrorMetric ? "" : lab.quality_metric,
          .items = lab.items,
          .per_item = lab.per_item,
          .param_titles = param_titles(lab),
          .scaling = lab.scaling};
}

chart::ChartModel centre_chart(const State& state, ChartRows* rows) {
  *rows = {};
  const ViewDesc& view = *state.selection.view;
  if (const std::string why = view.blocker ? view.blocker(state) : ""; !why.empty()) {
    chart::ChartModel none{.id = view.id, .summary = why};
    none.plot = chart::Plot{.empty_reason = why};
    return none;
  }
  if (view.build) return view.build(state, rows);
  const chart::Figure& figure = *chart::find_figure(view.figure);
  *rows = figure_rows(state, figure.rows);
  chart::ChartModel model = figure.build(rows->rows, figure_options(*state.selection.lab));
  name_held(*rows, *state.selection.lab, &model);
  return model;
}

}  // namespace ridge::window
