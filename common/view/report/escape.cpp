#include "common/view/report/escape.h"

#include <string_view>

namespace ridge::report {

std::string escape_markdown(const std::string& text) {
  constexpr std::string_view kMarkup = "\\`*_[]>|#~&";
  std::string out;
  for (const char sign : text) {
    if (sign == '\n' || sign == '\r') {
      out += ' ';
      continue;
    }
    if (sign == '<') {
      out += "&lt;";
      continue;
    }
    if (kMarkup.find(sign) != std::string_view::npos) out += '\\';
    out += sign;
  }
  return out;
}

}  // namespace ridge::report
