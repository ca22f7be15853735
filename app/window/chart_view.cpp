#include "app/window/chart_view.h"

#include <algorithm>
#include <utility>

#include "app/window/chart_draw.h"

namespace ridge::window {
namespace {

constexpr float kFont_px = 15, kScrollbar = 12, kLeastBody = 130;

float top_of(const chart::Primitive& p) {
  return std::min(p.a.y,
                  p.kind == chart::Primitive::Kind::rect || p.kind == chart::Primitive::Kind::line
                      ? p.b.y
                      : p.a.y);
}

float bottom_of(const chart::Primitive& p) {
  return std::max(p.a.y,
                  p.kind == chart::Primitive::Kind::rect || p.kind == chart::Primitive::Kind::line
                      ? p.b.y
                      : p.a.y);
}

}  // namespace

void ChartView::set(chart::ChartModel model) {
  model_ = std::move(model);
  fresh_ = true;
}

void ChartView::lay_out(Ui& ui, float width, float height) {
  const float font_px = ui.px(kFont_px);
  if (!fresh_ && width_ == width && height_ == height && font_px_ == font_px &&
      fonts_version_ == ui.fonts.version()) {
    return;
  }
  fresh_ = false;
  width_ = width, height_ = height, font_px_ = font_px, fonts_version_ = ui.fonts.version();
  chart::LayoutOptions options;
  options.width = width;
  options.height = height;
  options.font_px = font_px;
  options.text_width = text_width_of(ui.fonts);
  scene_ = chart::layout(model_, options);
}

float ChartView::height(Ui& ui, float width) {
  lay_out(ui, width, 0);
  return scene_.height;
}

/// Of many rows only those that are seen go into the draw list.
void ChartView::draw_part(Ui& ui, const Area& area, float top) const {
  chart::Scene seen;
  const float slack = ui.px(24);
  for (const chart::Primitive& p : scene_.primitives) {
    if (bottom_of(p) < top - slack || top_of(p) > top + area.h + slack) continue;
    seen.primitives.push_back(p);
  }
  ui.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  draw_scene(ui, seen, area.x, area.y - top);
  ui.list->PopClipRect();
}

int ChartView::take_mouse(Ui& ui, const std::string& name, float x, float y, bool hovered,
                          bool clicked) {
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.row < 0 || hit.panel > 0) continue;
    ui.widgets[name + ":" + std::to_string(hit.row)] = {x + hit.a.x, y + hit.a.y, hit.b.x - hit.a.x,
                                                        hit.b.y - hit.a.y};
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const chart::Hit* hit = hovered ? hit_at(scene_, mouse.x - x, mouse.y - y) : nullptr;
  if (!hit) return -1;
  ui.tooltip(hit->value_text + (hit->value_text.empty() || hit->note.empty() ? "" : "\n") +
             hit->note);
  return clicked ? hit->row : -1;
}

int ChartView::draw(Ui& ui, const std::string& name, const Area& area) {
  lay_out(ui, area.w, area.h);
  if (scene_.height <= area.h + 1) {
    const auto touched = ui.touch(name, area);
    draw_part(ui, area, 0);
    return take_mouse(ui, name, area.x, area.y, touched.hovered, touched.clicked);
  }
  lay_out(ui, area.w - ui.px(kScrollbar), 0);
  Area inner = area;
  float head = scene_.body_top, foot = scene_.height - scene_.body_bottom;
  if (inner.h - head - foot < ui.px(kLeastBody)) head = foot = 0;  // all of it scrolls
  if (head > 0) draw_part(ui, inner.take_top(head), 0);
  if (foot > 0) draw_part(ui, inner.take_bottom(foot), scene_.body_bottom);
  const float length = scene_.height - head - foot;
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  compat::begin_child(("scroll " + name).c_str(), inner.w, inner.h, true);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const auto touched = ui.touch(name, {origin.x, origin.y, scene_.width, length});
  draw_part(ui, {origin.x, inner.y, scene_.width, inner.h}, head + inner.y - origin.y);
  const int row = take_mouse(ui, name, origin.x, origin.y - head, touched.hovered, touched.clicked);
  ImGui::EndChild();
  ui.list = outer;
  return row;
}

int ChartView::draw_in_page(Ui& ui, const std::string& name, const Area& area) {
  const auto touched = ui.touch(name, area);
  draw_part(ui, area, 0);
  return take_mouse(ui, name, area.x, area.y, touched.hovered, touched.clicked);
}

}  // namespace ridge::window
