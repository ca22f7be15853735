// A line with a knob that is dragged from step to step of something.
#pragma once

#include <string>

#include "app/window/shell/ui.h"

namespace ridge::window {

/// `step` of `count`, from 0. Its widgets are "<name>:step" and "<name>:knob". Returns the step that it is dragged to; -1: it
/// is not held.
int draw_step_slider(Ui& ui, const Area& area, const std::string& name, int step, int count);

}  // namespace ridge::window
