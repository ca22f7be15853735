#include "app/window/views/heat_view.h"

#include <algorithm>

#include "app/window/shell/actions.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/predict.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

const std::vector<ParamSpec>& specs_of(const State& state) {
  static const std::vector<ParamSpec> kNone;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  return row && row->info ? row->info->params : kNone;
}

const ParamSpec* spec_of(const State& state, const std::string& name) {
  for (const ParamSpec& spec : specs_of(state)) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

/// The lab's stops of it, or of what it copies, that the rung can take.
std::vector<int64_t> stops_of(const State& state, const ParamSpec& spec) {
  std::vector<int64_t> stops;
  for (const ParamView& view : state.selection.lab->params) {
    if (view.name == spec.name || (stops.empty() && view.name == spec.same_as)) stops = view.stops;
  }
  std::erase_if(stops, [&](int64_t stop) { return stop < spec.min || stop > spec.max; });
  std::sort(stops.begin(), stops.end());
  return stops;
}

/// What a parameter and those that copy it have in common.
std::string group_of(const State& state, const std::string& name) {
  const ParamSpec* spec = spec_of(state, name);
  return spec && !spec->same_as.empty() ? spec->same_as : name;
}

struct Pair {
  int64_t x, y;
};

std::vector<Pair> pairs_of(const HeatAxes& axes) {
  std::vector<Pair> pairs;
  for (const int64_t y : axes.y_stops) {
    for (const int64_t x : axes.x_stops) pairs.push_back({x, y});
  }
  return pairs;
}

const Series* newest(const Run& run, const State& state, const Params& wanted) {
  const Series* found = nullptr;
  for (const Series* series : run.series_of_kernel(state.selection.rung)) {
    const bool is_it = series->cache == state.selection.cache && agrees(series->params, wanted) &&
                       !hides_result(state, *series);
    if (is_it && (!found || takes_place_of(run, *series, *found))) found = series;
  }
  return found;
}

/// This session's, else of what cannot run here the first recording's.
void find_result(const State& state, const RungView& view, const Params& wanted,
                 chart::LadderRow* row) {
  row->series = newest(state.run(), state, wanted);
  if (row->series) row->run = &state.run();
  for (const Recording& recording : state.sessions.recordings) {
    if (row->series || view.can_run) return;
    row->series = newest(*recording.run, state, wanted);
    if (!row->series) continue;
    row->run = recording.run.get();
    row->origin = recording.machine;
  }
}

std::vector<chart::HeatCell> cells_of(const State& state, const HeatAxes& axes) {
  std::vector<chart::HeatCell> cells;
  const RungView* view = find_row(state.ladder, state.selection.rung);
  if (!view || !view->info) return cells;
  const Params now = view_params(state, view->info);
  for (const Pair& pair : pairs_of(axes)) {
    chart::HeatCell cell{static_cast<double>(pair.x), static_cast<double>(pair.y), {}};
    Params wanted = heat_params_at(state, axes, pair.x, pair.y);
    if (const auto all = resolve_params(view->info->params, wanted, view->info->family))
      wanted = *all;
    cell.row.label = view->rung->title;
    cell.row.state = "not run";
    cell.row.selected =
        param_int(now, axes.x) == pair.x && param_int(now, axes.y) == pair.y && wanted == now;
    find_result(state, *view, wanted, &cell.row);
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

std::vector<std::string> heat_params(const State& state) {
  std::vector<std::string> names;
  for (const ParamSpec& spec : specs_of(state)) {
    if (!spec.is_choice && stops_of(state, spec).size() > 1) names.push_back(spec.name);
  }
  return names;
}

HeatAxes heat_axes(const State& state) {
  const std::vector<std::string> names = heat_params(state);
  if (names.size() < 2) return {};
  const auto known = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const ParamView* swept = swept_param(*state.selection.lab);
  const std::vector<const char*>& first = state.selection.lab->heat;
  const bool has_first = first.size() == 2 && known(first[0]) && known(first[1]);
  HeatAxes axes;
  axes.x = known(state.options.heat_x)   ? state.options.heat_x
           : has_first                   ? first[0]
           : swept && known(swept->name) ? swept->name
                                         : names.front();
  axes.y = state.options.heat_y.empty() && has_first ? first[1] : state.options.heat_y;
  if (!known(axes.y) || axes.y == axes.x)
    axes.y = *std::find_if(names.begin(), names.end(),
                           [&](const std::string& name) { return name != axes.x; });
  axes.x_stops = stops_of(state, *spec_of(state, axes.x));
  axes.y_stops = stops_of(state, *spec_of(state, axes.y));
  return axes;
}

void set_heat_axis(State& state, bool is_x, const std::string& name) {
  const HeatAxes now = heat_axes(state);
  ViewOptions& options = state.options;
  options.heat_x = now.x, options.heat_y = now.y;
  // What the other axis has changes place with it.
  if (is_x && name == now.y) options.heat_y = now.x;
  if (!is_x && name == now.x) options.heat_x = now.y;
  (is_x ? options.heat_x : options.heat_y) = name;
  state.ladder.dirty = true;
}

Params heat_params_at(const State& state, const HeatAxes& axes, int64_t x, int64_t y) {
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !row->info) return {};
  Params params = params_for(state, *row->info);
  const std::string group = group_of(state, axes.x);
  if (group == group_of(state, axes.y)) {
    const Params now = view_params(state, row->info);
    for (const ParamSpec& spec : row->info->params) {
      const auto value = now.find(spec.name);
      if (value != now.end() && group_of(state, spec.name) == group)
        params[spec.name] = value->second;
    }
  }
  params[axes.x] = x;
  params[axes.y] = y;
  return params;
}

namespace {

/// "data type = fp32, CPU threads = 4": what neither axis is of, nor follows one of them.
std::string fixed_text(const State& state, const HeatAxes& axes, const RungView& row) {
  const std::string x = group_of(state, axes.x), y = group_of(state, axes.y);
  std::string text;
  for (const auto& [name, value] : view_params(state, row.info)) {
    const std::string own = group_of(state, name);
    const bool follows = x != y && (own == x || own == y);
    if (follows || name == axes.x || name == axes.y) continue;
    text += (text.empty() ? "" : ", ") + param_title(*state.selection.lab, name) + " = " +
            to_string(value);
  }
  return text;
}

/// A parameter that others copy ("n", of m = k = n) stands for all of them, but not beside one of them: there it is itself
/// alone, and has its name alone.
std::string choice_title(const State& state, const std::string& name, const std::string& beside) {
  const bool is_alone = group_of(state, name) == group_of(state, beside);
  return is_alone ? name : param_title(*state.selection.lab, name);
}

/// What is on an axis: "n: columns of B and C".
std::string axis_title(const State& state, const std::string& name, const std::string& beside) {
  const ParamSpec* spec = spec_of(state, name);
  const std::string title = choice_title(state, name, beside);
  return spec && title == name && !spec->help.empty() ? title + ": " + spec->help : title;
}

}  // namespace

namespace {

/// "recorded on NVIDIA H200; the chosen point was not run": the figures beside it are of other points.
std::string place_text(const std::vector<chart::HeatCell>& cells) {
  std::string text;
  bool lacks_chosen = false;
  for (const chart::HeatCell& cell : cells) {
    lacks_chosen = lacks_chosen || (cell.row.selected && !cell.row.series);
    if (text.empty() && !cell.row.origin.empty()) text = "recorded on " + cell.row.origin;
  }
  if (text.empty() || !lacks_chosen) return text;
  return text + "; the chosen point was not run";
}

}  // namespace

chart::ChartModel heat_chart(const State& state) {
  const HeatAxes axes = heat_axes(state);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  chart::HeatmapOptions options{axis_title(state, axes.x, axes.y),
                                axis_title(state, axes.y, axes.x), row ? row->rung->title : "", ""};
  if (row && row->info) options.fixed = fixed_text(state, axes, *row);
  const std::vector<chart::HeatCell> cells = cells_of(state, axes);
  chart::ChartModel model = chart::heatmap_chart(cells, options);
  model.subtitle = place_text(cells);
  return model;
}

void sweep_pair(State& state) {
  const HeatAxes axes = heat_axes(state);
  if (axes.x.empty()) {
    state.notice = {"This rung has no two parameters that are numbers.", false};
    return;
  }
  std::vector<Pair> pairs = pairs_of(axes);
  // What takes longest comes last, when the rest of the map is there.
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return static_cast<double>(a.x) * static_cast<double>(a.y) <
           static_cast<double>(b.x) * static_cast<double>(b.y);
  });
  WorkRequest request = request_for(state, RequestType::run);
  for (const Pair& pair : pairs)
    request.kernels.push_back({state.selection.rung, heat_params_at(state, axes, pair.x, pair.y)});
  send(state, std::move(request), &state.requests.run);
  state.selection.view = &kHeatmapView;
}

