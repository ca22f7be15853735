// What the mouse does to a chart: it explains and selects, zooms at the cursor, pans, reads values off
// the axes, and opens the menu.
#include <algorithm>
#include <cmath>

#include "app/window/views/chart_draw.h"
#include "app/window/views/chart_view.h"

namespace ridge::window {
namespace {

constexpr double kNotch = 0.8;  // of the range is left by a notch of the wheel
constexpr float kDrag_px = 4;   // less is the hand's tremor in a click

const chart::Axis& axis_of(const chart::ChartModel& model, int panel) {
  return model.plot ? model.plot->x : model.panels[static_cast<size_t>(panel)].axis;
}

/// A value on the edge it belongs to.
void draw_reading(Ui& ui, float x, float y, const std::string& text, Anchor anchor,
                  const Area& inside) {
  const float w = ui.width(text, kTiny_px, Face::mono) + ui.px(10), h = ui.px(20);
  const float left = x - (anchor == Anchor::middle ? w / 2 : anchor == Anchor::end ? w : 0);
  const Area chip = {std::clamp(left, inside.x, std::max(inside.x, inside.right() - w)),
                     std::clamp(y - h / 2, inside.y, std::max(inside.y, inside.bottom() - h)), w,
                     h};
  ui.fill(chip, ui.raised(4), ui.px(3));
  ui.text(chip.x + w / 2, chip.middle(), text, kTiny_px, Role::text, Face::mono, Anchor::middle);
}

}  // namespace

void ChartView::fit() {
  range_.reset();
  fresh_ = true;
}

/// Never beyond what the chart holds; all of it is no zoom.
void ChartView::look_at(const Interval& x, const Interval& y) {
  if (!model_.plot) return fit();
  const chart::Axis &ax = model_.plot->x, &ay = model_.plot->y;
  const auto inside = [](const Interval& wanted, const chart::Axis& axis) {
    return chart::kept_inside(wanted, {axis.low, axis.high}, axis.scale == chart::Scale::log);
  };
  const auto is_all = [](const Interval& kept, const chart::Axis& axis) {
    return kept.low == axis.low && kept.high == axis.high;
  };
  fit();
  const chart::PlotRange kept = {inside(x, ax), inside(y, ay)};
  if (!is_all(kept.x, ax) || !is_all(kept.y, ay)) range_ = kept;
}

chart::Point ChartView::plot_low() const {
  return {scene_.x_axes.front().low_px, scene_.y_axis->low_px};
}

chart::Point ChartView::plot_high() const {
  return {scene_.x_axes.front().high_px, scene_.y_axis->high_px};
}

void ChartView::zoom_and_pan(Ui& ui, const Pointer& pointer) {
  if (!scene_.y_axis) return;
  const ImGuiIO& io = ImGui::GetIO();
  const chart::AxisPlace &x = scene_.x_axes.front(), &y = *scene_.y_axis;
  const bool in_x = x.holds(pointer.x), in_y = y.holds(pointer.y);
  Interval shown_x = {x.low, x.high}, shown_y = {y.low, y.high};
  if (pointer.touched.hovered && is_double_click_) {
    fit();
  } else if (pointer.touched.hovered && io.MouseWheel != 0 && (!pointer.in_page || io.KeyCtrl)) {
    // Below the plot is its x axis, beside it the y axis: there only that one.
    const double factor = std::pow(kNotch, io.MouseWheel);
    if (in_x) shown_x = x.zoomed(pointer.x, factor);
    if (in_y) shown_y = y.zoomed(pointer.y, factor);
    if (in_x || in_y) look_at(shown_x, shown_y);
  } else if (pointer.touched.held && is_zoomed() && was_dragged_) {
    look_at(x.panned(io.MouseDelta.x), y.panned(io.MouseDelta.y));
  } else {
    return;
  }
  ui.reads_again = true;
}

/// Which row and panel the button went down in, and where the mouse is on that panel's axis now.
void ChartView::take_hold(const Pointer& pointer) {
  if (!ImGui::IsMouseDown(0)) held_.reset();
  if (!pointer.touched.held) return;
  if (ImGui::IsMouseClicked(0)) {
    held_.reset();
    const int panel = panel_at(pointer.x);
    for (const chart::Hit& hit : scene_.hits) {
      const bool in_row =
          hit.panel == -1 && hit.row >= 0 && pointer.y >= hit.a.y && pointer.y < hit.b.y;
      if (in_row && panel >= 0)
        held_ = Held{hit.row, panel, scene_.x_axes[static_cast<size_t>(panel)]};
    }
  }
  if (!held_) return;
  held_->value = std::clamp(held_->axis.value(pointer.x), held_->axis.low, held_->axis.high);
  held_->is_dragged = was_dragged_;
}

/// The panel whose axis the mouse is over, else -1.
int ChartView::panel_at(float x) const {
  if (scene_.y_axis) return -1;
  for (size_t i = 0; i < scene_.x_axes.size(); ++i) {
    if (scene_.x_axes[i].holds(x)) return static_cast<int>(i);
  }
  return -1;
}

/// The button that leads back to all of it, over the plot's right end. It is asked before the chart is
/// and drawn after it.
bool ChartView::draw_fit(Ui& ui, const std::string& name, float x, float y, bool only_touch) const {
  if (!scene_.y_axis) return false;
  const chart::Point corner = plot_high();
  const float w = ui.px(52), h = ui.px(22);
  const Area place = {x + corner.x - w, y + corner.y - h - ui.px(4), w, h};
  if (only_touch) return ui.touch(name + ":fit", place).clicked;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool lit = mouse.x >= place.x && mouse.x < place.right() && mouse.y >= place.y &&
                   mouse.y < place.bottom();
  ui.fill(place, ui.raised(lit ? 4 : 3), ui.px(4));
  ui.text(place.x + w / 2, place.middle(), "Fit  0", kTiny_px + 1, Role::text, Face::body,
          Anchor::middle);
  return false;
}

/// Lines through the mouse, with what they stand for on the axes: of a plot both, of rows the panel's,
/// and a line along the row through all of its panels.
void ChartView::draw_crosshair(Ui& ui, const Area& seen, float top, const Pointer& pointer) {
  const ImU32 color = ui.color(Role::muted, 0.55f);
  const float x0 = seen.x, y0 = seen.y - top;
  const ImVec2 at = {std::floor(x0 + pointer.x) + 0.5f, std::floor(y0 + pointer.y) + 0.5f};
  if (scene_.y_axis) {
    const chart::AxisPlace &x = scene_.x_axes.front(), &y = *scene_.y_axis;
    if (!x.holds(pointer.x) || !y.holds(pointer.y) || !model_.plot->cells.empty()) return;
    const chart::Point low = plot_low(), high = plot_high();
    reading_x_ = x.value(pointer.x);
    const std::string x_text = chart::axis_text(model_.plot->x, *reading_x_);
    const std::string y_text = chart::axis_text(model_.plot->y, y.value(pointer.y));
    value_text_ = x_text + ", " + y_text;
    ui.list->AddLine({at.x, y0 + high.y}, {at.x, y0 + low.y}, color);
    ui.list->AddLine({x0 + low.x, at.y}, {x0 + high.x, at.y}, color);
    draw_reading(ui, at.x, y0 + low.y + ui.px(12), x_text, Anchor::middle, seen);
    draw_reading(ui, x0 + low.x - ui.px(2), at.y, y_text, Anchor::end, seen);
    return;
  }
  const int panel = panel_at(pointer.x);
  if (panel < 0 || pointer.y < scene_.body_top || pointer.y > scene_.body_bottom) return;
  if (model_.panels[static_cast<size_t>(panel)].marks.empty()) return;
  const double value = scene_.x_axes[static_cast<size_t>(panel)].value(pointer.x);
  if (panel == 0) reading_x_ = value;
  const float from = std::max(seen.y, y0 + scene_.body_top);
  const float to = std::min(seen.bottom(), y0 + scene_.body_bottom);
  ui.list->AddLine({at.x, from}, {at.x, to}, color);
  ui.list->AddLine({x0 + scene_.x_axes.front().low_px, at.y},
                   {x0 + scene_.x_axes.back().high_px, at.y}, ui.color(Role::muted, 0.25f));
  draw_reading(ui, at.x, to - ui.px(11), chart::axis_text(axis_of(model_, panel), value),
               Anchor::middle, seen);
  value_text_ = chart::axis_text(axis_of(model_, panel), value);
}

void ChartView::draw_link(Ui& ui, const Area& seen, float top) const {
  if (!linked_x_ || reading_x_ || scene_.x_axes.empty()) return;
  const chart::AxisPlace& axis = scene_.x_axes.front();
  const float x = axis.px(*linked_x_), y0 = seen.y - top;
  if (!axis.holds(x)) return;
  const float from = scene_.y_axis ? plot_high().y : scene_.body_top;
  const float to = scene_.y_axis ? plot_low().y : scene_.body_bottom;
  const float px = std::floor(seen.x + x) + 0.5f;
  ui.list->AddLine({px, std::max(seen.y, y0 + from)}, {px, std::min(seen.bottom(), y0 + to)},
                   ui.color(Role::muted, 0.55f));
}

/// Hovering explains, a click selects: returns the row clicked, else -1. The scene's pixel row `top`
/// stands at the upper edge of `seen`.
int ChartView::take_mouse(Ui& ui, const std::string& name, Area seen, float top,
                          const Pointer& pointer) {
  is_double_click_ = ImGui::IsMouseDoubleClicked(0) && !was_dragged_;  // two drags are none
  if (ImGui::IsMouseClicked(0)) was_dragged_ = false;
  if (ImGui::IsMouseDragging(0, kDrag_px)) was_dragged_ = true;
  const bool hovered = pointer.touched.hovered;
  hovered_ |= hovered;
  take_hold(pointer);
  zoom_and_pan(ui, pointer);
  draw_link(ui, seen, top);
  const bool quiet = is_quiet_ || (pointer.touched.held && was_dragged_);
  if (!hovered || quiet) return -1;
  const chart::Hit* hit = hit_at(scene_, pointer.x, pointer.y);
  draw_crosshair(ui, seen, top, pointer);
  if (hit && !hit->value_text.empty()) value_text_ = hit->value_text;
  if (ImGui::IsMouseClicked(1)) {
    ui.dispatch([x = seen.x + pointer.x, y = seen.y - top + pointer.y](State& state) {
      state.view.show_chart_menu = true;
      state.view.chart_menu_x = x, state.view.chart_menu_y = y;
    });
    ui.widgets[name + ":menu"] = seen;
  }
  if (!hit) return -1;
  ui.tooltip(hit_text(*hit, model_));
  return pointer.touched.clicked && !was_dragged_ ? hit->row : -1;
}

}  // namespace ridge::window
