// Reading assets/quiz/<lab>.json.
#include "app/study/quiz.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/study/fields.h"
#include "app/study/quiz_parts.h"

namespace ridge::study {
namespace {

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

}  // namespace ridge::study
