// What became of the checks of a BUDGET.json: each demand with its answer, and the exit code of them all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/query/budget_file.h"
#include "common/core/enum_table.h"
#include "common/core/result.h"
#include "common/record/run.h"
#include "common/record/types.h"
#include "common/view/report/budget_rows.h"

namespace ridge::app {

/// The worst first. `failed`: an output was wrong, so that no figure may be used. `not_settled`: a demand was measured and
/// is open, or was not measured. `error`: nothing came of it, and the error says why.
enum class CheckState { failed, not_met, error, not_settled, met };
const char* state_text(
    CheckState state);  ///< "wrong output", "not met", "not measured", "not settled", "met"

/// A check with its answers. The texts may hold anything: a format escapes them.
struct CheckAnswer {
  std::string name, why, lab;
  CheckState state = CheckState::not_settled;
  std::string change;  ///< "naive_o3 → loop_order at n=512, hot cache"; empty: nothing was compared
  std::string verdict;                 ///< "FASTER 2.1× [2.0, 2.2], 40 rounds, margin 2 %"; empty likewise
  std::optional<double> ratio;         ///< absent: none that may be used
  std::optional<Interval> ratio_ci{};  ///< 95 %
  std::vector<BudgetRow> rows;         ///< one for each demand
  std::string reason;                  ///< why it failed, or that it did not begin
  std::vector<std::string> notes;      ///< what its figures have to be taken with
  std::optional<Error> error;
  std::string machine;  ///< "AMD EPYC 9R14, Debian GNU/Linux 12, quiet"
  std::string program;  ///< "Ridgepoint 0.1.0, commit 712fcbf"
  std::string saved;    ///< the run that holds it; empty: none was kept
  double seconds = 0;   ///< that it took
};

/// All of a file, in its order.
struct CheckAnswers {
  std::string file;      ///< BUDGET.json as it was named
  std::string time_utc;  ///< when the first began
  std::vector<CheckAnswer> checks;
  bool is_cancelled = false;

  size_t count(CheckState state) const;
  /// "1 of 3 checks not met, 1 not settled"; "all 3 checks met".
  std::string sentence() const;
  /// 130 cancelled; else of the worst: 3 wrong output, 1 not met, an error's own, 2 not settled, 0 all met.
  int exit_code() const;
};

/// Before it is measured, and where nothing comes of it: a row for each demand, none measured. `reason` says why.
CheckAnswer unmeasured(const BudgetCheck& check, const std::string& reason);
/// The comparison, whatever its own request demanded, held to what the check demands. Null: the run has none of it.
CheckAnswer judged(const BudgetCheck& check, const Run& run, const Comparison* comparison);

}  // namespace ridge::app
