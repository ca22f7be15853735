// What is remembered between starts: theme, scale, the widths of the side panels, where the window
// stood, the last lab, and what history.h keeps.
#pragma once

#include <string>

#include "app/window/shell/state.h"

namespace ridge::window {

/// $XDG_CONFIG_HOME or ~/.config, then ridgepoint/settings.json. Empty without a home.
std::string default_settings_path();
/// Reads what is there into state->view; a missing or damaged file leaves the defaults.
void load_settings(State* state);
/// Writes to state->settings_path, unless that is empty; a failure becomes the notice.
void save_settings(State* state);

}  // namespace ridge::window
