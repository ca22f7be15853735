// What a learner did beside measuring, as notes of the session (notes.h), so that a run that is handed in carries it. The
// program writes them, and no person. Each holds the whole, since of one key the last counts: "studied cards gemm" is
// "8 known, 12 answered", "studied quiz gemm" is "3 right, 1 wrong".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/record/notes.h"

namespace ridge {

inline constexpr std::string_view kStudiedNote = "studied ";

enum class Studied { cards, quiz };

struct StudiedNote {
  Studied what = Studied::cards;
  std::string deck;  ///< a lab's id, or that of a deck without a lab: "measuring"
  int first = 0;     ///< cards known, or answers that were right
  int second = 0;    ///< cards answered, or answers that were wrong
};

/// Its key and its text.
std::pair<std::string, std::string> to_note(const StudiedNote& studied);
/// None where it is another note, or one that is not of this form.
std::optional<StudiedNote> studied_note(const std::string& key, const std::string& text);

}  // namespace ridge
