#include "common/record/accuracy.h"

#include "common/record/types.h"

namespace ridge {

std::string accuracy_text(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::componentwise:
      return "accurate in each element (componentwise)";
    case Accuracy::row_column:
      return "accurate to the largest of a row of A and a column of B (row and column)";
    case Accuracy::max_norm:
      return "accurate to the largest of A and B (max norm)";
  }
  return "";
}

std::string accuracy_difference(const std::string& rung, Accuracy accuracy,
                                const std::string& other_rung, Accuracy other) {
  if (accuracy == other) return "";
  // "accurate" is said once.
  constexpr size_t kWord = sizeof("accurate ") - 1;
  return rung + " is " + accuracy_text(accuracy) + ", " + other_rung + " " +
         accuracy_text(other).substr(kWord);
}

std::string over_accuracy_limit(const Series& series) {
  constexpr const char* kLess = "points less accurate than";  // as the family's check words it
  if (series.status != SeriesStatus::failed) return "";
  std::string why;
  for (const QualityCheck& check : series.checks) {
    if (check.passed) continue;
    if (!check.task.contains("may_lose") || check.reason.find(kLess) == std::string::npos)
      return "";
    why = check.reason;
  }
  return why;
}

}  // namespace ridge
