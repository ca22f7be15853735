#include "app/window/views/history_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/window/shell/state.h"
#include "app/window/views/view.h"
#include "common/record/params.h"
#include "common/view/chart/history.h"

namespace ridge::window {
namespace {

/// Whether the problem of a history is the one that the parameters in view ask for.
bool is_in_view(const State& state, const history::RungHistory& one) {
  const std::string params = " " + one.params + " ";
  const Params shown = shown_params(state);
  return std::all_of(shown.begin(), shown.end(), [&](const auto& param) {
    const bool is_named = params.find(" " + param.first + "=") != std::string::npos;
    return !is_named || params.find(" " + param.first + "=" + to_string(param.second) + " ") !=
                            std::string::npos;
  });
}

/// That of the problem in view, else the newest.
size_t first_shown(const State& state, const std::vector<history::RungHistory>& all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return is_in_view(state, one); });
  return found == all.end() ? 0 : static_cast<size_t>(found - all.begin());
}

std::string history_blocker(const State& state) {
  if (state.past.keeper) return {};
  const std::string why = history::why_no_history();
  return why.empty() ? "No history is kept: RIDGEPOINT_HISTORY is off, or there is no home folder."
                     : why;
}

chart::ChartModel build_history(const State& state, ChartRows*) {
  const HistoryLook& look = state.past;
  const bool is_read = look.kernel == state.selection.rung;
  if (!is_read || look.histories.empty()) return chart::history_chart({});
  return chart::history_chart(
      history::chart_input(look.histories[std::min(look.shown, look.histories.size() - 1)]));
}

std::string next_blocker(const State& state) {
  if (const std::string why = history_blocker(state); !why.empty()) return why;
  return state.past.histories.size() > 1
             ? ""
             : "This rung has one problem, machine and way of timing in the history.";
}

void show_next(State& state) {
  state.past.shown = (state.past.shown + 1) % std::max<size_t>(state.past.histories.size(), 1);
  state.ladder.dirty = true;
}

std::span<const Action> history_actions() {
  static const Action kActions[] = {{"next_history",
                                     "History: the next problem, machine or way of timing",
                                     {},
                                     next_blocker,
                                     show_next}};
  return kActions;
}

bool has_several(const State& state) {
  return state.past.kernel == state.selection.rung && state.past.histories.size() > 1;
}

void draw_history_bar(Ui& ui, Area area) {
  const Area line = area.inset(ui.px(8), ui.px(5));
  ui.action_button("next_history", line,
                   fmt::format("{} of {}: the next problem or machine", ui.state.past.shown + 1,
                               ui.state.past.histories.size()),
                   Ui::Kind::normal);
}

const ViewDesc kHistoryView = {
    .id = "history",
    .label = "History",
    .title = "History: the selected rung over time, and where its level changed",
    .place = 170,
    .level = Level::kBench,
    .blocker = history_blocker,
    .build = build_history,
    .bar = {.height_px = 40, .draw = draw_history_bar, .is_shown = has_several},
    .actions = history_actions};
RIDGE_VIEW(kHistoryView);

}  // namespace

void keep_history(State& state) {
  if (!state.past.keeper) return;
  HistoryLook& look = state.past;
  const uint64_t serial = state.run().serial();
  history::RunEntries entries =
      history::entries_of(state.run(), look.kept_run == serial ? look.kept_version : 0);
  look.kept_run = serial, look.kept_version = entries.version;
  look.keeper->add(std::move(entries));
  state.past.asked.clear();  // there is more to read
}

bool tick_history(State& state) {
  HistoryLook& look = state.past;
  if (!look.keeper) return false;
  if (state.selection.view == &kHistoryView && look.asked != state.selection.rung) {
    look.asked = state.selection.rung;
    look.keeper->ask(look.asked);
  }
  bool is_moved = false;
  if (const auto error = look.keeper->take_error()) {
    state.notice = {"The history was not reached. " + error->sentence(), true};
    is_moved = true;
  }
  if (auto answer = look.keeper->take_answer()) {
    const bool is_other = look.kernel != answer->kernel;
    look.kernel = answer->kernel;
    look.histories = std::move(answer->histories);
    if (is_other || look.shown >= look.histories.size())
      look.shown = first_shown(state, look.histories);
    state.ladder.dirty = true;  // the chart is drawn again
    is_moved = true;
  }
  return is_moved;
}

}  // namespace ridge::window
