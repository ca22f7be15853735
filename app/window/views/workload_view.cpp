#include "app/window/views/workload_view.h"

#include "app/query/workload.h"
#include "app/window/shell/action_reasons.h"
#include "app/window/shell/actions.h"
#include "app/window/views/model_bar.h"
#include "common/core/format.h"
#include "common/record/derive.h"

namespace ridge::window {
namespace {

/// What a part does not name, for the selected rung.
Params other_params(const State& state, const RungView& row) {
  return row.info ? params_for(state, *row.info) : view_params(state, nullptr);
}

/// "Winograd (the direct tile)": what its plan chose, where a word or three say it. A rung that falls back wins nothing
/// with the method that it is named after.
std::string name_with_way(const Rung& rung, const std::string& note) {
  constexpr size_t kLongest = 20;
  const std::string way = note.substr(0, note.find_first_of(":,;"));
  return way.empty() || way.size() > kLongest ? rung.title
                                              : std::string(rung.title) + " (" + way + ")";
}

/// Of all that was measured on this machine, whichever lab's rung it was.
void find_fastest(const State& state, const app::PublishedRow& part, int64_t calls,
                  chart::WorkloadRow* out) {
  const Series* best = app::fastest_call(state.run(), part, state.view.cache);
  if (!best) return;
  const Rung* rung = rung_of(best->kernel);
  out->fastest = rung ? name_with_way(*rung, best->note) : rung_title(state, best->kernel);
  out->fastest_s = best->stats->median_ns * 1e-9 * static_cast<double>(calls);
}

/// The lab's own, or the phase in view of the model that is described, by the selected rung's processor.
Workload workload_in_view(const State& state, const RungView& row) {
  if (!state.view.lab->serves_model) return state.view.lab->workloads.front();
  ModelShape shape = state.model;
  shape.gpu = backend_of(row.rung->kernel) == "cuda";
  shape.dtype = shape.gpu ? "bf16" : "fp32";
  return model_workloads(shape)[state.model_decodes ? 1 : 0];
}

/// Another size's rate, where this shape was not measured.
void take_nearest(const State& state, const WorkloadPart& part, const app::PublishedRow& filled,
                  chart::WorkloadRow* out) {
  const app::Reckoned near =
      app::reckon(state.run(), state.recordings, part, filled, state.view.cache);
  if (!near.series) return;
  out->time_s = near.series->stats->median_ns * 1e-9 * near.scale * static_cast<double>(part.calls);
  out->how = "reckoned at the rate of " + (near.size.empty() ? "this shape" : near.size) +
             (near.machine.empty() ? "" : ", recorded on " + near.machine);
  out->why.clear();
}

}  // namespace

chart::ChartModel workload_of(const State& state) {
  chart::WorkloadInput input;
  const RungView* row = find_row(state, state.view.rung);
  if (!state.view.lab || !has_workload(*state.view.lab) || !row) {
    input.title = "This lab has no workload";
    return chart::workload_chart(input);
  }
  const Workload workload = workload_in_view(state, *row);
  input.title = workload.title, input.note = workload.note, input.tokens = workload.tokens;
  input.rung = state.view.lab->serves_model ? "our rungs" : row->rung->title;
  input.machine = row->can_run || row->origin != Origin::recorded ? "" : row->machine;
  const Table table = app::workload_table(workload, row->rung->kernel, other_params(state, *row));
  const auto filled = app::fill_table(table, state.run(), 0, state.recordings, {});
  input.rows = app::workload_rows(workload, filled);
  for (size_t i = 0; i < filled.size(); ++i) {
    const WorkloadPart& part = workload.parts[i];
    if (!input.rows[i].time_s) take_nearest(state, part, filled[i], &input.rows[i]);
    find_fastest(state, filled[i], part.calls, &input.rows[i]);
  }
  input.binds = app::what_binds(input.rows, state.run(), table);
  return chart::workload_chart(input);
}

bool has_workload(const Lab& lab) {
  return lab.serves_model || !lab.workloads.empty();
}

void run_workload(State& state) {
  const RungView* row = find_row(state, state.view.rung);
  if (!row || !row->info || !has_workload(*state.view.lab)) return;
  const Workload workload = workload_in_view(state, *row);
  WorkRequest request = request_for(state, "run");
  request.cache = "hot";
  request.kernels = app::workload_requests(
      app::workload_table(workload, row->rung->kernel, other_params(state, *row)));
  send(state, std::move(request), &state.run_request);
}

namespace {

std::string workload_blocker(const State& state) {
  return state.view.lab && has_workload(*state.view.lab) ? "" : "This lab has no workload.";
}

std::string why_no_run_workload(const State& state) {
  const std::string why = workload_blocker(state);
  return why.empty() ? why_no_run_selected(state) : why;
}

std::span<const Action> workload_actions() {
  static const Action kActions[] = {{"run_workload",
                                     "Run the selected rung at the workload's shapes",
                                     {},
                                     why_no_run_workload,
                                     run_workload}};
  return kActions;
}

}  // namespace

const ViewDesc kWorkloadView = {
    .id = "workload",
    .label = "Workload",
    .title = "Workload: a network's products with the selected rung",
    .blocker = workload_blocker,
    .build = [](const State& state, ChartRows*) { return workload_of(state); },
    .bar = {.height_px = kModelBar_px,
            .draw = draw_phase_bar,
            .is_shown = [](const State& state) { return state.view.lab->serves_model; }},
    .foot = {"run_workload", "Run these shapes"},
    .actions = workload_actions};

}  // namespace ridge::window
