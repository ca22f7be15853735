// The panels of teaching: the card and the question in hand, the prediction, the tour.
#pragma once

#include <string>
#include <vector>

#include "app/window/shell/screens.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

/// The card in hand: its front, and once turned its back, with where to read on.
void draw_card(Ui& ui, Area area);
/// The question in hand: what may be chosen, or what to run first; after the choice, what was measured.
void draw_quiz(Ui& ui, Area area);

/// Terms of the glossary as small buttons in rows, named "see:<term>"; takes its height from `rest`.
void draw_terms(Ui& ui, Area* rest, const std::vector<std::string>& terms);
/// The first letter made large, for a reason that becomes a sentence.
std::string sentence_of(std::string text);

// ---- predict ------------------------------------------------------------------------------------
// The place where an expectation is typed or dragged, and where it is revealed afterwards.

struct PredictBar {
  /// 0 where there is nothing to predict and nothing was.
  float height(const Ui& ui) const;
  void draw(Ui& ui, Area area) const;

 private:
  void draw_field(Ui& ui, Area area) const;
  void draw_slider(Ui& ui, const Area& area) const;
};

// ---- a tour in the lab --------------------------------------------------------------------------
// A tour in the lab: its question or words with the clock, and the list from which one is chosen.

struct TourBar {
  /// 0 while no tour is on.
  float height(Ui& ui, float width) const;
  void draw(Ui& ui, Area area) const;
};

/// The list behind J.
void draw_tours(Ui& ui);

}  // namespace ridge::window
