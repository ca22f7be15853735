// The A/A check in the window: a rung compared with itself a hundred times, one ordinary comparison
// after another, so that each has its progress, cancel stops it between two, and what was made stays.
#pragma once

#include "app/window/shell/state.h"

namespace ridge::window {

/// Why it cannot be made now; empty: it can.
std::string self_checks_blocker(const State& state);
void run_self_checks(State& state);
/// A comparison has ended: the next one, or the end with what was found.
void next_self_check(State& state, const Request& ended);

}  // namespace ridge::window
