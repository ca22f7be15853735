// What was demanded of a candidate beside what was measured of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// `open`: measured, and its interval reaches over what is demanded. `unknown`: not measured.
enum class Met { yes, no, open, unknown };
/// "met", "not met", "not settled", "not measured".
const char* met_text(Met met);

/// A line of the budget with its answer.
struct BudgetRow {
  std::string field;       ///< as in a request: "p99_ns"
  std::string title;       ///< "p99 latency"
  std::string demand;      ///< "at most 2.00 ms"
  double limit = 0;        ///< the same in the field's unit
  std::optional<double> value{};  ///< that was measured, in the field's unit
  std::string measured{};  ///< "1.70 ms"; empty: why says why there is none
  std::string why{};       ///< why it was not measured, or is not settled
  Met met = Met::unknown;
  bool is_quality = false;  ///< of the output: accuracy or error

  /// "p99 latency at most 2.00 ms: met, 1.70 ms"
  std::string sentence() const;
};

/// A row for each line of the comparison's budget. `base` and `candidate` are its sides; null: the run has none.
/// `is_valid` false: a check failed, and no figure may be used.
std::vector<BudgetRow> judge_budget(const Comparison& comparison, const Series* base,
                                    const Series* candidate, bool is_valid);

}  // namespace ridge
