// The figures of texts in the window: from the run that is shown, else from the recordings.
#pragma once

#include <string>

#include "app/window/shell/ui.h"
#include "common/view/figure/text.h"

namespace ridge::window {

/// The text with its figures; of a bad reference its error alone, for its author.
figure::Text figure_text(const State& state, const std::string& text, const std::string& where);
/// Whatever the figures of texts depend on: they are looked up again where this is another.
std::string figures_depend_on(const State& state);

/// As Ui::paragraph(); with figures in it, their intervals and sources show where it is hovered.
float figure_paragraph(Ui& ui, const Area& area, const std::string& text, float size, Role role,
                       Face face = Face::body, bool measure = false);

}  // namespace ridge::window
