#include "app/query/check_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/record/command.h"
#include "common/record/json.h"
#include "common/view/chart/svg.h"
#include "common/view/report/document.h"
#include "common/view/report/escape.h"

namespace ridge::app {
namespace {

constexpr size_t kLongestText = 2000;

/// Anything, as one line of valid UTF-8.
std::string plain(const std::string& text) {
  return one_line(text, kLongestText);
}

/// What the demand came to: the figure, and why it is no answer.
std::string answer_text(const BudgetRow& row) {
  std::string text = row.measured;
  if (!row.why.empty()) text += (text.empty() ? "" : "; ") + row.why;
  return text;
}

/// The answer in a word. A check that failed has none for its demands.
std::string word_of(const CheckAnswer& check, const BudgetRow& row) {
  return check.state == CheckState::failed ? state_text(check.state) : met_text(row.met);
}

/// Why a check has no answers to its demands; empty: they speak for themselves.
std::string problem_of(const CheckAnswer& check) {
  return check.error ? check.error->sentence() : check.reason;
}

/// The lines under a check: what was compared, what came of it, and what that has to be taken with.
std::vector<std::string> facts_of(const CheckAnswer& check) {
  std::vector<std::string> facts;
  if (!check.why.empty()) facts.push_back("demanded because: " + check.why);
  if (!check.change.empty()) facts.push_back(check.change + ": " + check.verdict);
  facts.insert(facts.end(), check.notes.begin(), check.notes.end());
  if (!check.saved.empty()) facts.push_back("saved: " + check.saved);
  return facts;
}

/// The worst first, else as they stand in the file.
std::vector<const CheckAnswer*> worst_first(const CheckAnswers& answers) {
  std::vector<const CheckAnswer*> all;
  for (const CheckAnswer& check : answers.checks) all.push_back(&check);
  std::stable_sort(all.begin(), all.end(),
                   [](const CheckAnswer* a, const CheckAnswer* b) { return a->state < b->state; });
  return all;
}

/// Each machine and program once.
std::vector<std::string> places_of(const CheckAnswers& answers) {
  std::vector<std::string> places;
  for (const CheckAnswer& check : answers.checks) {
    if (check.machine.empty()) continue;
    const std::string place = check.machine + (check.program.empty() ? "" : "; " + check.program);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return places;
}

}  // namespace

// ---- a terminal ----------------------------------------------------------------------------------

std::string check_text(const CheckAnswers& answers) {
  std::string text;
  for (const CheckAnswer& check : answers.checks) {
    text += fmt::format("{}: {}\n", plain(check.name), state_text(check.state));
    for (const BudgetRow& row : check.rows) {
      if (problem_of(check).empty()) text += "  " + plain(row.sentence()) + "\n";
    }
    if (!problem_of(check).empty()) text += "  " + plain(problem_of(check)) + "\n";
    for (const std::string& fact : facts_of(check)) text += "  " + plain(fact) + "\n";
  }
  return text + "\n" + answers.sentence() + "\n";
}

// ---- a merge request -----------------------------------------------------------------------------

namespace {

std::string markdown(const std::string& text) {
  return report::escape_markdown(plain(text));
}

std::string markdown_row(const CheckAnswer& check, const BudgetRow& row) {
  const std::string word = word_of(check, row);
  const std::string shown =
      row.met == Met::yes && check.state != CheckState::failed ? word : "**" + word + "**";
  const std::string problem = problem_of(check);
  return fmt::format("| {} | {} | {} {} | {} |\n", shown, markdown(check.name), markdown(row.title),
                     markdown(row.demand), markdown(problem.empty() ? answer_text(row) : problem));
}

}  // namespace

std::string check_markdown(const CheckAnswers& answers) {
  std::string text = "### Performance budgets: " + markdown(answers.sentence()) + "\n\n";
  text += "| Result | Check | Demanded | Measured |\n| --- | --- | --- | --- |\n";
  std::string open, met;  // what a reader has to look at stays unfolded
  for (const CheckAnswer* check : worst_first(answers)) {
    for (const BudgetRow& row : check->rows) text += markdown_row(*check, row);
    std::string& list = check->state == CheckState::met ? met : open;
    list += "- **" + markdown(check->name) + "**\n";
    for (const std::string& fact : facts_of(*check)) list += "  - " + markdown(fact) + "\n";
  }
  text += "\n" + open + (open.empty() ? "" : "\n");
  if (!met.empty())
    text += "<details>\n<summary>What is met</summary>\n\n" + met + "\n</details>\n\n";
  for (const std::string& place : places_of(answers))
    text += "Measured on " + markdown(place) + ". ";
  return text +
         "The sides of a check ran in turns. Intervals are 95 %: met or not met is said where the "
         "whole interval is on one side of the demand.\n";
}

// ---- JUnit ---------------------------------------------------------------------------------------

namespace {

std::string xml(const std::string& text) {
  return chart::escape_xml(plain(text));
}

enum class CaseResult { passed, failure, error };

CaseResult result_of(const CheckAnswer& check, const BudgetRow& row) {
  if (check.state == CheckState::failed) return CaseResult::failure;
  return row.met == Met::yes  ? CaseResult::passed
         : row.met == Met::no ? CaseResult::failure
                              : CaseResult::error;
}

int answers_of(const CheckAnswers& answers, CaseResult wanted) {
  int count = 0;
  for (const CheckAnswer& check : answers.checks) {
    count += static_cast<int>(
        std::count_if(check.rows.begin(), check.rows.end(),
                      [&](const BudgetRow& row) { return result_of(check, row) == wanted; }));
  }
  return count;
}

std::string junit_case(const CheckAnswer& check, const BudgetRow& row) {
  const std::string name = row.title + " " + row.demand;
  const CaseResult result = result_of(check, row);
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n", xml(check.name),
                  xml(name), check.seconds / static_cast<double>(check.rows.size()));
  const std::string problem = problem_of(check);
  const std::string said = problem.empty() ? answer_text(row) : problem;
  if (result != CaseResult::passed) {
    const char* element = result == CaseResult::failure ? "failure" : "error";
    const std::string word = word_of(check, row);
    text += fmt::format("      <{0} type=\"{1}\" message=\"{2}: {1}, {3}\"/>\n", element, xml(word),
                        xml(name), xml(said));
  }
  std::string output = result == CaseResult::passed ? said + "\n" : "";
  for (const std::string& fact : facts_of(check)) output += plain(fact) + "\n";
  if (!output.empty()) text += "      <system-out>" + chart::escape_xml(output) + "</system-out>\n";
  return text + "    </testcase>\n";
}

}  // namespace

std::string check_junit(const CheckAnswers& answers) {
  double seconds = 0;
  size_t tests = 0;
  for (const CheckAnswer& check : answers.checks) {
    seconds += check.seconds;
    tests += check.rows.size();
  }
  const std::string counts = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", tests,
      answers_of(answers, CaseResult::failure), answers_of(answers, CaseResult::error), seconds);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += "<testsuites name=\"ridgepoint check\" " + counts + ">\n";
  text += fmt::format("  <testsuite name=\"{}\" {} skipped=\"0\" timestamp=\"{}\">\n",
                      xml(answers.file), counts, xml(answers.time_utc));
  text += "    <properties>\n";
  for (const std::string& place : places_of(answers))
    text += "      <property name=\"machine\" value=\"" + xml(place) + "\"/>\n";
  text += "    </properties>\n";
  for (const CheckAnswer& check : answers.checks) {
    for (const BudgetRow& row : check.rows) text += junit_case(check, row);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

// ---- a program -----------------------------------------------------------------------------------

namespace {

Json answer_json(const CheckAnswer& check) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const auto& ci = check.ratio_ci;
  return {{"name", check.name},
          {"why", check.why},
          {"lab", check.lab},
          {"result", state_text(check.state)},
          {"change", check.change},
          {"verdict", check.verdict},
          {"ratio", number(check.ratio)},
          {"ci_low", ci ? Json(ci->low) : Json(nullptr)},
          {"ci_high", ci ? Json(ci->high) : Json(nullptr)},
          {"budget", budget_json(check.rows)},
          {"reason", check.reason},
          {"notes", check.notes},
          {"error", check.error ? Json(*check.error) : Json(nullptr)},
          {"machine", check.machine},
          {"program", check.program},
          {"saved", check.saved},
          {"seconds", check.seconds}};
}

}  // namespace

Json check_json(const CheckAnswers& answers) {
  Json checks = Json::array();
  for (const CheckAnswer& check : answers.checks) checks.push_back(answer_json(check));
  return {{"ridgepoint", 1},
          {"budgets",
           {{"file", answers.file},
            {"time_utc", answers.time_utc},
            {"result", answers.sentence()},
            {"exit_code", answers.exit_code()},
            {"cancelled", answers.is_cancelled},
            {"checks", checks}}}};
}

}  // namespace ridge::app
