// The view "Requests": what a warp's requests cost, of every CUDA kernel of the lab that was counted, and how far above a
// chip's bound each was recorded.
#include <algorithm>

#include "app/query/bound_text.h"
#include "app/window/inspect/count_view.h"
#include "app/window/views/view.h"
#include "common/view/chart/requests.h"

namespace ridge::window {
namespace {

/// Of this session, else of the last recording that has them.
const KernelCounts* counts_of(const State& state, const std::string& kernel) {
  if (const KernelCounts* own = state.run().latest_counts(kernel)) return own;
  const KernelCounts* last = nullptr;
  for (const Recording& recording : state.sessions.recordings) {
    if (const KernelCounts* counts = recording.run->latest_counts(kernel)) last = counts;
  }
  return last;
}

/// This machine's GPU, where it is one of the table; else the last of the table.
const Chip& chip_of(const State& state) {
  const auto& environment = state.run().environment();
  const Chip* own = environment && !environment->gpus.empty()
                        ? chip_of_gpu(environment->gpus.front().name)
                        : nullptr;
  return own != nullptr ? *own : chips().back();
}

chart::RequestRow row_of(const State& state, const RungView& row, const Chip& chip) {
  const std::string& kernel = row.rung->kernel;
  const chart::LadderRow plain = plain_row(state, row);
  chart::RequestRow made{.label = plain.label,
                         .section = plain.section,
                         .selected = plain.selected,
                         .counts = counts_of(state, kernel)};
  const Counting& counting = state.counting;
  if (made.counts == nullptr) {
    const auto problem = counting.problems.find(kernel);
    made.reason = problem != counting.problems.end()                   ? problem->second
                  : counting.request != 0 && counting.kernel == kernel ? "being counted"
                                                                       : "not counted yet";
    return made;
  }
  const auto bound = app::chip_bound(*made.counts, chip, state.sessions.recordings);
  if (!bound) return made;
  made.bound_s = bound->timed ? bound->timed->seconds() : bound->counted.seconds();
  made.recorded_s = bound->recorded.seconds;
  made.bound_note = app::bound_line(*bound, made.counts->params);
  return made;
}

chart::ChartModel requests_of(const State& state, ChartRows* out) {
  const Chip& chip = chip_of(state);
  std::vector<chart::RequestRow> rows;
  for (const RungView* row : countable_rungs(state)) {
    rows.push_back(row_of(state, *row, chip));
    out->kernels.push_back(row->rung->kernel);
  }
  return chart::requests_chart(rows, chip.name);
}

std::span<const Action> requests_actions() {
  static const Action kActions[] = {
      {"count_all", "Count all CUDA rungs here, without a GPU", {}, count_all_blocker, count_all}};
  return kActions;
}

}  // namespace

const ViewDesc kRequestsView = {
    .id = "requests",
    .label = "Requests",
    .title = "Requests: what a warp's request costs, counted without a GPU",
    .place = 85,
    .level = Level::kBench,
    .is_offered = [](const State& state) { return !countable_rungs(state).empty(); },
    .build = requests_of,
    .foot = {"count_all", "Count all here"},
    .actions = requests_actions};
RIDGE_VIEW(kRequestsView);

}  // namespace ridge::window
