// Reading assets/quiz/<lab>.json; then from scores to the answer: what is accepted, and the explanation with its figures.
#include "app/study/quiz.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "app/study/assets.h"
#include "app/study/quiz_rules.h"
#include "common/core/format.h"
#include "common/record/stale_words.h"

namespace ridge::study {
namespace {

/// Names that an explanation may have in braces.
const std::vector<std::string>& placeholders() {
  static const std::vector<std::string> names = {"answer", "value",   "second",    "second_value",
                                                 "all",    "problem", "threshold", "machine"};
  return names;
}

Result<void> check_template(const Fields& fields, const std::string& text) {
  for (size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at) {
    const size_t end = text.find('}', at);
    const std::string name = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    const auto& known = placeholders();
    if (end != std::string::npos && std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    return fields.bad("explanation", "asks for {" + name + "}", "there are " + list);
  }
  return {};
}

Result<void> check_candidates(const Fields& fields, const Question& question) {
  const bool sizes = question.over == Over::sizes;
  if (sizes && (question.rungs.size() != 1 || question.sizes.size() < 3))
    return fields.bad("sizes", "needs one rung and at least three sizes");
  if (!sizes && (question.rungs.size() < 2 || !question.sizes.empty()))
    return fields.bad("rungs", "must name at least two rungs, and then no sizes");
  if (!std::is_sorted(question.sizes.begin(), question.sizes.end()))
    return fields.bad("sizes", "is not in ascending order");
  return {};
}

Result<Question> question_of(const Json& json, const std::string& lab, const std::string& where) {
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only(
      {"id", "question", "kind", "rungs", "sizes", "set", "threshold", "explanation", "see"}));
  Question question;
  question.lab = lab;
  RIDGE_TRY(question.id, fields.text("id"));
  RIDGE_TRY(question.text, fields.text("question"));
  RIDGE_TRY(question.rule, fields.text("kind"));
  RIDGE_TRY(question.rungs, fields.texts("rungs"));
  RIDGE_TRY(question.sizes, fields.whole_numbers("sizes"));
  RIDGE_TRY(question.set, fields.params("set"));
  RIDGE_TRY(question.explanation, fields.text("explanation"));
  RIDGE_TRY(question.see, fields.texts("see"));
  question.over = question.sizes.empty() ? Over::rungs : Over::sizes;
  RIDGE_TRY_VOID(check_candidates(fields, question));
  RIDGE_TRY_VOID(check_template(fields, question.explanation));
  const auto& rules = quiz_rules();
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const Rule& one) { return question.rule == one.name; });
  if (rule == rules.end()) {
    std::string known;
    for (const Rule& one : rules) known += (known.empty() ? "" : ", ") + std::string(one.name);
    return fields.bad("kind", "is '" + question.rule + "'", "it is one of " + known);
  }
  if (rule->needs_threshold) {
    RIDGE_TRY(question.threshold, fields.number("threshold"));
  } else if (json.contains("threshold")) {
    return fields.bad("threshold", "means nothing to " + question.rule);
  }
  return question;
}

}  // namespace

Result<std::vector<Question>> parse_quiz(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"lab", "questions"}));
  RIDGE_TRY(const std::string lab, fields.text("lab"));
  RIDGE_TRY(const auto entries, fields.objects("questions"));
  std::vector<Question> questions;
  std::set<std::string> ids;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string place = where + ", question " + std::to_string(i + 1);
    RIDGE_TRY(Question question, question_of(entries[i], lab, place));
    if (!ids.insert(question.id).second)
      return bad_asset(place, "'id' " + question.id + " is there already");
    questions.push_back(std::move(question));
  }
  return questions;
}

Result<std::vector<Question>> load_quiz(const std::string& lab) {
  const std::string name = "assets/quiz/" + lab + ".json";
  const std::vector<std::string> names = asset_names("assets/quiz/");
  if (std::find(names.begin(), names.end(), name) == names.end()) return std::vector<Question>{};
  RIDGE_TRY(const std::string text, read_asset(name));
  return parse_quiz(text, name);
}

