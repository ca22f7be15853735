#include "common/record/studied_note.h"

#include <fmt/format.h>

#include <cstdio>

namespace ridge {
namespace {

constexpr std::string_view kCards = "cards ", kQuiz = "quiz ";

}  // namespace

std::pair<std::string, std::string> to_note(const StudiedNote& studied) {
  const bool is_cards = studied.what == Studied::cards;
  return {fmt::format("{}{}{}", kStudiedNote, is_cards ? kCards : kQuiz, studied.deck),
          fmt::format("{} {}, {} {}", studied.first, is_cards ? "known" : "right", studied.second,
                      is_cards ? "answered" : "wrong")};
}

std::optional<StudiedNote> studied_note(const std::string& key, const std::string& text) {
  std::string_view rest = key;
  if (!rest.starts_with(kStudiedNote)) return std::nullopt;
  rest.remove_prefix(kStudiedNote.size());
  StudiedNote studied;
  studied.what = rest.starts_with(kQuiz) ? Studied::quiz : Studied::cards;
  const std::string_view kind = studied.what == Studied::quiz ? kQuiz : kCards;
  if (!rest.starts_with(kind)) return std::nullopt;
  studied.deck = rest.substr(kind.size());
  if (std::sscanf(text.c_str(), "%9d %*[a-z], %9d", &studied.first, &studied.second) != 2)
    return std::nullopt;
  // What it would write itself, and nothing else: a text that a person changed says nothing.
  const bool is_own = to_note(studied).second == text && studied.first >= 0 && studied.second >= 0;
  return is_own && !studied.deck.empty() ? std::optional(studied) : std::nullopt;
}

}  // namespace ridge
