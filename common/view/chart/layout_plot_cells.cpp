// A heatmap's cells, and the scale that says what their shades mean.
#include <algorithm>
#include <cmath>

#include "common/view/chart/plot_layout.h"
#include "common/view/chart/ramp.h"

namespace ridge::chart::parts {

void PlotPage::draw_cells() {
  for (const Cell& cell : plot_.cells) draw_cell(cell);
}

void PlotPage::draw_cell(const Cell& cell) {
  Point a = {x_.px(cell.x.low), y_.px(cell.y.high)}, b = {x_.px(cell.x.high), y_.px(cell.y.low)};
  if (!(b.x - a.x > 2 && b.y - a.y > 2)) return;  // outside of what is looked at
  a = {a.x + 1, a.y + 1}, b = {b.x - 1, b.y - 1};
  const bool has_value = cell.value && std::isfinite(*cell.value);
  const int step = has_value ? ramp_step(plot_.shade, *cell.value) : -1;
  Primitive rect{.a = a, .b = b, .role = Role::muted};
  rect.shade = step;
  rect.radius_px = 2;
  const bool is_grey = !has_value && cell.reason.empty();
  if (is_grey) rect.alpha = 0.12f;
  if (!has_value && !is_grey) rect.filled = false, rect.alpha = 0.5f;
  scene_.primitives.push_back(rect);
  const std::string& text = has_value ? cell.label : cell.reason;
  const TextFit fit = frame_.fit(frame_.small, has_value, cell.strong);
  const float px = fit(text), middle = (a.y + b.y) / 2;
  const bool fits = px <= b.x - a.x - 6 && frame_.small * 1.2f <= b.y - a.y - 2;
  if (fits && has_value) {
    add_text(&scene_, (a.x + b.x) / 2, middle, text, frame_.small, ramp_text(step), Anchor::middle,
             true, cell.strong);
  } else if (fits && !text.empty()) {
    add_label({(a.x + b.x - px) / 2, middle}, text, Role::muted, false);
  }
  if (cell.strong) {
    Primitive ring{.a = {a.x + 1, a.y + 1}, .b = {b.x - 1, b.y - 1}};
    ring.role = has_value ? ramp_text(step) : Role::text;
    ring.filled = false;
    ring.size_px = 2 * stroke_;
    scene_.primitives.push_back(ring);
  }
  scene_.hits.push_back({.a = a,
                         .b = b,
                         .row = cell.row,
                         .panel = 0,
                         .note = cell.note,
                         .value_text = cell.value_text});
}

/// The ramp between its lowest and highest value, from `y` down; returns the height it takes. Draws
/// nothing where `scene` is null.
float PlotPage::draw_scale(Scene* scene, float y) const {
  const bool any = std::any_of(plot_.cells.begin(), plot_.cells.end(),
                               [](const Cell& cell) { return cell.value.has_value(); });
  if (!any) return 0;
  const float pitch = frame_.small * 1.7f;
  if (!scene) return pitch;
  const TextFit small = frame_.fit(frame_.small), mono = frame_.fit(frame_.tick(), true);
  const Axis& shade = plot_.shade;
  // Of one value there is no scale: its cell's shade, and the value.
  const bool is_one = !(shade.low < shade.high);
  const std::string low = is_one ? "" : axis_text(shade, shade.low),
                    high = axis_text(shade, shade.high);
  const float gap = frame_.font * 0.5f, middle = y + pitch / 2;
  const float room = scene->width - 2 * frame_.pad - mono(low) - mono(high) - 4 * gap;
  const float width = is_one ? frame_.font * 2 : std::min(room * 0.5f, frame_.font * 16);
  float x = frame_.pad;
  add_text(scene, x, middle, low, mono.size_px, Role::muted, Anchor::start, true);
  x += low.empty() ? 0 : mono(low) + gap;
  const int steps = is_one ? 1 : kRampSteps;
  for (int step = 0; step < steps; ++step) {
    const float part = width / static_cast<float>(steps);
    const float from = x + part * static_cast<float>(step);
    Primitive rect{.a = {from, middle - frame_.small * 0.5f},
                   .b = {from + part, middle + frame_.small * 0.5f}};
    rect.shade = is_one ? ramp_step(shade, shade.high) : step;
    scene->primitives.push_back(rect);
  }
  x += width + gap;
  add_text(scene, x, middle, high, mono.size_px, Role::muted, Anchor::start, true);
  x += mono(high) + 2 * gap;
  const std::string title = shade.title + (shade.scale == Scale::log ? " (log)" : "");
  add_text(scene, x, middle, small.elide(title, scene->width - frame_.pad - x), small.size_px,
           Role::muted);
  return pitch;
}

}  // namespace ridge::chart::parts
