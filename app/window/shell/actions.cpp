#include "app/window/shell/actions.h"

#include <cstdlib>

#include "app/window/panels/fold.h"
#include "app/window/views/sweep.h"
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
  if (std::string why = entry.why_not(state); !why.empty()) {
    state.notice = {why, false};
    return false;
  }
  entry.act(state);
  return true;
}

void select_rung(State& state, const std::string& kernel) {
  state.view.rung = kernel;
  unfold_for(state, kernel);
  state.notice = {};
  state.dirty = true;
}

void follow_code(State& state, const std::string& kernel, const std::string& anchor) {
  if (!kernel.empty() && kernel != state.view.rung) select_rung(state, kernel);
  state.view.tab = Tab::source;
  state.view.code_mark = {state.view.rung, anchor, state.view.code_mark.jumps + 1};
}

void set_param(State& state, const std::string& name, ParamValue value) {
  const auto chosen = state.view.params.find(name);
  if (chosen != state.view.params.end() && chosen->second == value) return;
  state.view.params[name] = std::move(value);
  state.estimates_due = true;
  state.dirty = true;
  rerun_live(state);
}

void set_mode(State& state, const std::string& mode) {
  state.view.mode = mode;
  state.dirty = true;
}

void set_cache(State& state, const std::string& cache) {
  state.view.cache = cache;
  state.dirty = true;
}

}  // namespace ridge::window
