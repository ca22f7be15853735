#include "app/session/saved_run.h"

#include <utility>

namespace ridge::app {

Result<Run> load_saved(const std::string& path, std::span<const RungHash> now) {
  RIDGE_TRY(Run run, Run::load(path));
  run.mark_stale(now);
  return run;
}

}  // namespace ridge::app
