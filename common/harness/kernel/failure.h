// A Status whose text was put together: it keeps a pointer, and the text lives here until the thread's next failure.
#pragma once

#include <source_location>
#include <string>

#include "common/harness/kernel/kernel.h"

namespace ridge {

inline Status failure(const std::string& text,
                      std::source_location at = std::source_location::current()) {
  static thread_local std::string last;
  last = text;
  return {.what = last.c_str(), .file = at.file_name(), .line = static_cast<int>(at.line())};
}

}  // namespace ridge
