#include "app/window/workload.h"

#include <fmt/format.h>

#include <set>

#include "app/published.h"
#include "app/window/actions.h"
#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

std::string shape_of(const Workload& workload, const WorkloadPart& part, const Params& params) {
  return workload.shape(params) + ", " +
         (part.calls == 1 ? std::string("once") : fmt::format("{} times", part.calls));
}

/// What is asked of the rung besides its shape: threads, and its type.
Params other_params(const State& state, const Workload& workload, const RungView& row) {
  Params params = row.info ? params_for(state, *row.info) : view_params(state, nullptr);
  for (const auto& [name, value] : workload.parts.front().params) params.erase(name);
  return params;
}

/// The fastest verified result of any rung of the lab at a part's shape, on this machine: its name and time.
std::string fastest_here(const State& state, const Params& wanted) {
  const Series* best = nullptr;
  for (const Series& series : state.run().series()) {
    if (series.cache != state.view.cache || !series.stats || !series.quality_passed()) continue;
    if (!agrees(series.params, wanted)) continue;
    if (!best || series.stats->median_ns < best->stats->median_ns) best = &series;
  }
  const RungView* row = best ? find_row(state, best->kernel) : nullptr;
  return row ? std::string(row->rung->title) + ", " + format_time_ns(best->stats->median_ns) : "";
}

/// The parts as a table of this rung, which app/published.h knows how to fill in.
Table table_of(const Workload& workload, const State& state, const RungView& row) {
  Table table{
      .id = workload.id, .title = workload.title, .params = other_params(state, workload, row)};
  for (const WorkloadPart& part : workload.parts)
    table.rows.push_back({part.title, "", {}, row.rung->kernel, part.params, ""});
  table.flop = workload.flop;
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
    const Params& params = filled[i].params;
    chart::WorkloadRow made{
        .label = part.title, .shape = shape_of(workload, part, params), .note = part.note};
    made.flop = workload.flop(params) * static_cast<double>(part.calls);
    made.fastest = fastest_here(state, params);
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
  const Workload& workload = state.view.lab->workloads.front();
  for (const WorkloadPart& part : workload.parts) {
    Params params = other_params(state, workload, *row);
    for (const auto& [name, value] : part.params) params[name] = value;
    if (shapes.insert(params).second) request.kernels.push_back({row->rung->kernel, params});
  }
  send(state, std::move(request), &state.run_request);
}

}  // namespace ridge::window
