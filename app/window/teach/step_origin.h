// Which machines a step's figures come from, as the canvas's head names them.
#pragma once

#include <string>

#include "app/window/shell/state.h"

namespace ridge::window {

/// "Recording: NVIDIA H200, 2026-11-26" of the figures in view, "Measured here; recorded: …" where the step has both.
/// Empty: all of them are this machine's.
std::string origin_line(const State& state);

}  // namespace ridge::window
