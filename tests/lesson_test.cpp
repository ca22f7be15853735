// The template of docs/study.md, held over every part of every lesson: its sections in their order, and how long it is.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "common/record/params.h"
#include "labs/lab.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::study;

namespace {

constexpr size_t kMostWordsOfAStep = 230, kMostWordsElsewhere = 60, kMostHints = 3;

/// What a reader has before them without opening anything: no fence, no quote, no figure, no target of a link.
std::string prose_of(const std::string& part) {
  static const std::regex figure(R"(\{\{[\s\S]*?\}\})"), target(R"(\]\(<[^>]*>\)|\]\([^)]*\))");
  std::istringstream lines(part);
  std::string prose;
  bool in_fence = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      in_fence = !in_fence;
    else if (!in_fence && !line.starts_with(">") && !line.starts_with("## "))
      prose += line + "\n";
  }
  return std::regex_replace(std::regex_replace(prose, figure, " "), target, " ");
}

size_t words_of(const std::string& prose) {
  std::istringstream words(prose);
  size_t count = 0;
  for (std::string word; words >> word;)
    count += std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c); });
  return count;
}

/// The sections without hints, and each once where several paragraphs begin alike.
std::vector<std::string> order_of(const LessonPart& part) {
  std::vector<std::string> order;
  for (const std::string& section : part.sections) {
    if (section != kHint) order.push_back(section);
  }
  return order;
}

std::vector<std::string> order_asked(const LessonPart& part, bool is_step) {
  const auto has = [&](std::string_view section) {
    return std::count(part.sections.begin(), part.sections.end(), section) > 0;
  };
  std::vector<std::string> asked;
  const auto add = [&](std::string_view section) { asked.emplace_back(section); };
  if (is_step) add(kWhereWeAre);
  add(kIdea);
  if (is_step) add(kPrediction), add(kRun);
  add(kWhatHappened);
  if (is_step) add(kWhy), add(has(kGuard) ? kGuard : kWhatLimits);
  if (has(kInTheCode)) add(kInTheCode);
  if (is_step && has(kOutside)) add(kOutside);
  add(kQuestion), add(kAnswer);
  return asked;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

void check_part(const LessonPart& part, const Rung& rung) {
  INFO(part.heading);
  const bool is_step = level_of(rung) == Level::kLearn;
  CHECK(joined(order_of(part)) == joined(order_asked(part, is_step)));
  const auto hints = std::count(part.sections.begin(), part.sections.end(), kHint);
  CHECK(size_t(hints) <= kMostHints);
  if (is_step) CHECK(hints >= 1);
  CHECK(words_of(prose_of(part.text)) <= (is_step ? kMostWordsOfAStep : kMostWordsElsewhere));
  CHECK(part.questions.size() == 1);
}

/// What stands between the first two stars of a link's label, where its rung's or view's name stands.
std::string name_in(const std::string& label) {
  const size_t from = label.find('*'), to = label.find('*', from + 1);
  return to == std::string::npos ? std::string() : label.substr(from + 1, to - from - 1);
}

void check_set(const Lab& lab, const std::string& assignments) {
  std::istringstream words(assignments);
  std::vector<std::string> each;
  for (std::string word; words >> word;) each.push_back(word);
  const auto params = parse_params(each);
  REQUIRE(params.ok());
  for (const auto& [name, value] : *params) {
    INFO(name);
    const auto shown = std::find_if(lab.params.begin(), lab.params.end(),
                                    [&](const ParamView& view) { return name == view.name; });
    REQUIRE(shown != lab.params.end());  // else nothing on the screen would show it
    CHECK(std::holds_alternative<std::string>(value) == shown->stops.empty());
  }
}

/// A comparison is with another rung of the lab, which the label calls by its name.
void check_compare(const Lab& lab, const LessonPart& part, const LessonLink& link) {
  const auto other = find_rung(lab, link.target);
  REQUIRE(other.ok());
  CHECK((*other)->kernel != part.kernel);
  REQUIRE_FALSE(name_in(link.label).empty());
  CHECK(std::string((*other)->title).find(name_in(link.label)) != std::string::npos);
}

}  // namespace

TEST_CASE("a lesson's link sets what its lab shows, and compares with a rung that it names") {
  size_t set = 0, compared = 0;
  for (const Lab* lab : all_labs()) {
    const auto text = read_asset(lab->lesson);
    REQUIRE(text.ok());
    for (const LessonPart& part : lesson_parts(*text)) {
      for (const LessonLink& link : part.links) {
        INFO(lab->lesson << ", " << part.heading << ": " << link.label << ": " << link.target);
        if (link.kind == LessonLink::Kind::set) check_set(*lab, link.target), ++set;
        if (link.kind == LessonLink::Kind::compare) check_compare(*lab, part, link), ++compared;
      }
    }
  }
  CHECK(set > 50);
  CHECK(compared > 100);
}

TEST_CASE("each part of a lesson has the template's sections, in their order, and is short") {
  for (const Lab* lab : all_labs()) {
    INFO(lab->lesson);
    std::set<std::string> told;
    const auto text = read_asset(lab->lesson);
    REQUIRE(text.ok());
    for (const LessonPart& part : lesson_parts(*text)) {
      if (part.kernel.empty()) continue;
      const auto rung = find_rung(*lab, part.kernel);
      REQUIRE(rung.ok());
      check_part(part, **rung);
      told.insert(part.kernel);
    }
    for (const Rung& rung : lab->rungs) {
      INFO(rung.kernel);
      CHECK(told.contains(rung.kernel));
    }
  }
}

TEST_CASE("sections, and which of them give a result away") {
  const auto parts = lesson_parts(
      "## gemm.cpu.x · x\n\n**Idea.** One.\n\n> **Your prediction.** How long?\n\n> **Hint.** "
      "Two.\n\n"
      "**What happened.** Three.\n\n**Bold words** that begin nothing.\n");
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].sections ==
        std::vector<std::string>{"Idea.", "Your prediction.", "Hint.", "What happened."});
  CHECK(gives_away("Why."));
  CHECK(gives_away("What limits it now."));
  CHECK(gives_away("The guard."));
  CHECK_FALSE(gives_away("Idea."));
  CHECK_FALSE(begins_section("Bold words"));
}
