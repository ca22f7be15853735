// What stands at the end of a tour: how near the predictions were, what may be claimed, and what comes next.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

/// How near the answers were, how many of them were judged, and why the others were not.
std::string score_text(const Teaching& teach);
/// Of Teaching::pages, those that each column has turned.
struct EndPages {
  int steps = 0, claims = 0;
};
/// Whether there is more of it below.
bool draw_end_card(Ui& ui, Area area, EndPages* pages);

}  // namespace ridge::window
