// Quiz questions whose answer is measured on this machine: a rule evaluates the results of a Run.
// assets/quiz/<lab>.json holds the questions; app/study/quiz_rules.cpp the rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/core/interval.h"
#include "common/core/result.h"
#include "common/record/request.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::study {

/// What the candidates of a question are: rungs at one problem (everything but the type equal), or one
/// rung at several sizes.
enum class Over { rungs, sizes };

struct Question {
  std::string id;    ///< unique: "gemm.memory_bound"
  std::string lab;   ///< the file's
  std::string text;  ///< "Which of these rungs ...?"
  std::string rule;  ///< a name of quiz_rules()
  Over over = Over::rungs;
  std::vector<std::string> rungs;  ///< full kernel ids, at least two (sizes: one)
  std::vector<int64_t> sizes;      ///< over sizes: at least three values of the size
  Params set;                      ///< what to run them at where nothing was measured yet
  double threshold = 0;            ///< of rules that need one: 0.9
  std::string explanation;         ///< template; {answer} {value} ... as docs/study.md lists them
  std::vector<std::string> see;    ///< terms of the glossary
};

/// One possible answer, with its result.
struct Choice {
  std::string kernel;
  Params params;
  std::string label;  ///< "cache blocks"; over sizes "n = 512"; "none of these"
  double value = 0;   ///< what the rule looks at; NaN for "none of these"
  std::optional<Interval> interval;
  std::string value_text;  ///< "42.1 % [41.9, 42.3]"
  bool accepted = false;   ///< right, or not to be told from right within the intervals
};

struct Answer {
  enum class State { answered, not_yet, unavailable } state = State::not_yet;
  std::vector<Choice> choices;     ///< in the question's order; not_yet: those measured so far
  bool is_open = false;            ///< answered, but most choices may be right: none is graded
  std::string explanation;         ///< answered: the template filled in
  std::string reason;              ///< not_yet: "no answer yet: run ..."; unavailable: why
  std::vector<KernelRequest> run;  ///< not_yet: what to send to get the rest
};

Result<std::vector<Question>> parse_quiz(const std::string& text, const std::string& where);
/// All questions about a lab; empty if there are none.
Result<std::vector<Question>> load_quiz(const std::string& lab);

/// Pure: the same run gives the same answer. Only verified results count (quality_passed), the latest of
/// each; all choices come from one problem and one cache state.
Answer evaluate(const Question& question, const Lab& lab, const Run& run);

}  // namespace ridge::study
