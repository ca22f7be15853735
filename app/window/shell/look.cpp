#include "app/window/shell/look.h"

#include <fmt/format.h>

#include "app/window/shell/shell.h"

namespace ridge::window {
namespace {

const char* worker_state(const State& state) {
  switch (state.sessions.shown->state()) {
    case app::WorkerState::starting:
      return "starting";
    case app::WorkerState::idle:
      return "idle";
    case app::WorkerState::busy:
      return "busy";
    case app::WorkerState::lost:
      return "lost";
    case app::WorkerState::replay:
      return "replay";
  }
  return "";
}

/// "verified"; "partial" of a training that its limit cut short; "wrong" where the gate is meant to refuse it; "empty" where it could run and has no result.
std::string row_state(const RungView& row) {
  const Series* series = row.series;
  if (row.origin == Origin::recorded) return "recorded";
  if (!series) return row.can_run ? "empty" : "elsewhere";
  const bool is_over = series->status == SeriesStatus::ok || series->trap;
  if (is_over) return "verified";
  if (series->status == SeriesStatus::failed)
    return row.rung->wrong && row.rung->wrong(series->params) ? "wrong" : "refused";
  if (series->status == SeriesStatus::partial) return "partial";
  return series->status == SeriesStatus::skipped ? "refused" : "running";
}

}  // namespace

std::string look_text(const Shell& shell, const State& state) {
  std::string text = fmt::format(
      "selected {}\nlab {}\nscreen {}\nworker {}\nreason {}\nerror {}\nbaseline {}\n"
      "running {}\nasked {}\nnotice {}\nwritten {}\n",
      state.selection.rung, state.selection.lab ? state.selection.lab->id : "",
      screen_of(state.view.screen).name, worker_state(state), state.sessions.shown->reason(),
      int{state.notice.is_error}, state.selection.baseline, int{state.requests.is_measuring()},
      state.run().requests().size(), state.notice.text, state.written.file);
  for (const RungView& row : state.ladder.rows)
    text += fmt::format("row {} {} {}\n", row.rung->kernel, row_state(row),
                        row.series ? row.series->reason : row.reason);
  for (const auto& [name, area] : shell.widgets()) {
    if (area.w >= 1 && area.h >= 1)
      text += fmt::format("{} {} {} {} {}\n", area.x, area.y, area.w, area.h, name);
  }
  return text;
}

}  // namespace ridge::window
