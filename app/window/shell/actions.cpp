#include "app/window/shell/actions.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "app/query/selection.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/window.h"
#include "app/window/views/sweep.h"
#include "app/window/views/view.h"
#include "common/record/params.h"

namespace ridge::window {

const Action& action(std::string_view id) {
  for (const Action& entry : actions()) {
    if (id == entry.id) return entry;
  }
  std::abort();  // a name in the code that is not in the table: a mistake, not a state
}

bool perform(State& state, std::string_view id) {
  const Action& entry = action(id);
  if (std::string why = entry.blocker(state); !why.empty()) {
    state.notice = {why, false};
    return false;
  }
  entry.act(state);
  return true;
}

void select_rung(State& state, const std::string& kernel) {
  state.selection.rung = kernel;
  unfold_for(state, kernel);
  state.notice = {};
  state.ladder.dirty = true;
}

void follow_code(State& state, const std::string& kernel, const std::string& anchor) {
  if (!kernel.empty() && kernel != state.selection.rung) select_rung(state, kernel);
  state.view.tab = Tab::source;
  state.view.code_mark = {state.selection.rung, anchor, state.view.code_mark.jumps + 1};
}

void set_param(State& state, const std::string& name, ParamValue value) {
  const auto chosen = state.selection.params.find(name);
  if (chosen != state.selection.params.end() && chosen->second == value) return;
  state.selection.params[name] = std::move(value);
  state.requests.estimates_due = true;
  state.ladder.dirty = true;
  rerun_live(state);
}

void set_mode(State& state, RunMode mode) {
  state.selection.mode = mode;
  state.ladder.dirty = true;
}

void set_cache(State& state, CacheMode cache) {
  state.selection.cache = cache;
  state.ladder.dirty = true;
}

// ---- why an action cannot be done now -----------------------------------------------------------

std::string always_available(const State&) {
  return {};
}

std::string run_blocker(const State& state) {
  if (std::string why = work_blocker(state); !why.empty()) return why;
  if (must_list_again(state)) return {};
  const bool any =
      std::any_of(state.ladder.rows.begin(), state.ladder.rows.end(),
                  [&](const RungView& row) { return row.can_run && !is_folded(state, *row.rung); });
  return any ? std::string() : "No rung of this lab can run on this machine.";
}

std::string run_selected_blocker(const State& state) {
  if (std::string why = work_blocker(state); !why.empty()) return why;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->can_run) return {};
  const std::string reason =
      row ? app::why_not_here(*state.selection.lab, state.run(), *row->rung) : std::string();
  return "The selected rung cannot run on this machine" + (reason.empty() ? "." : ": " + reason);
}

std::string compare_blocker(const State& state) {
  if (state.selection.baseline.empty()) {
    return "Choose a baseline first: select a rung and press B.";
  }
  if (std::string why = work_blocker(state); !why.empty()) return why;
  for (const std::string& kernel : {state.selection.baseline, state.selection.rung}) {
    const RungView* row = find_row(state.ladder, kernel);
    if (!row || !row->can_run) {
      return rung_title(state.ladder, kernel) +
             " cannot run on this machine, so it cannot be compared.";
    }
    if (row->info->kind != RungKind::kernel) {
      return rung_title(state.ladder, kernel) + " is a " + row->info->kind.text() +
             "; only kernels are compared in pairs.";
    }
  }
  return {};
}

std::string cancel_blocker(const State& state) {
  const bool any = state.requests.is_measuring() || state.inspecting.request || is_building(state);
  return any ? std::string() : "Nothing is running.";
}

std::string export_blocker(const State& state) {
  for (const RungView& row : state.ladder.rows) {
    if (row.series) return {};
  }
  return "There is nothing to export yet: run the ladder first (F5).";
}

std::string chart_blocker(const State& state) {
  const bool is_chart = !state.selection.view->make_panel;
  const bool has = (state.view.screen == ScreenId::lab && is_chart) ||
                   state.view.screen == ScreenId::compare || state.view.screen == ScreenId::report;
  return has ? "" : "There is no single chart on this screen; the lab and Compare have one.";
}

std::string lab_blocker(const State& state) {
  return state.selection.lab ? "" : "This build has no labs.";
}

std::string folds_blocker(const State& state) {
  return has_folds(state.ladder) ? "" : "This lab has no expert rungs.";
}

std::string tour_blocker(const State& state) {
  return state.teaching.tour ? "" : "No tour is on.";
}

std::string reruns_blocker(const State& state) {
  return state.is_replay() ? "This is a saved run: nothing can be run again." : "";
}

std::string lesson_blocker(const State& state) {
  const bool shown = state.view.screen == ScreenId::lab && state.view.tab == Tab::lesson;
  return shown ? "" : "Diagrams are in the lesson (L).";
}

// ---- the table as keys, and as a list for the terminal ------------------------------------------

using compat::Key;

std::string actions_text() {
  std::string text;
  for (const Action& entry : actions()) {
    const auto padded = [](std::string cell, size_t width) {
      cell.resize(std::max(cell.size() + 1, width), ' ');
      return cell;
    };
    // "−" and "…" are three bytes wide but one column.
    const std::string keys = entry.keys.text;
    const size_t extra = static_cast<size_t>(std::count_if(keys.begin(), keys.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    }));
    text += padded(entry.id, 18) + padded(keys, 9 + extra) + entry.title + "\n";
  }
  return text;
}

void open_lab_at(State& state, size_t place) {
  const auto labs = all_labs();
  if (place < labs.size()) {
    open_lab(state, labs[place]->id);
    state.view.screen = ScreenId::lab;
  } else {
    state.notice = {"There is no lab " + std::to_string(place + 1) + " in this build.", false};
  }
}

void handle_keys(State& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_typing = state.view.show_palette || state.view.show_glossary;
  for (const Action& entry : actions()) {
    const bool is_its_own = entry.id == "palette" || entry.id == "cancel";
    if (is_typing && !is_its_own) continue;
    if (entry.keys.key && entry.keys.ctrl == io.KeyCtrl && compat::key_pressed(*entry.keys.key)) {
      perform(state, entry.id);
    }
  }
  if (io.KeyCtrl && compat::key_pressed(Key::keypad_plus)) perform(state, "larger");
  if (io.KeyCtrl && compat::key_pressed(Key::keypad_minus)) perform(state, "smaller");
  if (io.WantTextInput || io.KeyCtrl || is_typing) return;
  // A copy: an action may change what the loop walks over in a later version of ImGui.
  const std::vector<ImWchar> typed(io.InputQueueCharacters.begin(), io.InputQueueCharacters.end());
  for (const ImWchar character : typed) {
    if (character == ' ' && io.NavVisible) continue;  // it presses what has the focus
    if (character >= '1' && character <= '9') {
      const int digit = static_cast<int>(character) - '0';
      const ScreenDesc& screen = screen_of(state.view.screen);
      if (screen.digit)
        screen.digit(state, digit);
      else
        open_lab_at(state, static_cast<size_t>(digit - 1));
      continue;
    }
    for (const Action& entry : actions()) {
      const bool same =
          entry.keys.typed && (character == static_cast<ImWchar>(entry.keys.typed) ||
                               (entry.keys.typed >= 'a' && entry.keys.typed <= 'z' &&
                                character == static_cast<ImWchar>(entry.keys.typed - 32)));
      if (same) perform(state, entry.id);
    }
  }
  // The key that opened a list is not the first letter looked for in it.
  if (state.view.show_glossary) ImGui::GetIO().InputQueueCharacters.resize(0);
}

}  // namespace ridge::window
