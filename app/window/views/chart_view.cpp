#include "app/window/views/chart_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/export.h"
#include "app/window/views/chart_draw.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/table.h"

namespace ridge::window {
namespace {

// A compact chart's text; where all of it does not fit, it may be smaller before it scrolls.
constexpr float kFont_px = 15, kCompactFonts_px[] = {16, 15, 14};
constexpr float kRoomyFonts_px[] = {20, 18.5f, 17};
// In a place larger than this the text grows with it, so that a projector shows no more letters but larger ones.
constexpr float kRoom_w = 640, kRoom_h = 430, kMostGrowth = 1.2f;
constexpr float kScrollbar = 12;
// Less than this between head and foot is not worth keeping them in place for.
constexpr float kLeastBody = 90;

bool has_b(const chart::Primitive& p) {
  using Kind = chart::Primitive::Kind;
  return p.kind == Kind::rect || p.kind == Kind::line || p.kind == Kind::slab;
}

/// Height 0: as high as it needs.
float growth(const Ui& ui, float width, float height) {
  const float across = width / ui.px(kRoom_w);
  const float room = height > 0 ? std::min(across, height / ui.px(kRoom_h)) : across;
  return std::clamp(room, 1.0f, kMostGrowth);
}

}  // namespace

void ChartView::set(chart::ChartModel model, std::vector<std::string> row_names) {
  if (model.id != model_.id) range_.reset(), value_text_.clear();
  model_ = std::move(model);
  row_names_ = std::move(row_names);
  fresh_ = true;
  if (range_) look_at(range_->x, range_->y);  // the axes may have moved
}

void ChartView::keep_text(float least_px) {
  fresh_ = fresh_ || least_text_px_ != least_px;
  least_text_px_ = least_px;
}

float ChartView::smallest_text() const {
  float least = 0;
  for (const chart::Primitive& p : scene_.primitives) {
    const bool is_text = p.kind == chart::Primitive::Kind::text;
    if (is_text && (least == 0 || p.size_px < least)) least = p.size_px;
  }
  return least;
}

std::string ChartView::row_name(int row) const {
  const auto at = static_cast<size_t>(row);
  return at < row_names_.size() ? row_names_[at] : std::to_string(row);
}

bool ChartView::is_laid_out(Ui& ui, float width, float height) const {
  return !fresh_ && width_ == width && height_ == height && scale_ == ui.state.appearance.scale &&
         fonts_version_ == ui.fonts.version();
}

void ChartView::lay_out_once(Ui& ui, float width, float height, float font, bool is_brief) {
  chart::LayoutOptions options;
  options.is_brief = is_brief;
  options.width = width;
  options.height = height;
  options.font_px = ui.px(font);
  options.text_width = text_width_of(ui.fonts);
  options.range = range_;
  scene_ = chart::layout(model_, options);
}

/// Few rows in much room get larger letters, as long as every panel stays and a row keeps its height.
void ChartView::grow(Ui& ui, float width, float height, float otherwise) {
  constexpr float kEasyRow = 2.3f;  // in letters, as layout() has it
  const size_t panels = scene_.x_axes.size();
  const auto rows = static_cast<float>(model_.rows.size());
  const auto has_room_for = [&](float font) {
    return rows > 0 && scene_.body_bottom - scene_.body_top >= rows * kEasyRow * ui.px(font);
  };
  for (const float font : kRoomyFonts_px) {
    if (font <= otherwise || !has_room_for(font)) continue;
    lay_out_once(ui, width, height, font);
    if (scene_.height <= height + 1 && scene_.x_axes.size() == panels && has_room_for(font)) return;
    lay_out_once(ui, width, height, otherwise);
  }
}

/// Larger letters are no reason to leave a panel out.
float ChartView::easy_growth(Ui& ui, float width, float height) {
  const float most = growth(ui, width, height);
  if (most <= 1 || model_.panels.empty()) return most;
  const auto panels = [&](float by) {
    lay_out_once(ui, width, height, kFont_px * by);
    return scene_.x_axes.size();
  };
  const size_t grown = panels(most);
  if (grown == model_.panels.size()) return most;
  const size_t all = panels(1);
  if (grown >= all) return most;
  const float some = (1 + most) / 2;
  return panels(some) >= all ? some : 1;
}

/// Height 0: as high as it needs.
void ChartView::lay_out(Ui& ui, float width, float height) {
  if (is_laid_out(ui, width, height)) return;
  fresh_ = false;
  width_ = width, height_ = height, scale_ = ui.state.appearance.scale;
  fonts_version_ = ui.fonts.version();
  const float by = easy_growth(ui, width, height);
  if (!is_compact_ || height <= 0) {
    float font = kFont_px * by;
    lay_out_once(ui, width, height, font);
    if (const float smallest = smallest_text(); smallest > 0 && smallest < ui.px(least_text_px_)) {
      font *= ui.px(least_text_px_) / smallest;
      lay_out_once(ui, width, height, font);
    }
    if (height > 0 && scene_.height > height + 1)
      lay_out_once(ui, width - ui.px(kScrollbar), 0, font);
    else if (height > 0)
      grow(ui, width, height, font);
    return;
  }
  for (const float font : kCompactFonts_px) {
    lay_out_once(ui, width, height, font * by);
    if (scene_.height > height + 1) continue;
    if (font == kCompactFonts_px[0]) grow(ui, width, height, font * by);
    return;
  }
  lay_out_once(ui, width - ui.px(kScrollbar), height, kCompactFonts_px[2] * by, true);
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
    const float lower = has_b(p) ? std::max(p.a.y + p.below_a, p.b.y + p.below_b) : p.a.y;
    // A slanted text reaches as far from its start as it is long.
    const float reach = p.angle != 0 ? scene_.width : slack;
    if (lower >= top - reach && upper <= top + area.h + reach) seen.primitives.push_back(p);
  }
  ui.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  draw_scene(ui, seen, area.x, area.y - top);
  ui.list->PopClipRect();
}

