// The verdict of a comparison, as a card.
#pragma once

#include <string>

#include "app/window/shell/ui.h"

namespace ridge::window {

/// The verdict in 40 px, the ratio with its interval, and why. `where`: the machine of a recording.
void draw_verdict(Ui& ui, Area area, const Run& run, const Comparison& comparison,
                  const std::string& where);

/// A verdict in words, for a place of another shape.
struct VerdictWords {
  std::string headline;  ///< "1.4× faster"
  Role role = Role::text;
  int arrow = 0;  ///< 1 up, -1 down, 0 none
  std::string title, evidence, reason;
};
VerdictWords verdict_words(const State& state, const Run& run, const Comparison& comparison);

/// The verdict of selection against baseline, or what is missing for one.
struct VerdictCard {
  void draw(Ui& ui, Area area);
};

}  // namespace ridge::window