namespace {

constexpr const char* kNoneLabel = "none of these";

std::string joined(const std::vector<std::string>& list, const char* by) {
  std::string text;
  for (const std::string& one : list) text += (text.empty() ? "" : by) + one;
  return text;
}

/// "naive, coalesced: built without CUDA; tuned: needs sm_90"
std::string left_out_text(const Group& group) {
  std::vector<std::string> parts;
  for (const auto& [reason, labels] : group.left_out)
    parts.push_back(joined(labels, ", ") + ": " + reason);
  return joined(parts, "; ");
}

bool may_equal(const Score& a, const Score& b) {
  if (a.interval && b.interval)
    return a.interval->low <= b.interval->high && b.interval->low <= a.interval->high;
  return a.value == b.value;
}

Choice choice_of(const Scored& scored) {
  const Candidate& from = *scored.candidate;
  return {from.kernel,           from.params,       from.label, scored.score.value,
          scored.score.interval, scored.score.text, false};
}

/// The extreme, and whatever its interval cannot be told from. Returns the extreme's position.
size_t accept_extreme(const std::vector<Scored>& scored, bool largest,
                      std::vector<Choice>* choices) {
  size_t best = 0;
  for (size_t i = 1; i < scored.size(); ++i) {
    const double a = scored[i].score.value, b = scored[best].score.value;
    if (largest ? a > b : a < b) best = i;
  }
  for (size_t i = 0; i < scored.size(); ++i)
    (*choices)[i].accepted = i == best || may_equal(scored[i].score, scored[best].score);
  return best;
}

/// The first that surely reaches the threshold, and those before it that may.
void accept_first(const std::vector<Scored>& scored, double threshold,
                  std::vector<Choice>* choices) {
  for (size_t i = 0; i < scored.size(); ++i) {
    const Score& score = scored[i].score;
    const Interval range = score.interval.value_or(Interval{score.value, score.value});
    (*choices)[i].accepted = range.high >= threshold;
    if (range.low >= threshold) return;
  }
  choices->push_back({"", {}, kNoneLabel, std::numeric_limits<double>::quiet_NaN(), {}, "", true});
}

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "{" + name + "}";
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

/// Where noise has made three rungs of four alike, naming one of them shows no understanding.
bool is_left_open(const std::vector<Choice>& choices) {
  const auto accepted =
      std::count_if(choices.begin(), choices.end(), [](const Choice& one) { return one.accepted; });
  return accepted >= 3 && 2 * accepted > std::ssize(choices);
}

std::string explain(const Question& question, const Group& group,
                    const std::vector<Choice>& choices, bool largest, const Run& run) {
  std::vector<std::string> accepted, values, all;
  const Choice* second = nullptr;
  for (const Choice& one : choices) {
    if (!one.value_text.empty()) all.push_back(one.label + " " + one.value_text);
    if (one.accepted) {
      accepted.push_back(one.label);
      if (!one.value_text.empty()) values.push_back(one.value_text);
    } else if (!second || (largest ? one.value > second->value : one.value < second->value)) {
      second = &one;
    }
  }
  std::string text =
      filled(question.explanation,
             {{"answer", joined(accepted, " or ")},
              {"value", values.empty() ? kNone : joined(values, " and ")},
              {"second", second ? second->label : "no other"},
              {"second_value", second ? second->value_text : kNone},
              {"all", joined(all, "; ")},
              {"problem", group.problem},
              {"threshold", format_share(question.threshold)},
              {"machine", run.environment() ? run.environment()->machine() : "this machine"}});
  if (is_left_open(choices))
    text +=
        " The figures do not tell these apart, and they are most of the choices: none is right or "
        "wrong here. Measure again on a quiet machine, or open a recording.";
  else if (accepted.size() > 1)
    text += " The figures do not tell these apart: each is accepted.";
  const bool stale =
      std::any_of(group.candidates.begin(), group.candidates.end(),
                  [](const Candidate& one) { return one.series && one.series->stale; });
  if (stale) text += " " + stale_sentence("Some of these figures", "their kernels have");
  if (!group.left_out.empty()) text += " Left out: " + left_out_text(group) + ".";
  return text;
}

Answer unavailable(const std::string& why) {
  Answer answer;
  answer.state = Answer::State::unavailable;
  answer.reason = "unavailable: " + why;
  return answer;
}

Answer not_yet(const Question& question, const Group& group, const Lab& lab) {
  Answer answer;
  std::vector<std::string> missing;
  for (const Candidate& one : group.candidates) {
    if (one.series) {
      answer.choices.push_back({one.kernel, one.params, one.label, 0, {}, "", false});
    } else {
      missing.push_back(one.label);
      answer.run.push_back({one.kernel, one.params});
    }
  }
  std::string what = joined(missing, ", ");
  if (question.over == Over::sizes) {
    const auto rung = find_rung(lab, question.rungs.front());
    what = (rung ? (*rung)->title : question.rungs.front()) + std::string(" with ") + what;
  }
  answer.reason =
      "no answer yet: run " + what + (group.problem.empty() ? "" : " at " + group.problem);
  return answer;
}

}  // namespace

Answer evaluate(const Question& question, const Lab& lab, const Run& run) {
  const RuleCode* rule = find_rule(question.rule);
  if (!rule) return unavailable("there is no rule '" + question.rule + "'");
  Group group = group_of(question, lab, run);
  if (group.candidates.size() < 2)
    return unavailable("fewer than two candidates can run here: " + left_out_text(group));
  if (!group.complete()) return not_yet(question, group, lab);
  std::vector<Scored> scored;
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    std::string reason;
    if (auto score = rule->score(group.candidates, i, run, &reason))
      scored.push_back({&group.candidates[i], *score});
    else if (!reason.empty())
      group.left_out[reason].push_back(group.candidates[i].label);
  }
  if (scored.size() < 2) return unavailable(left_out_text(group));
  Answer answer;
  answer.state = Answer::State::answered;
  for (const Scored& one : scored) answer.choices.push_back(choice_of(one));
  if (rule->pick == Pick::first_reaching)
    accept_first(scored, rule->rule.needs_threshold ? question.threshold : rule->threshold,
                 &answer.choices);
  else
    accept_extreme(scored, rule->pick == Pick::largest, &answer.choices);
  answer.is_open = is_left_open(answer.choices);
  answer.explanation = explain(question, group, answer.choices, rule->pick != Pick::smallest, run);
  return answer;
}

}  // namespace ridge::study
