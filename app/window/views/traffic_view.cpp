// What each cache level is expected to give, beside the time: of every nest whose traffic is modelled.
#include <algorithm>

#include "app/window/shell/actions.h"
#include "app/window/teach/predict.h"
#include "app/window/views/view.h"
#include "common/view/chart/traffic.h"

namespace ridge::window {
namespace {

/// Every nest of this session whose traffic is modelled, the newest of each order and tiles.
chart::ChartModel traffic_of(const State& state, ChartRows* out) {
  std::vector<chart::LadderRow> rows;
  std::vector<std::string> kernels;
  for (const RungView& view : state.ladder.rows) {
    const size_t first = rows.size();
    for (const Series& series : state.run().series()) {
      if (series.kernel != view.rung->kernel || series.cache != state.selection.cache) continue;
      if (hides_result(state, series)) continue;
      chart::LadderRow made = plain_row(state, view);
      made.selected = made.selected && view.series && view.series->params == series.params;
      set_source(state.run(), "", &series, &made);
      const auto known = std::find_if(
          rows.begin() + std::ptrdiff_t(first), rows.end(),
          [&](const chart::LadderRow& row) { return row.series->params == series.params; });
      if (known != rows.end())
        *known = std::move(made);
      else
        rows.push_back(std::move(made));
    }
    kernels.resize(rows.size(), view.rung->kernel);
  }
  std::vector<int> kept;
  chart::ChartModel model = chart::traffic_chart(rows, &kept);
  for (const int row : kept) out->kernels.push_back(kernels[static_cast<size_t>(row)]);
  return model;
}

/// Runs the loop nest in each order that it can have.
void run_orders(State& state) {
  const char* order = state.selection.lab ? state.selection.lab->loop_order : nullptr;
  const RungView* nest = nullptr;
  const ParamSpec* orders = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (order == nullptr || !row.can_run || (orders && nest->rung->kernel == state.selection.rung))
      continue;
    for (const ParamSpec& spec : row.info->params) {
      if (spec.is_choice && spec.name == order) nest = &row, orders = &spec;
    }
  }
  if (orders == nullptr) {
    state.notice = {"No rung here has loops whose order could be chosen.", false};
    return;
  }
  WorkRequest request = request_for(state, RequestType::run);
  for (const std::string& choice : orders->choices) {
    Params params = params_for(state, *nest->info);
    params[order] = choice;
    request.kernels.push_back({nest->rung->kernel, std::move(params)});
  }
  send(state, std::move(request), &state.requests.run);
  state.selection.view = find_view("traffic");
}

std::span<const Action> traffic_actions() {
  static const Action kActions[] = {
      {"run_orders", "Run the loop nest in every order", {}, run_blocker, run_orders}};
  return kActions;
}

}  // namespace

const ViewDesc kTrafficView = {
    .id = "traffic",
    .label = "Traffic",
    .title = "Traffic: bytes expected from each cache level, and the time",
    .place = 80,
    .is_offered = [](const State& state) { return state.selection.lab->loop_order != nullptr; },
    .build = traffic_of,
    .foot = {"run_orders", "Run every order"},
    .actions = traffic_actions};
RIDGE_VIEW(kTrafficView);

}  // namespace ridge::window
