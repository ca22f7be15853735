#include "common/core/number_text.h"

namespace ridge {

std::from_chars_result number_from(const char* first, const char* last, double* value) {
  return std::from_chars(first, last, *value);
}

}  // namespace ridge
