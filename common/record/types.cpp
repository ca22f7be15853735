#include "common/record/types.h"

namespace ridge {

std::string Environment::machine() const {
  return gpus.empty() ? cpu.model : gpus.front().name;
}

bool SeriesFacts::is_under_way() const {
  return status == SeriesStatus::pending || status == SeriesStatus::running;
}

bool SeriesFacts::quality_passed() const {
  for (const QualityCheck& check : checks) {
    if (!check.passed) return false;
  }
  return !checks.empty();
}

bool SeriesFacts::may_show_speed() const {
  return quality_passed() || (kind == RungKind::command && checks.empty());
}

const QualityCheck* SeriesFacts::quality() const {
  const QualityCheck* worst = nullptr;
  for (const QualityCheck& check : checks) {
    if (!check.passed) return &check;
    // Of equals the last, which is of the problem that was timed: where every answer has to be exact, the
    // task metric of an awkward problem would stand for the rung. A NaN is the worst, and stays it.
    if (worst == nullptr || !(check.nmse == check.nmse) || check.nmse >= worst->nmse) {
      worst = &check;
    }
  }
  return worst;
}

}  // namespace ridge
