#include "app/window/panels/fold.h"

#include <algorithm>

#include "app/window/shell/actions.h"
#include "app/window/shell/settings.h"

namespace ridge::window {

bool is_folded(const State& state, const Rung& rung) {
  return rung.expert && !state.view.show_experts;
}

Fold fold_at(const State& state, size_t row) {
  const auto& ladder = state.ladder;
  const auto is_expert = [&](size_t at) { return at < ladder.size() && ladder[at].rung->expert; };
  Fold fold{.first = row};
  if (row > 0 && is_expert(row - 1)) return fold;
  for (; is_expert(row); ++row, ++fold.count) {
    const bool has_result = ladder[row].series && ladder[row].series->stats;
    fold.results += has_result;
    fold.can_show = fold.can_show || has_result || ladder[row].can_run;
  }
  return fold;
}

bool has_folds(const State& state) {
  return std::any_of(state.ladder.begin(), state.ladder.end(),
                     [](const RungView& row) { return row.rung->expert; });
}

std::string fold_text(const Fold& fold) {
  const std::string text =
      std::to_string(fold.count) + (fold.count == 1 ? " expert rung" : " expert rungs");
  if (fold.results == 0) return text;
  return text + ", " + (fold.results == fold.count ? "all" : std::to_string(fold.results)) +
         " with results";
}

void unfold_for(State& state, const std::string& kernel) {
  const auto rung = find_rung(*state.view.lab, kernel);
  if (!rung || !is_folded(state, **rung)) return;
  state.view.show_experts = true;
  state.dirty = true;
}

void toggle_folds(State& state) {
  state.view.show_experts = !state.view.show_experts;
  state.dirty = true;
  save_settings(&state);
  const RungView* selected = find_row(state, state.view.rung);
  if (!selected || !is_folded(state, *selected->rung)) return;
  const Rung* before = nullptr;
  for (const RungView& row : state.ladder) {
    if (&row == selected && before) break;
    if (!row.rung->expert) before = row.rung;
  }
  if (before) select_rung(state, before->kernel);
}

}  // namespace ridge::window
