#include "app/window/shell/action_reasons.h"

#include <algorithm>

#include "app/query/ladder_end.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/fold.h"
#include "app/window/shell/actions.h"
#include "app/window/views/view.h"

namespace ridge::window {

std::string never(const State&) {
  return {};
}

std::string why_no_run(const State& state) {
  if (std::string why = why_no_work(state); !why.empty()) return why;
  if (must_list_again(state)) return {};
  const bool any = std::any_of(state.ladder.begin(), state.ladder.end(), [&](const RungView& row) {
    return row.can_run && !is_folded(state, *row.rung);
  });
  return any ? std::string() : "No rung of this lab can run on this machine.";
}

std::string why_no_run_selected(const State& state) {
  if (std::string why = why_no_work(state); !why.empty()) return why;
  const RungView* row = find_row(state, state.view.rung);
  if (row && row->can_run) return {};
  const std::string reason =
      row ? app::why_not_here(*state.view.lab, state.run(), *row->rung) : std::string();
  return "The selected rung cannot run on this machine" + (reason.empty() ? "." : ": " + reason);
}

std::string why_no_compare(const State& state) {
  if (state.view.baseline.empty()) {
    return "Choose a baseline first: select a rung and press B.";
  }
  if (std::string why = why_no_work(state); !why.empty()) return why;
  for (const std::string& kernel : {state.view.baseline, state.view.rung}) {
    const RungView* row = find_row(state, kernel);
    if (!row || !row->can_run) {
      return rung_title(state, kernel) + " cannot run on this machine, so it cannot be compared.";
    }
    if (row->info->kind != "kernel") {
      return rung_title(state, kernel) + " is a " + row->info->kind +
             "; only kernels are compared in pairs.";
    }
  }
  return {};
}

std::string why_no_cancel(const State& state) {
  const bool any =
      state.run_request || state.compare_request || state.look.request || is_building(state);
  return any ? std::string() : "Nothing is running.";
}

std::string why_no_export(const State& state) {
  for (const RungView& row : state.ladder) {
    if (row.series) return {};
  }
  return "There is nothing to export yet: run the ladder first (F5).";
}

std::string why_no_chart(const State& state) {
  const bool is_chart = !state.view.chart->make_panel;
  const bool has = (state.view.screen == ScreenId::lab && is_chart) ||
                   state.view.screen == ScreenId::compare || state.view.screen == ScreenId::report;
  return has ? "" : "There is no single chart on this screen; the lab and Compare have one.";
}

std::string why_no_lab(const State& state) {
  return state.view.lab ? "" : "This build has no labs.";
}

std::string why_no_folds(const State& state) {
  return has_folds(state) ? "" : "This lab has no expert rungs.";
}

std::string why_no_tour(const State& state) {
  return state.teach.tour ? "" : "No tour is on.";
}

std::string why_no_reruns(const State& state) {
  return state.is_replay() ? "This is a saved run: nothing can be run again." : "";
}

std::string why_no_lesson(const State& state) {
  const bool shown = state.view.screen == ScreenId::lab && state.view.tab == Tab::lesson;
  return shown ? "" : "Diagrams are in the lesson (L).";
}

}  // namespace ridge::window
