// emscripten's libc++ has no from_chars for doubles. Its C library knows no locale but "C", so strtod reads the same numbers
// once it is kept from what from_chars refuses: blanks and a plus before the number, hexadecimal digits.
#include "common/core/number_text.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace ridge {

std::from_chars_result number_from(const char* first, const char* last, double* value) {
  const auto is_part = [](char c) {
    return std::strchr("0123456789.eE+-", c) != nullptr && c != '\0';
  };
  const char* end = first;
  while (end != last && is_part(*end)) ++end;
  const std::string text(first, end);
  char* stop = nullptr;
  const double read = std::strtod(text.c_str(), &stop);
  if (stop == text.c_str() || text.front() == '+') return {first, std::errc::invalid_argument};
  const char* after = first + (stop - text.c_str());
  if (std::isinf(read)) return {after, std::errc::result_out_of_range};
  *value = read;
  return {after, std::errc{}};
}

}  // namespace ridge
