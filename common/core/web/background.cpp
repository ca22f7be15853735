#include "common/core/background.h"

#include <emscripten.h>

// clang-format off
EM_JS(bool, ridge_threads_share, (), { return ridge_shares; });  // web/before.js
// clang-format on

namespace ridge {

bool has_threads() {
  return false;
}

const char* one_thread_reason() {
  if (ridge_threads_share()) return "";
  return "this page is not isolated, as one over https or of this machine is: its worker has one thread";
}

}  // namespace ridge
