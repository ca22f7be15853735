// Study cards: a question on the front, an answer on the back. assets/cards/<lab>.json holds a deck
// per lab (also for labs not built yet, then without rungs); docs/study.md describes the file.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::study {

struct Card {
  std::string id;                ///< unique over all decks: "gemm.why_profile"
  std::string lab;               ///< the file's: "gemm", "measuring"
  std::string front, back;       ///< a question; one to four sentences
  std::vector<std::string> see;  ///< terms of the glossary
  std::string rung;              ///< kernel id; may be empty
};

struct Deck {
  std::string lab, title;
  double place = 0;  ///< among the decks, smallest first: what to learn early comes first
  std::vector<Card> cards;
};

Result<Deck> parse_deck(const std::string& text, const std::string& where);
/// All decks of this build, by their places (then by name). The first bad file is the error.
Result<std::vector<Deck>> load_decks();

}  // namespace ridge::study
