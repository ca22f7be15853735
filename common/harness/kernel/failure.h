// A Status whose text was put together: it keeps a pointer, and the text lives here until the thread's next failure.
#pragma once

#include <string>

#include "common/harness/kernel/kernel.h"

namespace ridge {

/// File and line are the caller's. (emscripten's C++ library has no std::source_location.)
inline Status failure(const std::string& text, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  static thread_local std::string last;
  last = text;
  return {.what = last.c_str(), .file = file, .line = line};
}

}  // namespace ridge
