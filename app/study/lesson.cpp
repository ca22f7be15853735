#include "app/study/lesson.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

namespace ridge::study {
namespace {

using Kind = LessonLink::Kind;

constexpr struct {
  std::string_view scheme;
  Kind kind;
} kSchemes[] = {{"code:", Kind::code},
                {"set:", Kind::set},
                {"view:", Kind::view},
                {"compare:", Kind::compare},
                {"do:", Kind::act}};

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Markdown's backslash escapes undone: a target writes < as \<.
std::string unescaped(std::string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        std::ispunct(static_cast<unsigned char>(text[i + 1])) != 0;
    made += text[escape ? ++i : i];
  }
  return made;
}

std::vector<LessonLink> links_of(std::string_view text) {
  std::vector<LessonLink> links;
  constexpr std::string_view opening = "](<";
  for (size_t at = 0; (at = text.find(opening, at)) != std::string_view::npos;) {
    const size_t label = text.rfind('[', at);
    size_t end = at + opening.size();
    while (end < text.size() && (text[end] != '>' || text[end - 1] == '\\')) ++end;
    const size_t from = at + opening.size();
    auto link = lesson_link(unescaped(text.substr(from, end - from)));
    if (link && label != std::string_view::npos) {
      link->label = text.substr(label + 1, at - label - 1);
      links.push_back(*std::move(link));
    }
    at = end;
  }
  return links;
}

/// "> **Question.** rest" at the start of a quote; false for another quote.
bool opens(std::string_view quote, std::string_view word, std::string* rest) {
  const std::string mark = "**" + std::string(word) + "**";
  if (!quote.starts_with(mark)) return false;
  quote.remove_prefix(mark.size());
  while (!quote.empty() && is_space(quote.front())) quote.remove_prefix(1);
  *rest = quote;
  return true;
}

/// The bold words that begin a paragraph or a quote.
std::vector<std::string> sections_of(const std::string& text) {
  std::vector<std::string> sections;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = line;
    if (rest.starts_with("> ")) rest.remove_prefix(2);
    if (!rest.starts_with("**")) continue;
    rest.remove_prefix(2);
    const std::string_view lead = rest.substr(0, rest.find("**"));
    if (begins_section(lead)) sections.emplace_back(lead);
  }
  return sections;
}

std::vector<LessonQuestion> questions_of(const std::string& text) {
  std::vector<std::string> quotes;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool quoted = line.starts_with(">");
    if (quoted && !inside) quotes.emplace_back();
    inside = quoted;
    if (!quoted) continue;
    line.erase(0, line.starts_with("> ") ? 2 : 1);
    quotes.back() += (quotes.back().empty() ? "" : "\n") + line;
  }
  std::vector<LessonQuestion> questions;
  for (size_t i = 0; i + 1 < quotes.size(); ++i) {
    LessonQuestion found;
    if (opens(quotes[i], kQuestion, &found.question) &&
        opens(quotes[i + 1], kAnswer, &found.answer))
      questions.push_back(found);
  }
  return questions;
}

}  // namespace

bool says_limit(std::string_view lead) {
  return lead == kWhatLimits || lead == kGuard;
}

bool gives_away(std::string_view lead) {
  // "Outcome" begins it in the lessons that do not have these sections yet.
  return lead == kWhatHappened || lead == kWhy || says_limit(lead) ||
         lead.starts_with("Outcome");
}

bool begins_section(std::string_view lead) {
  constexpr std::string_view kOthers[] = {kWhereWeAre, kIdea,    kPrediction, kHint,  kRun,
                                          kInTheCode,  kOutside, kQuestion,   kAnswer};
  return gives_away(lead) || std::count(std::begin(kOthers), std::end(kOthers), lead) > 0;
}

std::vector<LessonPart> lesson_parts(const std::string& markdown) {
  std::vector<LessonPart> parts(1);
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) {
      parts.emplace_back();
      parts.back().heading = line.substr(3);
      const std::string word = parts.back().heading.substr(0, parts.back().heading.find(' '));
      if (std::count(word.begin(), word.end(), '.') >= 2) parts.back().kernel = word;
    }
    parts.back().text += line + "\n";
  }
  for (LessonPart& part : parts) {
    part.sections = sections_of(part.text);
    part.questions = questions_of(part.text);
    part.links = links_of(part.text);
  }
  return parts;
}

std::optional<LessonLink> lesson_link(std::string_view target) {
  for (const auto& [scheme, kind] : kSchemes) {
    if (target.starts_with(scheme) && target.size() > scheme.size())
      return LessonLink{kind, std::string(target.substr(scheme.size()))};
  }
  return std::nullopt;
}

std::optional<int> anchor_line(std::string_view source, std::string_view anchor) {
  while (!anchor.empty() && is_space(anchor.front())) anchor.remove_prefix(1);
  while (!anchor.empty() && is_space(anchor.back())) anchor.remove_suffix(1);
  if (anchor.empty()) return std::nullopt;
  int line = 1;
  for (size_t at = 0; at < source.size(); ++at) {
    size_t s = at, a = 0;
    while (a < anchor.size() && s < source.size()) {
      if (is_space(anchor[a]) && is_space(source[s])) {
        while (a < anchor.size() && is_space(anchor[a])) ++a;
        while (s < source.size() && is_space(source[s])) ++s;
      } else if (anchor[a] == source[s]) {
        ++a, ++s;
      } else {
        break;
      }
    }
    if (a == anchor.size()) return line;
    line += source[at] == '\n';
  }
  return std::nullopt;
}

}  // namespace ridge::study
