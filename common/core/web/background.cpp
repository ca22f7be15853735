#include "common/core/background.h"

#include <emscripten.h>

// clang-format off
EM_JS(bool, ridge_shares_memory, (), { return ridge_shares; });  // web/before.js
// clang-format on

namespace ridge {

bool has_threads() {
  return false;
}

bool worker_has_threads() {
  static const bool it_has = ridge_shares_memory();
  return it_has;
}

}  // namespace ridge