/// Places of rows, cells and headings by name; (x, y) is where the scene begins on the screen, its headings at `head_y`.
void ChartView::name_places(Ui& ui, const std::string& name, float x, float y, float head_y) const {
  for (const chart::Hit& hit : scene_.hits) {
    Area at = {x + hit.a.x, y + hit.a.y, hit.b.x - hit.a.x, hit.b.y - hit.a.y};
    if (hit.row < 0) {
      at.y = head_y + hit.a.y;
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
    if (at < now || hit.b.y - top > now + height)
      ImGui::SetScrollY(std::ceil(row_above(hit.a.y - height / 2) - top));
  }
}

/// Where the row that holds this height begins: a list that is scrolled there cuts no row above.
float ChartView::row_above(float y) const {
  float begin = scene_.body_top;
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.panel == -1 && hit.row >= 0 && hit.a.y <= y) begin = std::max(begin, hit.a.y);
  }
  return begin;
}

/// Rows longer than their place scroll between the headings and the axes.
int ChartView::draw_scrolled(Ui& ui, const std::string& name, Area inner) {
  float head = scene_.body_top, foot = scene_.height - scene_.body_bottom;
  // Headings stay longest: without them no row says what it shows.
  if (inner.h - head - foot < ui.px(kLeastBody)) foot = 0;
  if (inner.h - head < ui.px(kLeastBody)) head = 0;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto draw_pinned = [&](const Area& place, float top, const std::string& part) {
    draw_part(ui, place, top);
    const auto touched = ui.touch(part, place, false);
    take_mouse(ui, name, place, top, {mouse.x - place.x, mouse.y - place.y + top, touched});
  };
  const float head_y = inner.y;
  if (head > 0) draw_pinned(inner.take_top(head), 0, name + "_head");
  if (foot > 0) draw_pinned(inner.take_bottom(foot), scene_.body_bottom, name + "_foot");
  const float length = scene_.height - head - foot;
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  compat::begin_child(("scroll " + name).c_str(), inner.w, inner.h, true);
  scroll_to_wanted(head, inner.h);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const auto touched = ui.touch(name, {origin.x, origin.y, scene_.width, length}, false);
  const Area seen = {origin.x, inner.y, scene_.width, inner.h};
  const float top = head + inner.y - origin.y;
  draw_part(ui, seen, top);
  name_places(ui, name, origin.x, origin.y - head, head > 0 ? head_y : origin.y);
  const int row = take_mouse(ui, name, seen, top,
                             {mouse.x - origin.x, mouse.y - origin.y + head, touched, true});
  draw_cut_edges(ui, name, {inner.x, inner.y, inner.w, inner.h}, ui.color(Role::panel));
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
  const auto touched = ui.touch(name, area, false);
  lay_out(ui, width_, height_);
  draw_part(ui, area, 0);
  if (is_zoomed()) draw_fit(ui, name, area.x, area.y, false);
  name_places(ui, name, area.x, area.y, area.y);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return take_mouse(ui, name, area, 0, {mouse.x - area.x, mouse.y - area.y, touched, in_page});
}

