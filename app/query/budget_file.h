// BUDGET.json, which `ridgepoint check` reads: comparisons, and what each demands of its candidate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/query/list_file.h"
#include "common/core/result.h"
#include "common/record/budget.h"
#include "common/record/enums.h"
#include "common/record/request.h"
#include "common/record/run.h"
#include "common/record/types.h"
#include "labs/lab.h"

namespace ridge::app {

/// One comparison and its demands. Its fields are those of BUDGET.json; what is absent is as `compare` has it.
struct BudgetCheck {
  std::string
      name;  ///< as reports call it; where none is given "CANDIDATE against BASELINE at n=512"
  std::string why;  ///< in the team's words: what a demand rests on
  std::string lab;  ///< empty: the sides are commands or libraries
  std::string baseline, candidate;
  std::vector<std::string> set;  ///< "n=512"
  CacheMode cache = CacheMode::hot;
  std::optional<double> margin, limit_s;
  std::optional<int64_t> rounds;
  int device = 0;                ///< which GPU
  std::string check, reference;  ///< of commands
  std::optional<double> call_limit_s;
  Budget budget;
};

/// Errors bad_input, one sentence with the file and the place in it: no JSON, an unknown field or one of the wrong kind,
/// one that stands twice, a number out of range, a check that demands nothing, two of one name, none, over 1000.
Result<std::vector<BudgetCheck>> read_budget_file(const std::string& path);

/// "BUDGET.json: check 2 (loop order)": where an error is. `index` counts from 0.
std::string place_of(const std::string& path, size_t index, const std::string& name);

/// The sides that a check of a lab's rungs asks of the worker with this catalogue. Errors: usage, as of select_sides() and
/// check_budget(); unavailable.
Result<std::vector<KernelRequest>> sides_of(const BudgetCheck& check, const Run& catalogue);

/// The latest comparison of `run` that is this check's: lab, sides and all settings that the check gives. Null: the run has
/// none. Errors usage: a lab or a rung that does not exist, settings that are none.
Result<const Comparison*> find_comparison(const BudgetCheck& check, const Run& run);

}  // namespace ridge::app
