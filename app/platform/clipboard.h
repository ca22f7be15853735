// A picture onto the clipboard. GLFW's carries text only, so the desktop's own tool holds the picture
// where one is installed.
#pragma once

#include <functional>
#include <future>
#include <string>

#include "common/core/result.h"

namespace ridge::window {

/// Gives the PNG to wl-copy on Wayland, to xclip on X11, on a thread of its own, which calls `done` when the
/// future is ready. unavailable: there is neither, it failed, or it took over two seconds.
std::future<Result<void>> copy_picture(const std::string& path, std::function<void()> done);

}  // namespace ridge::window
