// Which results a question of the quiz is about, and the rules over them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/study/quiz.h"

namespace ridge::study {

struct Candidate {
  std::string kernel;
  Params params;  ///< as it ran; not measured yet: as it should run
  std::string label;
  const Series* series = nullptr;  ///< null: not measured yet
};

/// The candidates of one problem and one cache state: of several such groups the fullest, then that of
/// the question's `set`, then the latest. Rungs that this machine cannot run or that have no speed are left out, with the reason.
struct Group {
  std::vector<Candidate> candidates;                         ///< in the question's order
  std::map<std::string, std::vector<std::string>> left_out;  ///< reason: the labels it is true of
  std::string problem;                                       ///< "n = 512, 1 thread"
  bool complete() const;
};
Group group_of(const Question& question, const Lab& lab, const Run& run);

struct Rule {
  const char* name;     ///< "largest_step"
  const char* meaning;  ///< what the answer has: "the largest error against float64"
  bool needs_threshold;
};

/// What a rule makes of one candidate.
struct Score {
  double value = 0;
  std::optional<Interval> interval;
  std::string text;
};
struct Scored {
  const Candidate* candidate = nullptr;
  Score score;
};
enum class Pick { largest, smallest, first_reaching };  ///< first_reaching: the threshold
struct RuleCode {
  Rule rule;
  Pick pick;
  double threshold;  ///< of first_reaching, where the question gives none
  /// Score of candidates[at], or none and the reason (empty: it is no candidate of this rule).
  std::optional<Score> (*score)(const std::vector<Candidate>& candidates, size_t at, const Run& run,
                                std::string* reason);
  bool of_traps = false;  ///< it looks at a trap's readings; else at rungs with a speed
};
/// All rules, for messages and tests.
const std::vector<Rule>& quiz_rules();
const RuleCode* find_rule(const std::string& name);

}  // namespace ridge::study
