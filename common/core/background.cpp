#include "common/core/background.h"

namespace ridge {

bool has_threads() {
  return true;
}

bool worker_has_threads() {
  return true;
}

}  // namespace ridge
