#include "app/window/views/chart_view.h"

#include <algorithm>
#include <utility>

#include "app/window/views/chart_draw.h"

namespace ridge::window {
namespace {

// A compact chart's text; where all of it does not fit, it may be smaller before it scrolls.
constexpr float kFont_px = 15, kCompactFonts_px[] = {16, 15, 14};
constexpr float kScrollbar = 12;
// Less than this between head and foot is not worth keeping them in place for.
constexpr float kLeastBody = 130;

bool has_b(const chart::Primitive& p) {
  return p.kind == chart::Primitive::Kind::rect || p.kind == chart::Primitive::Kind::line;
}

}  // namespace

void ChartView::set(chart::ChartModel model, std::vector<std::string> row_names) {
  if (model.id != model_.id) range_.reset(), value_text_.clear();
  model_ = std::move(model);
  row_names_ = std::move(row_names);
  fresh_ = true;
  if (range_) look_at(range_->x, range_->y);  // the axes may have moved
}

std::string ChartView::row_name(int row) const {
  const auto at = static_cast<size_t>(row);
  return at < row_names_.size() ? row_names_[at] : std::to_string(row);
}

bool ChartView::is_laid_out(Ui& ui, float width, float height) const {
  return !fresh_ && width_ == width && height_ == height && scale_ == ui.state.view.scale &&
         fonts_version_ == ui.fonts.version();
}

void ChartView::lay_out_once(Ui& ui, float width, float height, float font) {
  chart::LayoutOptions options;
  options.width = width;
  options.height = height;
  options.font_px = ui.px(font);
  options.text_width = text_width_of(ui.fonts);
  options.range = range_;
  scene_ = chart::layout(model_, options);
}

/// Height 0: as high as it needs.
void ChartView::lay_out(Ui& ui, float width, float height) {
  if (is_laid_out(ui, width, height)) return;
  fresh_ = false;
  width_ = width, height_ = height, scale_ = ui.state.view.scale;
  fonts_version_ = ui.fonts.version();
  if (!is_compact_) {
    lay_out_once(ui, width, height, kFont_px);
    if (height > 0 && scene_.height > height + 1)
      lay_out_once(ui, width - ui.px(kScrollbar), 0, kFont_px);
    return;
  }
  for (const float font : kCompactFonts_px) {
    lay_out_once(ui, width, height, font);
    if (scene_.height <= height + 1) return;
  }
  lay_out_once(ui, width - ui.px(kScrollbar), height, kCompactFonts_px[2]);
}

float ChartView::height(Ui& ui, float width) {
  lay_out(ui, width, 0);
  return scene_.height;
}

/// The part of the scene from `top` on, in `area`; of many rows only those that are seen are drawn.
void ChartView::draw_part(Ui& ui, const Area& area, float top) const {
  chart::Scene seen;
  const float slack = ui.px(24);
  for (const chart::Primitive& p : scene_.primitives) {
    const float upper = has_b(p) ? std::min(p.a.y, p.b.y) : p.a.y;
    const float lower = has_b(p) ? std::max(p.a.y, p.b.y) : p.a.y;
    // A slanted text reaches as far from its start as it is long.
    const float reach = p.angle != 0 ? scene_.width : slack;
    if (lower >= top - reach && upper <= top + area.h + reach) seen.primitives.push_back(p);
  }
  ui.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  draw_scene(ui, seen, area.x, area.y - top);
  ui.list->PopClipRect();
}

/// Places of rows, cells and headings by name; (x, y) is where the scene begins on the screen.
void ChartView::name_places(Ui& ui, const std::string& name, float x, float y) const {
  for (const chart::Hit& hit : scene_.hits) {
    const Area at = {x + hit.a.x, y + hit.a.y, hit.b.x - hit.a.x, hit.b.y - hit.a.y};
    if (hit.row < 0) {
      if (hit.panel >= 0 && hit.note.empty())
        ui.widgets["heading:" + std::to_string(hit.panel)] = at;
      continue;
    }
    const std::string row = name + ":" + row_name(hit.row);
    ui.widgets[row + ":" + std::to_string(hit.panel)] = at;
    if (hit.panel <= 0) ui.widgets[row] = at;
  }
}

void ChartView::scroll_to_wanted(float top, float height) {
  if (followed_ == wanted_row_) return;
  followed_ = wanted_row_;
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.panel != -1 || hit.row < 0 || row_name(hit.row) != followed_) continue;
    const float at = hit.a.y - top, now = ImGui::GetScrollY();
    if (at < now || hit.b.y - top > now + height) ImGui::SetScrollY(at - height / 2);
  }
}

/// Rows longer than their place scroll between the headings and the axes.
int ChartView::draw_scrolled(Ui& ui, const std::string& name, Area inner) {
  float head = scene_.body_top, foot = scene_.height - scene_.body_bottom;
  if (inner.h - head - foot < ui.px(kLeastBody)) head = foot = 0;  // all of it scrolls
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (head > 0) {
    const Area top = inner.take_top(head);
    draw_part(ui, top, 0);
    const auto touched = ui.touch(name + "_head", top);
    take_mouse(ui, name, top, 0, {mouse.x - top.x, mouse.y - top.y, touched});
  }
  if (foot > 0) draw_part(ui, inner.take_bottom(foot), scene_.body_bottom);
  const float length = scene_.height - head - foot;
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  compat::begin_child(("scroll " + name).c_str(), inner.w, inner.h, true);
  scroll_to_wanted(head, inner.h);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const auto touched = ui.touch(name, {origin.x, origin.y, scene_.width, length});
  const Area seen = {origin.x, inner.y, scene_.width, inner.h};
  const float top = head + inner.y - origin.y;
  draw_part(ui, seen, top);
  name_places(ui, name, origin.x, origin.y - head);
  const int row = take_mouse(ui, name, seen, top,
                             {mouse.x - origin.x, mouse.y - origin.y + head, touched, true});
  ImGui::EndChild();
  ui.list = outer;
  return row;
}

int ChartView::draw(Ui& ui, const std::string& name, const Area& area) {
  place_ = area;
  hovered_ = false;
  reading_x_.reset();
  if (shows_table_) {
    draw_table(ui, name, area);
    return -1;
  }
  lay_out(ui, area.w, area.h);
  return scene_.height > area.h + 1 ? draw_scrolled(ui, name, area) : draw_in_page(ui, name, area);
}

int ChartView::draw_in_page(Ui& ui, const std::string& name, const Area& area) {
  const bool in_page = area.h != height_;  // laid out to the place it fills, or as high as it needs
  place_ = area;
  hovered_ = false;
  reading_x_.reset();
  if (shows_table_) {
    draw_table(ui, name, area);
    return -1;
  }
  // Pressed before the chart under it can be.
  if (is_zoomed() && draw_fit(ui, name, area.x, area.y, true)) fit();
  const auto touched = ui.touch(name, area);
  lay_out(ui, width_, height_);
  draw_part(ui, area, 0);
  if (is_zoomed()) draw_fit(ui, name, area.x, area.y, false);
  name_places(ui, name, area.x, area.y);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return take_mouse(ui, name, area, 0, {mouse.x - area.x, mouse.y - area.y, touched, in_page});
}

}  // namespace ridge::window