// ---- the mouse: explains and selects, zooms, pans, reads values off the axes --------------------

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
  ui.needs_redraw = true;
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
  const chart::AxisPlace& axis = scene_.x_axes[static_cast<size_t>(panel)];
  if (model_.panels[static_cast<size_t>(axis.panel)].marks.empty()) return;
  const double value = axis.value(pointer.x);
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

/// A mouse that lay here before the chart came points at nothing in it: keys or a clicker led here.
void ChartView::note_parked() {
  constexpr float kStill_px = 2;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int frame = ImGui::GetFrameCount();
  if (frame > last_frame_ + 1) parked_at_ = chart::Point{mouse.x, mouse.y};
  last_frame_ = frame;
  if (!parked_at_) return;
  const float moved = std::abs(mouse.x - parked_at_->x) + std::abs(mouse.y - parked_at_->y);
  if (moved > kStill_px) parked_at_.reset();
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
  note_parked();
  take_hold(pointer);
  zoom_and_pan(ui, pointer);
  draw_link(ui, seen, top);
  const bool quiet = is_quiet_ || (pointer.touched.held && was_dragged_);
  if (!hovered || quiet) return -1;
  const chart::Hit* hit = hit_at(scene_, pointer.x, pointer.y);
  if (!parked_at_) draw_crosshair(ui, seen, top, pointer);
  if (hit && !hit->value_text.empty()) value_text_ = hit->value_text;
  if (ImGui::IsMouseClicked(1)) {
    ui.dispatch([x = seen.x + pointer.x, y = seen.y - top + pointer.y](State& state) {
      state.view.show_chart_menu = true;
      state.view.chart_menu_x = x, state.view.chart_menu_y = y;
    });
    ui.widgets[name + ":menu"] = seen;
  }
  if (!hit) return -1;
  const Area about = {seen.x + hit->a.x, seen.y - top + hit->a.y, hit->b.x - hit->a.x,
                      hit->b.y - hit->a.y};
  if (!parked_at_) ui.tooltip(hit_text(*hit, model_), &about);
  return pointer.touched.clicked && !was_dragged_ ? hit->row : -1;
}

// ---- what actions do to the chart in view, the menu, the table behind it ------------------------

namespace {

constexpr const char* kMenu[] = {"copy_value", "copy_csv", "copy_svg",    "copy_png", "save_csv",
                                 "save_svg",   "save_png", "chart_table", "fit"};

void copy_text(State& state, const std::string& text, const std::string& said,
               const std::string& nothing) {
  if (!text.empty()) ImGui::SetClipboardText(text.c_str());
  state.notice = {text.empty() ? nothing : said, false};
}

void save_text(State& state, const ChartView& view, const char* name, const std::string& text,
               const char* what) {
  if (text.empty())
    state.notice = {"The chart has nothing to save yet.", false};
  else
    export_file(state, "chart", name, text, what, view.words());
}

void grant(State& state, ChartView& view) {
  switch (state.chart.command) {
    case ChartCommand::none:
      return;
    case ChartCommand::fit:
      return view.fit();
    case ChartCommand::table:
      return view.toggle_table();
    case ChartCommand::copy_value:
      return copy_text(state, view.value_text(), "On the clipboard: " + view.value_text(),
                       "Point at a value of the chart first.");
    case ChartCommand::copy_csv: {
      const chart::ChartTable table = chart::table_of(view.model());
      return copy_text(state, table.rows.empty() ? "" : chart::to_csv(table),
                       "The table behind the chart is on the clipboard as CSV.",
                       "The chart has no figures yet.");
    }
    case ChartCommand::copy_svg:
      return copy_text(state, view.svg(state.appearance.scale),
                       "The chart is on the clipboard as SVG.", "There is no chart to copy yet.");
    case ChartCommand::save_csv: {
      const chart::ChartTable table = chart::table_of(view.model());
      return save_text(state, view, "chart.csv", table.rows.empty() ? "" : chart::to_csv(table),
                       "table behind the chart (CSV)");
    }
    case ChartCommand::save_svg:
      return save_text(state, view, "chart.svg", view.svg(state.appearance.scale), "chart (SVG)");
  }
}

}  // namespace

