// The numbers of the model that the learner describes, above the views that are about it.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

inline constexpr float kModelBar_px = 76;  ///< its height at scale 1

/// Beside the numbers: prefill or decode.
void draw_phase_bar(Ui& ui, Area area);
/// Beside the numbers: CPU or GPU.
void draw_processor_bar(Ui& ui, Area area);

}  // namespace ridge::window
