// Study cards: a question on the front, an answer on the back. assets/cards/<lab>.json holds a deck
// per lab (also for labs not built yet, then without rungs); docs/study.md describes the file.
#pragma once

#include <cstdint>
#include <map>
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

// ---- what is known of them ---------------------------------------------------------------------
// What a learner knows by now: Leitner's boxes for the cards (S. Leitner, So lernt man lernen, 1972) and
// the answers given in the quiz. One small JSON file; docs/study.md describes it.

/// A card known when it is due goes one box up, any card not known goes back to the first. A box is asked
/// again after 1, 2, 4, 8, 16 days; the first at once if the card was not known.
inline constexpr int kBoxes = 5;

struct CardProgress {
  int box = 0;  ///< 0: never answered; 1 to kBoxes
  int knew = 0, again = 0;
  int64_t answered_s = 0;  ///< seconds since 1970, UTC
  int64_t due_s = 0;
};

struct QuizProgress {
  int right = 0, wrong = 0;
};

struct Progress {
  std::map<std::string, CardProgress> cards;      ///< by the card's id
  std::map<std::string, QuizProgress> questions;  ///< by the question's id
};

bool is_due(const Progress& progress, const Card& card, int64_t now_s);
/// The due card that was answered longest ago, new ones first, in the deck's order; null: none is due.
/// With `any`, of all cards.
const Card* next_card(const Deck& deck, const Progress& progress, int64_t now_s, bool any = false);
void answer(Progress& progress, const Card& card, bool knew, int64_t now_s);

struct DeckProgress {
  int cards = 0, answered = 0, due = 0;
  int known = 0;           ///< in the second box or above
  int64_t next_due_s = 0;  ///< of the card that is due next; 0: the deck has none
};
DeckProgress deck_progress(const Deck& deck, const Progress& progress, int64_t now_s);

std::string progress_json(const Progress& progress);
Result<Progress> parse_progress(const std::string& text, const std::string& where);
/// A missing file is an empty progress, a damaged one an error.
Result<Progress> load_progress(const std::string& path);
/// For people: decks with their boxes, the quiz with its answers.
std::string progress_markdown(const std::vector<Deck>& decks, const Progress& progress,
                              int64_t now_s);

}  // namespace ridge::study
