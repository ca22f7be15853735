// A picture onto the clipboard. GLFW's carries text only, so the desktop's own tool holds the picture
// where one is installed.
#pragma once

#include <string>

#include "common/core/result.h"

namespace ridge::window {

/// Gives the PNG to wl-copy on Wayland, to xclip on X11. unavailable: there is neither, or it failed.
Result<void> copy_picture(const std::string& path);

}  // namespace ridge::window
