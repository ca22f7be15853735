#include "common/core/background.h"

namespace ridge {

bool has_threads() {
  return true;
}

const char* one_thread_reason() {
  return "";
}

}  // namespace ridge
