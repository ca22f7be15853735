#include "common/record/types.h"

namespace ridge {

std::string Environment::machine() const {
  return gpus.empty() ? cpu.model : gpus.front().name;
}

bool SeriesFacts::quality_passed() const {
  for (const QualityCheck& check : checks) {
    if (!check.passed) return false;
  }
  return !checks.empty();
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

std::string to_string(SeriesStatus status) {
  switch (status) {
    case SeriesStatus::pending:
      return "pending";
    case SeriesStatus::running:
      return "running";
    case SeriesStatus::ok:
      return "ok";
    case SeriesStatus::failed:
      return "failed";
    case SeriesStatus::skipped:
      return "skipped";
    case SeriesStatus::cancelled:
      return "cancelled";
    case SeriesStatus::partial:
      return "partial";
  }
  return "pending";
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::same:
      return "same";
    case Verdict::unresolved:
      return "unresolved";
    case Verdict::invalid:
      return "invalid";
  }
  return "invalid";
}

}  // namespace ridge
