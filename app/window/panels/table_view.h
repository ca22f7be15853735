// A table of texts in a place that scrolls: of a report's section, behind a chart.
#pragma once

#include <string>
#include <vector>

#include "app/window/shell/screens.h"

namespace ridge::window {

/// Columns as wide as their longest cell asks for, shrunk alike where that is too much; cells wrap. An
/// "unavailable" takes the empty cells behind it.
void draw_table(Ui& ui, Scroll* page, const std::vector<std::string>& columns,
                const std::vector<std::vector<std::string>>& rows);

}  // namespace ridge::window
