#include "common/view/figure/code.h"

#include <string>

namespace ridge::figure {

size_t end_of_code(std::string_view text, size_t at) {
  size_t ticks = 0;
  while (at + ticks < text.size() && text[at + ticks] == '`') ++ticks;
  const std::string fence(ticks, '`');
  const size_t end = text.find(fence, at + ticks);
  if (ticks < 3) {
    // A span ends in its paragraph; a lone backquote is a letter.
    const size_t paragraph = text.find("\n\n", at);
    if (end == std::string_view::npos || end > paragraph) return at + ticks;
  }
  return end == std::string_view::npos ? text.size() : end + ticks;
}

}  // namespace ridge::figure
