// The lists that lie over a tour's canvas: the tours, the steps of the tour, the keys that work there. Up and Down move
// the mark, Enter or Page Down takes the marked row, a click takes any.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

/// Opens the list, or closes it. The first marks the tour that would go on, the second the step in view, at the beginning of a
/// talk the one where the tour was left.
void toggle_tours(State& state);
void toggle_steps(State& state);
/// On a canvas the keys that work there; elsewhere the screen of all shortcuts.
void show_keys(State& state);
/// Whether one of them is open.
bool has_list(const State& state);
/// False where none was open.
bool close_list(State& state);

/// The tours in a place of their own, to choose from by a click.
void draw_tours(Ui& ui, Area area);
/// The one that is open; nothing where none is.
void draw_list(Ui& ui);

}  // namespace ridge::window
