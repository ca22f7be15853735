// What a user demands of a candidate before the run: a budget of speed, accuracy, error, latency, memory and energy. One
// table has its lines: their names, their units, and what kinds of rung have them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/interval.h"
#include "common/core/result.h"
#include "common/record/enums.h"

namespace ridge {

/// The task metric that a budget's accuracy is: of a check, and of a lab.
inline constexpr std::string_view kAccuracyMetric = "accuracy";

/// Absent: nothing is demanded.
struct Budget {
  std::optional<double> ratio;            ///< t_baseline / t_candidate, at least
  std::optional<double> accuracy_lost;    ///< share of all that may be lost: 0.01 is one point
  std::optional<double> accuracy_target;  ///< an accuracy that has to be reached, 0 to 1
  std::optional<double> accuracy_kept;    ///< share of the baseline's accuracy: 0.99 is 99 % of it
  std::optional<double> nmse;             ///< ||out - ref||^2 / ||ref||^2, at most
  std::optional<double> p50_ns, p90_ns, p95_ns, p99_ns;  ///< percentiles of single calls, at most
  std::optional<double> memory_bytes;
  std::optional<double> energy_j;  ///< of a call; of a training an epoch

  bool is_empty() const { return *this == Budget(); }
  bool operator==(const Budget&) const = default;
};

/// What the number of a line counts.
enum class BudgetUnit { ratio, points, accuracy, share, plain, time, bytes, energy };

/// One line of a budget.
struct BudgetLine {
  const char* key;    ///< as it is typed: "p99"
  const char* field;  ///< in a request: "p99_ns"
  const char* title;  ///< "p99 latency"
  BudgetUnit unit;
  std::optional<double> Budget::*value;
  const char* example;              ///< "p99=2ms"
  std::span<const RungKind> kinds;  ///< of rung that have it
};

std::span<const BudgetLine> budget_lines();
/// Whether it demands that much at least; else at most.
bool is_floor(const BudgetLine& line);
/// Whether it is of the output: of its accuracy or its error.
bool is_quality(const BudgetLine& line);
/// Whether a ratio with this interval reaches what is demanded; none: the interval holds it, or there is no interval.
std::optional<bool> reaches(const std::optional<Interval>& ratio, double demanded);

/// "ratio=1.2,accuracy=1,nmse=1e-6,p99=2ms,memory=1GiB,energy=0.5J". Errors usage, one sentence: a key that no line has
/// (the nearest is named), a value without its unit, a negative one, a line that stands twice.
Result<Budget> parse_budget(const std::string& text);
/// As parse_budget() takes it: "p99=2ms,memory=1GiB"; empty where nothing is demanded.
std::string budget_text(const Budget& budget);
/// Of a line what it demands: "at most 2.00 ms", "at least 0.85", "at most 1 point lost".
std::string demand_text(const BudgetLine& line, double value);
/// "p99 latency at most 2.00 ms; memory at most 1.00 GiB".
std::string budget_words(const Budget& budget);
/// A value in the line's unit: "2.00 ms".
std::string amount_text(const BudgetLine& line, double value);

/// Error usage: the budget demands what a rung of this kind does not have. `has_accuracy`: its check reports one.
Result<void> check_budget(const Budget& budget, RungKind kind, bool has_accuracy);

/// The budget of a request's line: `budget`, and the older `accuracy_target` and `may_lose`. Errors usage.
Result<Budget> budget_from(const nlohmann::json& line);
void to_json(nlohmann::json& json, const Budget& budget);

}  // namespace ridge