std::string ChartView::words() const {
  std::string text = model_.title;
  for (const std::string& part : {model_.subtitle, model_.summary})
    text += (text.empty() || part.empty() ? "" : "\n") + part;
  return text + "\n";
}

std::string ChartView::svg(float scale) const {
  if (place_.w < 1 || model_.id.empty()) return {};
  chart::LayoutOptions options;
  options.width = place_.w / scale;
  if (model_.plot) options.height = place_.h / scale;
  options.range = range_;
  return chart::to_svg(model_, options);
}

void ChartView::draw_table(Ui& ui, const std::string& name, Area area) {
  const Area line = area.take_top(ui.px(32), ui.px(4));
  const float w = ui.px(96);
  if (ui.button(name + ":chart", {line.right() - w, line.y, w, ui.px(28)}, "Chart  .",
                Ui::Kind::normal))
    shows_table_ = false;
  const std::string title = model_.title.empty() ? model_.subtitle : model_.title;
  ui.text(line.x + ui.px(8), line.middle(),
          "The figures behind the chart" + (title.empty() ? "" : ": " + title), kSmall_px,
          Role::muted, Face::body, Anchor::start, line.w - w - ui.px(24));
  const chart::ChartTable table = chart::table_of(model_);
  area = area.inset(ui.px(8), 0);
  if (table.rows.empty()) {
    ui.paragraph(area, model_.summary, kSmall_px, Role::muted);
    return;
  }
  Scroll page(ui, (name + ":table").c_str(), area);
  ui.widgets[name + ":table"] = area;
  window::draw_table(ui, &page, table.columns, table.rows);
}

bool run_chart_command(State& state, ChartView* view) {
  if (state.chart.command == ChartCommand::none) return false;
  if (view)
    grant(state, *view);
  else
    state.notice = {"There is no chart here yet.", false};
  state.chart.command = ChartCommand::none;
  return true;
}

void draw_chart_menu(Ui& ui) {
  const ViewState& view = ui.state.view;
  const auto close = [](State& state) { state.view.show_chart_menu = false; };
  Overlay overlay(ui, "chart_menu", 0);
  const float line_h = ui.px(32), pad = ui.px(6), w = ui.px(330);
  const float h = line_h * static_cast<float>(std::size(kMenu)) + 2 * pad;
  const Area box = {std::clamp(view.chart_menu_x, 0.0f, std::max(0.0f, ui.window.w - w)),
                    std::clamp(view.chart_menu_y, 0.0f, std::max(0.0f, ui.window.h - h)), w, h};
  ui.fill(box, ui.raised(2), ui.px(6));
  ui.frame(box, ui.color(Role::grid), ui.px(6));
  Area inner = box.inset(pad);
  for (const char* id : kMenu) {
    const Action& entry = action(id);
    const Area row = inner.take_top(line_h);
    const auto touched = ui.touch(std::string("chart_menu:") + id, row);
    if (touched.hovered) ui.fill(row, ui.raised(4), ui.px(4));
    const bool can = entry.blocker(ui.state).empty();
    ui.text(row.x + ui.px(10), row.middle(), entry.title, kSmall_px,
            can ? Role::text : Role::muted);
    ui.text(row.right() - ui.px(10), row.middle(), entry.keys.text, kTiny_px, Role::muted,
            Face::mono, Anchor::end);
    if (!touched.clicked) continue;
    ui.dispatch(close);
    ui.dispatch_action(id);
  }
  if (overlay.clicked_outside(box)) ui.dispatch(close);
}

}  // namespace ridge::window
