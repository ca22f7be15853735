// Runs that follow from a choice: a sweep over the lab's sizes, and the selected rung again whenever a
// parameter changes. Both are ordinary requests, with their progress and their cancel.
#pragma once

#include "app/window/shell/state.h"

namespace ridge::window {

/// The parameter that a sweep steps through: the lab's first with stops.
const ParamView* swept_param(const Lab& lab);
/// The selected rung, or every rung that is shown, at each stop, the largest last; the Sizes view.
void sweep_selected(State& state);
void sweep_all(State& state);

/// The selected loop nest (without one the lab's last) in every order of its loops; the Traffic view.
void run_orders(State& state);

/// A parameter was let go of: with the switch on, cancels what runs and runs the selection again.
void rerun_live(State& state);
void toggle_reruns(State& state);

}  // namespace ridge::window
