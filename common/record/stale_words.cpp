#include "common/record/stale_words.h"

#include <fmt/format.h>

namespace ridge {

std::string stale_text(size_t stale, size_t all, std::string_view what) {
  return stale == 0 ? ""
                    : fmt::format("{} of {} {}{} stale", stale, all, what, all == 1 ? "" : "s");
}

}  // namespace ridge
