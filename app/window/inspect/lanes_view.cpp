#include "app/window/inspect/lanes_view.h"

#include <algorithm>

#include "app/query/lanes_text.h"
#include "app/window/inspect/walk_view.h"
#include "app/window/shell/actions.h"
#include "common/record/derive.h"
#include "common/record/rung_hash.h"

namespace ridge::window {
namespace {

const Inspection* newest_lanes(const Run& run, const std::string& kernel) {
  const auto& all = run.inspections();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Inspection& one) {
    return one.lanes && one.kernel == kernel;
  });
  return found == all.rend() ? nullptr : &*found;
}

bool is_gpu_rung(const RungView& row) {
  return backend_of(row.rung->kernel) == Backend::cuda;
}

/// By the sources that this program was built with: the catalogue at hand may be an old recording's.
bool has_stamped_copy(const RungView& row) {
  const auto all = rung_hashes();
  return std::any_of(all.begin(), all.end(), [&](const RungHash& one) {
    return one.stamped && row.rung->kernel == std::string_view(one.rung);
  });
}

}  // namespace

bool shows_lanes(const State& state) {
  const RungView* row = walking_row(state);
  return row && walk_blocker(state).empty() && is_gpu_rung(*row);
}

ShownLanes shown_lanes(const State& state, const RungView& row) {
  const std::string& kernel = row.rung->kernel;
  if (const Inspection* own = newest_lanes(state.run(), kernel)) return {own, ""};
  ShownLanes shown;
  shown.look = app::recorded_lanes(state.sessions.recordings, kernel, &shown.machine);
  return shown;
}

const RungView* lanes_before(const State& state) {
  const RungView* before = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (row.rung->kernel == state.selection.rung) return before;
    if (is_gpu_rung(row) && shown_lanes(state, row).look) before = &row;
  }
  return nullptr;
}

const RungView* first_with_lanes(const State& state) {
  const RungView *stamped = nullptr, *selected = walking_row(state);
  for (const RungView& row : state.ladder.rows) {
    if (is_gpu_rung(row) && shown_lanes(state, row).look) return &row;
    if (!stamped && has_stamped_copy(row)) stamped = &row;
  }
  return selected && has_stamped_copy(*selected) ? nullptr : stamped;
}

NoLanes why_no_lanes(const State& state, const RungView& row) {
  const auto& problems = state.lanes.problems;
  if (const auto found = problems.find(row.rung->kernel); found != problems.end())
    return {"The worker has no stamps of this rung.", found->second};
  if (row.rung->peer)
    return {"A library's warps are not stamped.",
            "Its source is not here to be compiled with stamps."};
  if (!has_stamped_copy(row)) {
    return {"No copy of this rung with clock stamps is built.",
            "Rungs that hand roles to their warps have one. Count this one in its source tab: what "
            "one warp asks of memory is then shown here, request by request."};
  }
  if (row.can_run && !state.is_replay())
    return {"No stamps of this rung yet.", "Press Stamp it here."};
  return {"No recording holds stamps of this rung.",
          "On a Hopper GPU they are taken by: ridgepoint inspect " + std::string(row.rung->kernel)};
}

std::string stamp_blocker(const State& state) {
  if (!shows_lanes(state)) return "Select a GPU rung of this lab first.";
  if (state.is_replay()) return leave_saved_run(state, "stamp warps");
  const RungView& row = *walking_row(state);
  if (!row.info || !row.info->stamped) return "No copy of this rung with clock stamps is built.";
  if (!row.can_run)
    return row.info->reason.empty() ? "It does not run here with this data type."
                                    : row.info->reason;
  if (state.requests.is_measuring() || state.lanes.request || state.walking.request ||
      state.inspecting.request)
    return "Something else is running.";
  return state.sessions.shown->state() == app::WorkerState::lost ? "The worker was lost." : "";
}

void take_stamps(State& state) {
  const RungView* row = walking_row(state);
  if (!row || !row->info) return;
  WorkRequest request = request_for(state, RequestType::inspect);
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  cancel_estimates(state);
  LanesLook& look = state.lanes;
  look.kernel = row->rung->kernel;
  look.problems.erase(look.kernel);
  const auto id = state.sessions.shown->send(std::move(request));
  if (id)
    look.request = *id;
  else
    look.problems[look.kernel] = id.error().sentence();
  state.ladder.dirty = true;
}

bool tick_lanes(State& state) {
  LanesLook& look = state.lanes;
  const Request* request = look.request ? state.run().request(look.request) : nullptr;
  if (!request || request->open()) return false;
  if (const std::string why = why_not_done(state, *request); !why.empty())
    look.problems[look.kernel] = why;
  look.request = 0;
  return true;
}

}  // namespace ridge::window
