// A number read from a text: std::from_chars for doubles, which not every C++ library has yet.
#pragma once

#include <charconv>

namespace ridge {

/// As std::from_chars(first, last, *value): digits with a dot or an exponent, no blanks or plus before them, no locale. Where
/// the text begins with no number `ec` is set and `value` stays.
std::from_chars_result number_from(const char* first, const char* last, double* value);

}  // namespace ridge
