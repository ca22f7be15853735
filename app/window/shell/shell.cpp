#include "app/window/shell/shell.h"

#include <algorithm>

#include "app/window/shell/actions.h"
#include "app/window/teach/teach_panels.h"
#include "app/window/views/chart_view.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kGap = 12, kTop = 58, kBottom = 56, kLog = 170;
// A window lower than this gives its room to what is in the middle.
constexpr float kLow = 860;

}  // namespace

bool Shell::prepare() {
  const Appearance& look = ui_.state.appearance;
  const ImVec2 window = ImGui::GetIO().DisplaySize;  // of the frame before; none before the first
  ui_.scale = window.x > 0 ? fitting_scale(look.scale, window.x, window.y) : look.scale;
  if (styled_scale_ != ui_.scale || styled_light_ != look.light_theme) {
    apply_style(look, ui_.scale);
    styled_scale_ = ui_.scale;
    styled_light_ = look.light_theme;
    // All heights the panels use, so that they are baked once and not as each is first met.
    for (const float size : {13.f, 14.f, 15.f, 16.f, 17.f, 18.f})
      fonts_.get(Face::body, ui_.px(size));
    for (const float size : {13.f, 15.f, 16.f, 17.f, 18.f, 19.f, 22.f, 40.f})
      fonts_.get(Face::strong, ui_.px(size));
    for (const float size : {13.f, 14.f, 15.f}) fonts_.get(Face::mono, ui_.px(size));
  }
  if (!fonts_.wants_build()) return false;
  fonts_.build();
  return !compat::kDynamicFonts;
}

void Shell::draw_regions(Area all) {
  const ViewState& view = ui_.state.view;
  const float gap = ui_.px(kGap);
  ui_.window = all;
  ui_.is_compact = all.h < ui_.px(kLow);
  if (view.screen == ScreenId::presenter) return view_of(view.screen).draw(ui_, all);
  top_bar_.draw(ui_, all.take_top(ui_.px(ui_.is_compact ? kTop - 6 : kTop), gap));
  bottom_.draw(ui_, all.take_bottom(ui_.px(ui_.is_compact ? kBottom - 8 : kBottom), gap));
  all = all.inset(gap, 0);
  if (view.show_log) log_.draw(ui_, all.take_bottom(std::min(ui_.px(kLog), all.h * 0.4f), gap));
  view_of(view.screen).draw(ui_, all);
}

Screen& Shell::view_of(ScreenId id) {
  std::unique_ptr<Screen>& shown = views_[id];
  if (!shown) shown = screen_of(id).make();
  return *shown;
}

const chart::Scene& Shell::chart_scene() const {
  return views_.at(ui_.state.view.screen)->scene();
}

Area Shell::chart_place() const {
  const ChartView* view = views_.at(ui_.state.view.screen)->chart();
  return view ? view->place() : Area{};
}

void Shell::draw(float width, float height) {
  ui_.widgets.clear();
  ui_.needs_redraw = false;
  ui_.wake_s = 0;
  ui_.scale = fitting_scale(ui_.state.appearance.scale, width, height);
  handle_keys(state_);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings |
                                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                 ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("ridgepoint", nullptr, flags);
  ui_.list = ImGui::GetWindowDrawList();
  draw_regions({0, 0, width, height});
  ImGui::End();
  if (ui_.state.teaching.show_tours) draw_tours(ui_);
  if (ui_.state.view.show_menu) draw_menu(ui_);
  if (ui_.state.view.show_glossary) draw_glossary(ui_);
  if (ui_.state.view.show_palette) draw_palette(ui_);
  if (ui_.state.view.show_chart_menu) draw_chart_menu(ui_);
  ui_.apply_changes(state_);
  if (run_chart_command(state_, view_of(state_.view.screen).chart())) ui_.needs_redraw = true;
  if (ui_.state.ladder.dirty || ui_.state.chart.png_in_frames > 0) ui_.needs_redraw = true;
}

}  // namespace ridge::window
