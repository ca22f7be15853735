// How the program says that a figure is stale. Run::mark_stale() decides which one is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridge {

/// "2 of 9 results stale"; empty where none is. `what`: what is counted, in the singular.
std::string stale_text(size_t stale, size_t all, std::string_view what);

}  // namespace ridge
