// Why an action cannot be done now: one sentence each, empty when it can. The table of actions
// (action_table.cpp) names them; a button that is greyed, a key that did nothing and the palette
// say the same.
#pragma once

#include <string>

#include "app/window/shell/state.h"

namespace ridge::window {

std::string never(const State& state);
std::string why_no_run(const State& state);
std::string why_no_run_selected(const State& state);
std::string why_no_compare(const State& state);
std::string why_no_cancel(const State& state);
std::string why_no_export(const State& state);
std::string why_no_chart(const State& state);
std::string why_no_lab(const State& state);
std::string why_no_folds(const State& state);
std::string why_no_tour(const State& state);
std::string why_no_reruns(const State& state);
std::string why_no_lesson(const State& state);

}  // namespace ridge::window
