// The template of docs/study.md, held over every part of every lesson: its sections in their order, and how long it is.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "labs/lab.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::study;

namespace {

constexpr size_t kMostWordsOfAStep = 180, kMostWordsElsewhere = 60, kMostHints = 3;

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
  if (is_step) add(kWhy), add(kWhatLimits);
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

}  // namespace

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
  CHECK_FALSE(gives_away("Idea."));
  CHECK_FALSE(begins_section("Bold words"));
}
