// The window's renderer of chart scenes: the same primitives that common/view/chart/svg.cpp writes,
// drawn with ImDrawList.
#pragma once

#include "app/window/shell/ui.h"
#include "common/view/chart/model.h"

namespace ridge::window {

/// Widths in the window's own fonts, for chart::layout().
chart::TextWidth text_width_of(Fonts& fonts);

/// Draws a scene with its origin at (x, y), in the order of its primitives.
void draw_scene(Ui& ui, const chart::Scene& scene, float x, float y);

/// The hit under a point given in the scene's own pixels; the last drawn wins; null: none.
const chart::Hit* hit_at(const chart::Scene& scene, float x, float y);

/// What hovering it says: value and note; of a panel's heading, the metric that the panel shows.
std::string hit_text(const chart::Hit& hit, const chart::ChartModel& model);

}  // namespace ridge::window
