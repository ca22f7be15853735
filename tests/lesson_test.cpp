// The template of docs/study.md, held over every part of every lesson: its sections in their order, and how long it is.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/study/named_limits.h"
#include "app/study/tour.h"
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

namespace {

/// The different words of each sentence, lower-case; short ones say too little to be a repetition.
std::vector<std::set<std::string>> sentences_of(const std::string& written) {
  constexpr size_t kLeastWords = 5;
  static const std::regex figure(R"(\{\{[\s\S]*?\}\})");
  const std::string text = std::regex_replace(written, figure, " ");
  std::vector<std::set<std::string>> sentences(1);
  std::string word;
  for (const char c : text + " ") {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) word += static_cast<char>(std::tolower(letter));
    if (std::isalnum(letter) || c == '\'') continue;
    if (!word.empty()) sentences.back().insert(std::exchange(word, ""));
    if (std::string_view(".?!:;").find(c) != std::string_view::npos) sentences.emplace_back();
  }
  std::erase_if(sentences, [](const auto& words) { return words.size() < kLeastWords; });
  return sentences;
}

/// More than three quarters of the shorter one's words are the longer one's too.
bool say_the_same(const std::set<std::string>& one, const std::set<std::string>& other) {
  const auto shared = std::count_if(one.begin(), one.end(),
                                    [&](const std::string& word) { return other.contains(word); });
  return 4 * size_t(shared) > 3 * std::min(one.size(), other.size());
}

/// What a step's Explain shows of a rung's lesson beside the step's own words.
std::string explained_of(const LessonPart& part) {
  std::istringstream paragraphs(part.text);
  std::string shown, section;
  for (std::string line; std::getline(paragraphs, line);) {
    if (line.starts_with("**")) section = line.substr(2, line.find("**", 2) - 2);
    if (line.starts_with(">") || line.starts_with("#")) section.clear();
    if (section == kWhy || section == kWhatLimits) shown += line + " ";
  }
  return shown;
}

}  // namespace

TEST_CASE("no sentence of a step is said twice on its canvas") {
  for (const std::string& id : tour_ids()) {
    const auto tour = load_tour(id);
    REQUIRE(tour.ok());
    for (const TourStep& step : tour->steps) {
      const auto words = sentences_of(step.words);
      auto beside = sentences_of(step.question);
      // A step about all of its bars, or of one rung twice, explains none of them.
      const bool is_of_all = step.ask == Ask::choice || step.ask == Ask::stage ||
                             step.kind == StepKind::side_by_side;
      const auto lesson = read_asset(find_lab(step.lab)->lesson);
      for (const LessonPart& part : lesson_parts(lesson ? *lesson : "")) {
        if (is_of_all || part.kernel != step.rungs.back()) continue;
        for (const auto& one : sentences_of(explained_of(part))) beside.push_back(one);
      }
      INFO(id << ": " << step.words);
      for (const auto& one : words) {
        for (const auto& other : beside) {
          INFO(joined({other.begin(), other.end()}));
          CHECK_FALSE(say_the_same(one, other));
        }
      }
    }
  }
}

TEST_CASE(
    "the causes that a lesson's sentence on the limit names; a denial and an outlook name none") {
  const auto named = [](const char* text) { return limits_named(text); };
  using Causes = std::vector<Bottleneck>;
  CHECK(named("The FMA units of one core.") == Causes{Bottleneck::compute});
  CHECK(named("*Latency*, the time from a load to its data.") ==
        Causes{Bottleneck::memory_bandwidth, Bottleneck::latency});
  CHECK(named("One chain of additions: arithmetic, not memory.") ==
        Causes{Bottleneck::compute, Bottleneck::latency});
  CHECK(named("No longer the L3. What the next rung removes are the loads of C.").empty());
  CHECK(named("The wiring: six random bits often say little.").empty());
  CHECK(named("The number of multiply-adds.") == Causes{Bottleneck::compute});
  CHECK(named("Loading on all cores.") ==
        Causes{Bottleneck::memory_bandwidth, Bottleneck::input_pipeline});
}
