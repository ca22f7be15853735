#include "app/window/inspect/steps_view.h"

#include <algorithm>

#include "app/window/shell/actions.h"

namespace ridge::window {
namespace {

/// A new answer begins with its first request.
std::string name_of_counts(const KernelCounts& counts) {
  return counts.kernel + " " + std::to_string(counts.request);
}

int last_of(const KernelCounts& counts) {
  return std::max(0, static_cast<int>(counts.steps.requests.size()) - 1);
}

}  // namespace

const KernelCounts* shown_steps(const State& state) {
  const KernelCounts* counts = shown_counts(state);
  return counts && !counts->steps.requests.empty() ? counts : nullptr;
}

bool shows_steps(const State& state) {
  if (!shows_walk(state) || !shown_steps(state)) return false;
  const RungView* row = walking_row(state);
  return row && (state.counting.stepping.hides_lanes || !shown_lanes(state, *row).look);
}

int step_of(const State& state, const KernelCounts& counts) {
  const Stepping& stepping = state.counting.stepping;
  return stepping.of == name_of_counts(counts) ? std::clamp(stepping.at, 0, last_of(counts)) : 0;
}

Stepping stepping_at(const KernelCounts& counts, int at) {
  return {name_of_counts(counts), std::clamp(at, 0, last_of(counts)), false};
}

void step_to(State& state, const Stepping& to) {
  state.counting.stepping.of = to.of;
  state.counting.stepping.at = to.at;
}

int stepped_line(const State& state, const KernelCounts& counts) {
  const auto at = static_cast<size_t>(step_of(state, counts));
  return at < counts.steps.requests.size() ? counts.steps.requests[at].line : 0;
}

std::string steps_blocker(const State& state) {
  if (!has_counts_tab(state)) return "Select a CUDA rung of ours first.";
  return shown_steps(state) ? "" : "Count it here first: its source tab has the button.";
}

void open_steps(State& state) {
  state.view.screen = ScreenId::lab;
  state.view.tab = Tab::source;
  state.view.source_form = SourceForm::file;
  state.selection.view = &kWalkView;
  state.counting.stepping.hides_lanes = true;
}

std::string trace_blocker(const State& state) {
  return shown_steps(state) ? "" : walk_blocker(state);
}

std::string diagram_step_blocker(const State& state) {
  const bool has_lesson = state.view.screen == ScreenId::lab && state.view.tab == Tab::lesson;
  return has_lesson || shows_steps(state) ? "" : "Diagrams are in the lesson (L).";
}

void step_diagrams(State& state, int by) {
  const KernelCounts* counts = shows_steps(state) ? shown_steps(state) : nullptr;
  if (counts)
    step_to(state, stepping_at(*counts, step_of(state, *counts) + by));
  else
    state.teaching.diagram_moves += by;
}

}  // namespace ridge::window
