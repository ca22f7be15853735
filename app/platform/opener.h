// Files and folders handed to the desktop's own program for them.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/core/result.h"

namespace ridge::window {

/// A program that was started to show something.
struct Opener {
  std::string program;  ///< "xdg-open"
  pid_t pid = -1;       ///< to be reaped: it may end at once, or go on as long as what it shows
};

/// Starts the desktop's opener on an absolute path and does not wait for it. The path is one argument: no shell reads
/// it. unavailable: there is none on PATH.
Result<Opener> open_on_desktop(const std::string& path);

}  // namespace ridge::window
