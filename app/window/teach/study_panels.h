// The parts of the study screen, one file each.
#pragma once

#include <string>
#include <vector>

#include "app/window/shell/screens.h"

namespace ridge::window {

/// The card in hand: its front, and once turned its back, with where to read on.
void draw_card(Ui& ui, Area area);
/// The question in hand: what may be chosen, or what to run first; after the choice, what was measured.
void draw_quiz(Ui& ui, Area area);

/// Terms of the glossary as small buttons in rows, named "see:<term>"; takes its height from `rest`.
void draw_terms(Ui& ui, Area* rest, const std::vector<std::string>& terms);
/// The first letter made large, for a reason that becomes a sentence.
std::string sentence_of(std::string text);

}  // namespace ridge::window