void select_heat_cell(State& state, int row) {
  const HeatAxes axes = heat_axes(state);
  const std::vector<Pair> pairs = pairs_of(axes);
  if (row < 0 || static_cast<size_t>(row) >= pairs.size()) return;
  const Pair& pair = pairs[static_cast<size_t>(row)];
  const Params shown = shown_params(state);
  for (const std::string& name : {axes.x, axes.y}) {
    if (!shown.contains(name)) {
      state.notice = {"The lab has no row of stops for " + param_title(*state.selection.lab, name) +
                          ": the cell is of the sweep only.",
                      false};
      return;
    }
  }
  set_param(state, axes.x, pair.x);
  set_param(state, axes.y, pair.y);
}

namespace {

/// The choice of the two parameters and the button that fills the map.
void draw_heat_bar(Ui& ui, Area area) {
  const std::vector<std::string> names = heat_params(ui.state);
  if (names.size() < 2) return;
  const HeatAxes axes = heat_axes(ui.state);
  Area line = area.inset(ui.px(8), ui.px(5));
  const size_t pairs = axes.x_stops.size() * axes.y_stops.size();
  const std::string label = "Sweep " + std::to_string(pairs) + " cells";
  std::vector<std::string> titles;
  for (const std::string& name : names)
    titles.push_back(choice_title(ui.state, name, name == axes.x ? axes.y : axes.x));
  // First its place: on a projector the names would leave none.
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  ui.action_button("sweep_pair", line.take_right(w, ui.px(12)), label, Ui::Kind::normal);
  float all = 0, widest = 0;
  for (const std::string& title : titles) {
    all += ui.width(title, kSmall_px) + ui.px(20);
    widest = std::max(widest, ui.width(title, kSmall_px));
  }
  const float room =
      (line.w - ui.width("across", kSmall_px) - ui.width("up", kSmall_px) - ui.px(52)) / 2;
  const float width = all <= room ? all : std::min(room, widest + ui.px(80));  // all, or a stepper
  for (const bool is_x : {true, false}) {
    line.take_left(ui.text(line.x, line.middle(), is_x ? "across" : "up", kSmall_px, Role::muted),
                   ui.px(8));
    const Area buttons = line.take_left(width, ui.px(18));
    const auto chosen = std::find(names.begin(), names.end(), is_x ? axes.x : axes.y);
    const int clicked = ui.segments(is_x ? "across" : "up", buttons, titles,
                                    static_cast<int>(chosen - names.begin()));
    if (clicked >= 0)
      ui.dispatch([is_x, name = names[static_cast<size_t>(clicked)]](State& state) {
        set_heat_axis(state, is_x, name);
      });
  }
}

/// Whether rungs of the lab may have two numbers to sweep.
bool has_two_numbers(const State& state) {
  const auto& params = state.selection.lab->params;
  return std::count_if(params.begin(), params.end(),
                       [](const ParamView& param) { return param.stops.size() > 1; }) > 1;
}

std::span<const Action> heat_actions() {
  static const Action kActions[] = {{"sweep_pair",
                                     "Sweep the selected rung over two parameters",
                                     {},
                                     run_selected_blocker,
                                     sweep_pair}};
  return kActions;
}

}  // namespace

const ViewDesc kHeatmapView = {
    .id = "heatmap",
    .label = "Heatmap",
    .title = "Heatmap: speed over two parameters",
    .place = 70,
    .level = Level::kBench,
    .is_offered = has_two_numbers,
    .build = [](const State& state, ChartRows*) { return heat_chart(state); },
    .bar = {.height_px = 40, .draw = draw_heat_bar},
    .click = select_heat_cell,
    .actions = heat_actions};
RIDGE_VIEW(kHeatmapView);

}  // namespace ridge::window
