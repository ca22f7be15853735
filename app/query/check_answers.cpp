#include "app/query/check_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/query/reporting.h"
#include "app/query/results.h"
#include "common/record/clocks.h"
#include "common/record/ratio_text.h"
#include "common/view/report/decision.h"

namespace ridge::app {
namespace {

CheckState state_of(const std::vector<BudgetRow>& rows) {
  const auto is = [](Met met) { return [met](const BudgetRow& row) { return row.met == met; }; };
  if (std::any_of(rows.begin(), rows.end(), is(Met::no))) return CheckState::not_met;
  return std::all_of(rows.begin(), rows.end(), is(Met::yes)) ? CheckState::met
                                                             : CheckState::not_settled;
}

std::string verdict_text(const Comparison& comparison) {
  std::string word = to_string(comparison.verdict);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const bool has_ratio = comparison.ratio > 0 && comparison.verdict != Verdict::invalid;
  if (has_ratio) word += " " + ratio_text(comparison.ratio, comparison.ci);
  if (has_ratio && comparison.ci)
    word += " " + ratio_interval_text(comparison.ci, comparison.margin);
  return fmt::format("{}, {}, margin {:.3g} %", word, rounds_text(comparison),
                     comparison.margin * 100);
}

void describe_run(const Run& run, CheckAnswer* answer) {
  answer->machine = environment_text(run);
  while (answer->machine.ends_with('\n')) answer->machine.pop_back();
  if (!run.environment()) return;
  const Environment& environment = *run.environment();
  if (!environment.version.empty()) answer->program = "Ridgepoint " + environment.version;
  if (!environment.commit.empty())
    answer->program += (answer->program.empty() ? "commit " : ", commit ") + environment.commit;
}

}  // namespace

const char* state_text(CheckState state) {
  switch (state) {
    case CheckState::failed:
      return "wrong output";
    case CheckState::not_met:
      return "not met";
    case CheckState::error:
      return "not measured";
    case CheckState::not_settled:
      return "not settled";
    case CheckState::met:
      break;
  }
  return "met";
}

size_t CheckAnswers::count(CheckState state) const {
  return static_cast<size_t>(std::count_if(
      checks.begin(), checks.end(), [&](const CheckAnswer& one) { return one.state == state; }));
}

std::string CheckAnswers::sentence() const {
  const std::string all = fmt::format("{} check{}", checks.size(), checks.size() == 1 ? "" : "s");
  std::string text;
  for (const CheckState state :
       {CheckState::failed, CheckState::not_met, CheckState::error, CheckState::not_settled}) {
    if (count(state) == 0) continue;
    text += text.empty() ? fmt::format("{} of {} {}", count(state), all, state_text(state))
                         : fmt::format(", {} {}", count(state), state_text(state));
  }
  if (text.empty()) text = (checks.size() == 1 ? "" : "all ") + all + " met";
  return is_cancelled ? text + "; cancelled" : text;
}

int CheckAnswers::exit_code() const {
  if (is_cancelled) return static_cast<int>(ErrorCode::cancelled);
  const auto worst = std::min_element(
      checks.begin(), checks.end(),
      [](const CheckAnswer& a, const CheckAnswer& b) { return a.state < b.state; });
  switch (worst == checks.end() ? CheckState::met : worst->state) {
    case CheckState::failed:
      return static_cast<int>(ErrorCode::invalid);
    case CheckState::not_met:
      return exit_code_of(Verdict::slower);
    case CheckState::error:
      return worst->error ? worst->error->exit_code() : static_cast<int>(ErrorCode::worker);
    case CheckState::not_settled:
      return exit_code_of(Verdict::unresolved);
    case CheckState::met:
      break;
  }
  return 0;
}

CheckAnswer unmeasured(const BudgetCheck& check, const std::string& reason) {
  CheckAnswer answer{.name = check.name, .why = check.why, .lab = check.lab, .reason = reason};
  for (const BudgetLine& line : budget_lines()) {
    const auto& demanded = check.budget.*(line.value);
    if (!demanded) continue;
    answer.rows.push_back({.field = line.field,
                           .title = line.title,
                           .demand = demand_text(line, *demanded),
                           .limit = *demanded,
                           .why = reason,
                           .is_quality = is_quality(line)});
  }
  return answer;
}

CheckAnswer judged(const BudgetCheck& check, const Run& run, const Comparison* found) {
  CheckAnswer answer = unmeasured(check, "the run holds no comparison of these two");
  describe_run(run, &answer);
  if (!found) return answer;
  Comparison comparison = *found;
  comparison.budget = check.budget;
  const Lab* lab = find_lab(check.lab);
  const Decision decision = decide(run, comparison, lab ? titles_of(*lab) : Titles());
  answer.change = decision.change;
  answer.verdict = verdict_text(comparison);
  answer.rows = decision.budget;
  answer.notes = comparison.reasons;
  answer.reason.clear();
  if (decision.verdict == Verdict::invalid) {
    answer.state = CheckState::failed;
    answer.reason = decision.reason;
    return answer;
  }
  if (comparison.ratio > 0) answer.ratio = comparison.ratio;
  answer.ratio_ci = comparison.ci;
  answer.state = state_of(answer.rows);
  if (comparison.stale)
    answer.notes.push_back("the code of a side has changed since it was measured");
  const Series* candidate = side_series(run, comparison, true);
  if (!candidate || !candidate->quality_passed())
    answer.notes.insert(answer.notes.begin(), "the candidate's output was not checked");
  return answer;
}

}  // namespace ridge::app
