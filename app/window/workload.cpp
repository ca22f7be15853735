#include "app/window/workload.h"

#include <fmt/format.h>

#include <set>

#include "app/published.h"
#include "app/window/actions.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

std::string shape_of(const WorkloadPart& part) {
  return fmt::format("{} × {} · {} × {}, {}", part.m, part.k, part.k, part.n,
                     part.calls == 1 ? std::string("once") : fmt::format("{} times", part.calls));
}

/// What is asked of the rung besides its shape: threads, and its type.
Params other_params(const State& state, const RungView& row) {
  Params params = row.info ? params_for(state, *row.info) : view_params(state, nullptr);
  for (const char* size : {"m", "n", "k"}) params.erase(size);
  return params;
}

double product_flop(const Params& params) {
  return 2.0 * double(param_int(params, "m")) * double(param_int(params, "n")) *
         double(param_int(params, "k"));
}

/// The parts as a table of this rung, which app/published.h knows how to fill in.
Table table_of(const Workload& workload, const State& state, const RungView& row) {
  Table table{.id = workload.id, .title = workload.title, .params = other_params(state, row)};
  for (const WorkloadPart& part : workload.parts)
    table.rows.push_back({part.title, "", {}, row.rung->kernel, part.params(), ""});
  table.flop = product_flop;
  return table;
}

bool take_nearest(const Run& run, const Params& wanted, const std::string& kernel,
                  const std::string& cache, const std::string& machine, chart::WorkloadRow* out) {
  const Snapped near = nearest_series(run, kernel, wanted, cache);
  if (!near.series || !near.series->stats || !near.series->quality_passed()) return false;
  const double flop = near.series->flop, time_s = near.series->stats->median_ns * 1e-9;
  if (!(flop > 0) || !(time_s > 0)) return false;
  out->time_s = out->flop * time_s / flop;
  out->how = "reckoned at the rate of " +
             (near.shown_size.empty() ? std::string("this shape") : near.shown_size) +
             (machine.empty() ? "" : ", recorded on " + machine);
  return true;
}

/// Another size's rate: of this machine where the rung runs here, else of a recording.
void reckon(const State& state, const RungView& row, const app::PublishedRow& filled,
            const std::string& why, chart::WorkloadRow* out) {
  const std::string kernel = row.rung->kernel;
  bool found = take_nearest(state.run(), filled.params, kernel, state.view.cache, "", out);
  for (const Recording& recording : state.recordings) {
    if (found || row.can_run) break;
    found = take_nearest(*recording.run, filled.params, kernel, state.view.cache, recording.machine,
                         out);
  }
  if (!found) out->why = why;
}

}  // namespace

chart::ChartModel workload_of(const State& state) {
  chart::WorkloadInput input;
  const RungView* row = find_row(state, state.view.rung);
  if (!state.view.lab || state.view.lab->workloads.empty() || !row) {
    input.title = "This lab has no workload";
    return chart::workload_chart(input);
  }
  const Workload& workload = state.view.lab->workloads.front();
  input.title = workload.title, input.note = workload.note;
  input.rung = row->rung->title;
  input.machine = row->can_run || row->origin != Origin::recorded ? "" : row->machine;
  const Table table = table_of(workload, state, *row);
  const auto filled = app::fill_table(table, state.run(), 0, state.recordings, {});
  for (size_t i = 0; i < filled.size(); ++i) {
    const WorkloadPart& part = workload.parts[i];
    chart::WorkloadRow made{.label = part.title, .shape = shape_of(part), .note = part.note};
    made.flop = 2 * part.macs();
    using Source = app::PublishedRow::Source;
    if (filled[i].source == Source::missing) {
      reckon(state, *row, filled[i], filled[i].note, &made);
    } else {
      made.time_s = filled[i].time_ns * 1e-9 * static_cast<double>(part.calls);
      made.exact = filled[i].source == Source::measured;
      made.how = made.exact ? "measured" : filled[i].note;
    }
    input.rows.push_back(std::move(made));
  }
  return chart::workload_chart(input);
}

void run_workload(State& state) {
  const RungView* row = find_row(state, state.view.rung);
  if (!row || !row->info || state.view.lab->workloads.empty()) return;
  WorkRequest request = request_for(state, "run");
  request.cache = "hot";
  std::set<Params> shapes;  // two parts may have the same
  for (const WorkloadPart& part : state.view.lab->workloads.front().parts) {
    Params params = other_params(state, *row);
    for (const auto& [name, value] : part.params()) params[name] = value;
    if (shapes.insert(params).second) request.kernels.push_back({row->rung->kernel, params});
  }
  send(state, std::move(request), &state.run_request);
}

}  // namespace ridge::window
