#include "app/window/actions.h"
#include "app/window/chart_draw.h"
#include "app/window/chart_rows.h"
#include "app/window/panels.h"

namespace ridge::window {
namespace {

// The chart's text; where the whole ladder does not fit, it may be smaller before it scrolls.
constexpr float kFont_px = 16, kPad = 6, kScrollbar = 12;
constexpr float kLadderFonts_px[] = {kFont_px, 15, 14};
constexpr float kHeading = 30;  // the buttons that choose the view
// Less than this between head and foot is not worth keeping them in place for.
constexpr float kLeastBody = 130;

struct Choice {
  const char* label;
  const char* action;
};
constexpr Choice kViews[] = {{"Ladder", "ladder"}, {"Roofline", "roofline"},
                             {"Sizes", "sizes"},   {"Bandwidth", "bandwidth"},
                             {"Error", "error"},   {"Table", "table"}};

chart::LayoutOptions options_of(Ui& ui, const Area& area, float font) {
  chart::LayoutOptions options;
  options.width = area.w;
  options.height = area.h;
  options.font_px = ui.px(font);
  options.text_width = text_width_of(ui.fonts);
  return options;
}

void draw_views(Ui& ui, const Area& area) {
  std::vector<std::string> labels;
  float width = 0;
  for (const Choice& choice : kViews) {
    labels.emplace_back(choice.label);
    width += ui.width(choice.label, kSmall_px) + ui.px(26);
  }
  const Area buttons = {area.x, area.y, std::min(width, area.w), area.h};
  const int chosen = static_cast<int>(ui.state.view.chart);
  const int clicked = ui.segments("view", buttons, labels, chosen);
  if (clicked >= 0 && clicked != chosen) perform(ui.state, kViews[clicked].action);
  for (const Choice& choice : kViews) {
    const Area& part = ui.widgets[std::string("view=") + choice.label];
    if (!ImGui::IsMouseHoveringRect({part.x, part.y}, {part.right(), part.bottom()})) continue;
    const Action& entry = action(choice.action);
    ui.tooltip(std::string(entry.title) +
               (*entry.keys ? std::string("  (") + entry.keys + ")" : ""));
  }
}

}  // namespace

void ChartPanel::build(Ui& ui) {
  if (version_ == ui.state.ladder_version && view_ == ui.state.view.chart) return;
  version_ = ui.state.ladder_version;
  view_ = ui.state.view.chart;
  laid_out_ = ~0ull;
  ChartRows rows;
  model_ = centre_chart(ui.state, &rows);
  rows_ = std::move(rows.kernels);
}

void ChartPanel::lay_out(Ui& ui, Area area) {
  build(ui);
  const float font_px = ui.px(kFont_px);
  if (laid_out_ == version_ && width_ == area.w && height_ == area.h && font_px_ == font_px &&
      fonts_version_ == ui.fonts.version()) {
    return;
  }
  laid_out_ = version_;
  fonts_version_ = ui.fonts.version();
  width_ = area.w, height_ = area.h, font_px_ = font_px;
  for (const float font : kLadderFonts_px) {
    scene_ = chart::layout(model_, options_of(ui, area, font));
    if (scene_.height <= area.h + 1) return;
  }
  area.w -= ui.px(kScrollbar);
  scene_ = chart::layout(model_, options_of(ui, area, kLadderFonts_px[2]));
}

/// The part of the scene from `top` on, in `area`; what lies outside is cut off.
void ChartPanel::draw_part(Ui& ui, const Area& area, float top) {
  ui.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  draw_scene(ui, scene_, area.x, area.y - top);
  ui.list->PopClipRect();
}

/// Hovering explains, a click selects; (x, y) is where the scene begins on the screen.
void ChartPanel::take_mouse(Ui& ui, float x, float y, bool hovered, bool clicked) {
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.row < 0 || hit.row >= static_cast<int>(rows_.size())) continue;
    ui.widgets["chart:" + rows_[static_cast<size_t>(hit.row)] + ":" + std::to_string(hit.panel)] = {
        x + hit.a.x, y + hit.a.y, hit.b.x - hit.a.x, hit.b.y - hit.a.y};
  }
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.row < 0 && hit.panel >= 0 && hit.note.empty())
      ui.widgets["heading:" + std::to_string(hit.panel)] = {x + hit.a.x, y + hit.a.y,
                                                            hit.b.x - hit.a.x, hit.b.y - hit.a.y};
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const chart::Hit* hit = hovered ? hit_at(scene_, mouse.x - x, mouse.y - y) : nullptr;
  if (!hit) return;
  ui.tooltip(hit_text(*hit, model_));
  if (clicked && hit->row >= 0 && hit->row < static_cast<int>(rows_.size())) {
    const std::string& kernel = rows_[static_cast<size_t>(hit->row)];
    if (kernel == kFoldRow)
      perform(ui.state, "experts");
    else
      select_rung(ui.state, kernel);
  }
}

/// A rung selected elsewhere (by key, in the rail) comes into view.
void ChartPanel::follow_selection(Ui& ui, float top, float height) {
  if (followed_ == ui.state.view.rung) return;
  followed_ = ui.state.view.rung;
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.panel != -1 || hit.row < 0 || rows_[static_cast<size_t>(hit.row)] != followed_)
      continue;
    const float at = hit.a.y - top, now = ImGui::GetScrollY();
    if (at < now || hit.b.y - top > now + height) ImGui::SetScrollY(at - height / 2);
  }
}

/// A ladder longer than the panel: its rows scroll between the headings and the axes.
void ChartPanel::draw_scrolled(Ui& ui, Area inner) {
  float head = scene_.body_top, foot = scene_.height - scene_.body_bottom;
  if (inner.h - head - foot < ui.px(kLeastBody)) head = foot = 0;
  if (head > 0) {
    const Area top = inner.take_top(head);
    draw_part(ui, top, 0);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool hovered = ui.touch("chart_head", top).hovered;
    const chart::Hit* hit = hovered ? hit_at(scene_, mouse.x - top.x, mouse.y - top.y) : nullptr;
    if (hit) ui.tooltip(hit_text(*hit, model_));
  }
  if (foot > 0) draw_part(ui, inner.take_bottom(foot), scene_.body_bottom);
  const float length = scene_.height - head - foot;
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  compat::begin_child("ladder", inner.w, inner.h, true);
  follow_selection(ui, head, inner.h);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const auto touched = ui.touch("chart", {origin.x, origin.y, scene_.width, length});
  draw_scene(ui, scene_, origin.x, origin.y - head);
  take_mouse(ui, origin.x, origin.y - head, touched.hovered, touched.clicked);
  ImGui::EndChild();
  ui.list = outer;
}

void ChartPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  if (!ui.state.view.lab) {
    draw_empty_state(ui, area, "This build has no labs.",
                     "Build with the files of labs/, or start ridgepoint from its own folder.");
    return;
  }
  Area inner = area.inset(ui.px(kPad));
  const Area views = inner.take_top(ui.px(kHeading));
  draw_views(ui, {views.x + ui.px(8), views.y + ui.px(2), views.w - ui.px(16), views.h});
  if (ui.state.view.chart == View::table) return table_.draw(ui, inner);
  lay_out(ui, inner);
  if (scene_.height > inner.h + 1) return draw_scrolled(ui, inner);
  const auto touched = ui.touch("chart", inner);
  draw_part(ui, inner, 0);
  take_mouse(ui, inner.x, inner.y, touched.hovered, touched.clicked);
}

}  // namespace ridge::window
