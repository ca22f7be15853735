// Raised numbers, for the marks of footnotes.
#pragma once

#include <cstddef>
#include <string>

namespace ridge {

/// "¹", "²" … "¹²".
inline std::string raised(size_t number) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(number)) text += kDigits[digit - '0'];
  return text;
}

}  // namespace ridge
