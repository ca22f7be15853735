// Figures of a model's parts, a bar each: planes of one row whose cells all have a label. And where its
// activations are cut off.
#include <algorithm>

#include "app/window/inspect/inspect_draw.h"

namespace ridge::window {
namespace {

constexpr float kMeasureHead = 26, kMeasureLine = 22, kMeasureBar = 150;

/// Of the model, then of the input.
std::vector<const InspectionPlane*> measures_of(const Looks& looks) {
  std::vector<const InspectionPlane*> found;
  for (const Inspection* look : {looks.model, looks.input}) {
    for (size_t i = 0; look && i < look->planes.size(); ++i)
      if (is_measure(look->planes[i])) found.push_back(&look->planes[i]);
  }
  return found;
}

/// The clipping points as they stand in the picture, from left to right.
std::string clips_text(const InspectionPlane& plane) {
  std::vector<PlaneMark> marks = plane.marks;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const PlaneMark& a, const PlaneMark& b) { return a.cell < b.cell; });
  std::string text;
  for (const PlaneMark& mark : marks) text += (text.empty() ? "" : " · ") + mark.label;
  return text;
}

}  // namespace

void draw_clips(Ui& ui, const Area& picture, const InspectionPlane& plane, float line) {
  for (const bool chosen : {false, true}) {
    for (const PlaneMark& mark : plane.marks) {
      if ((mark.value != 0) != chosen) continue;
      const Area cell = cell_area(picture, plane.rows, plane.columns, mark.cell);
      ui.fill({cell.x + cell.w / 2, picture.y, ui.px(chosen ? 2 : 1), picture.h},
              ui.color(chosen ? Role::series1 : Role::muted));
    }
  }
  ui.text(picture.x, picture.bottom() + 1.35f * line, clips_text(plane), kTiny_px, Role::text,
          Face::body, Anchor::start, picture.w);
}

bool is_measure(const InspectionPlane& plane) {
  return plane.rows == 1 && !plane.marks.empty() && plane.marks.size() == plane.values.size();
}

float measures_height(const Ui& ui, const Looks& looks) {
  float height = 0;
  for (const InspectionPlane* plane : measures_of(looks))
    height += kMeasureHead + kMeasureLine * static_cast<float>(plane->marks.size());
  return ui.px(height);
}

float measures_width(Ui& ui, const Looks& looks) {
  float widest = 0;
  for (const InspectionPlane* plane : measures_of(looks)) {
    for (const PlaneMark& mark : plane->marks)
      widest = std::max(widest, ui.width(mark.label, kTiny_px));
  }
  return widest + ui.px(kMeasureBar + 10);
}

namespace {

void draw_measure(Ui& ui, Area* area, const InspectionPlane& plane) {
  const Area head = area->take_top(ui.px(kMeasureHead));
  ui.text(head.x, head.middle(), plane.name, kSmall_px, Role::text, Face::strong, Anchor::start,
          head.w);
  if (ui.touch("measure:" + plane.group, head).hovered) ui.tooltip(plane.name + ": " + plane.unit);
  for (size_t i = 0; i < plane.marks.size(); ++i) {
    const bool chosen = plane.marks[i].value != 0;
    Area line = area->take_top(ui.px(kMeasureLine));
    Area bar =
        line.take_left(std::min(ui.px(kMeasureBar), line.w * 0.4f), ui.px(10)).inset(0, ui.px(5));
    ui.fill(bar, ui.raised(1));
    const float share = static_cast<float>(plane.values[i] - plane.low) /
                        static_cast<float>(plane.high - plane.low);
    bar.w *= std::clamp(share, 0.0f, 1.0f);
    ui.fill(bar, ui.color(chosen ? Role::series1 : Role::series0));
    ui.text(line.x, line.middle(), plane.marks[i].label, kTiny_px,
            chosen ? Role::text : Role::muted, Face::body, Anchor::start, line.w);
  }
}

}  // namespace

void draw_measures(Ui& ui, Area area, const Looks& looks) {
  for (const InspectionPlane* plane : measures_of(looks)) draw_measure(ui, &area, *plane);
}

}  // namespace ridge::window
