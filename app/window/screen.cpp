#include "app/window/screen.h"

#include <algorithm>

#include "app/window/actions.h"
#include "app/window/fold.h"
#include "app/window/settings.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kGap = 12, kTop = 58, kBottom = 56, kVerdict = 94, kStrip = 172, kLog = 170;
// The views' buttons, the ladder's head and foot, and a row at its least (two lines of text) and at its best.
constexpr float kLadder = 178, kRow = 44, kRoomierRow = 54;
// A window smaller than this (or a scale larger: 1600 px at 1.6 are 1000) gives its room to the chart.
constexpr float kNarrow = 1120, kLow = 860;

}  // namespace

bool Screen::prepare() {
  const ViewState& view = ui_.state.view;
  if (styled_scale_ != view.scale || styled_light_ != view.light_theme) {
    apply_style(view);
    styled_scale_ = view.scale;
    styled_light_ = view.light_theme;
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

void Screen::splitter(const char* name, const Area& area, float now, float* width,
                      float direction) {
  const auto touched = ui_.touch(name, area);
  if (touched.hovered || touched.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const float line = ui_.px(2);
    ui_.fill({area.x + (area.w - line) / 2, area.y, line, area.h},
             ui_.color(Role::muted, touched.held ? 0.8f : 0.4f));
  }
  if (touched.held) {
    const float moved = now + direction * ImGui::GetIO().MouseDelta.x;
    if (moved != now) *width = std::clamp(moved / ui_.state.view.scale, 200.0f, 900.0f);
    ui_.reads_again = true;
  }
  if (ImGui::IsItemDeactivated()) save_settings(&ui_.state);
}

void Screen::draw_centre(Area area) {
  const float gap = ui_.px(kGap);
  params_bar_.draw(ui_, area.take_top(params_bar_.height(ui_, area.w), gap));
  const float verdict_h = ui_.px(is_low_ ? kVerdict - 16 : kVerdict);
  // The strip is there when the ladder keeps its row height beside it. Counted from the number of
  // rungs and not from what the chart needs now: results must not move the panels as they arrive.
  const auto rows = static_cast<float>(
      std::count_if(ui_.state.ladder.begin(), ui_.state.ladder.end(),
                    [&](const RungView& row) { return !is_folded(ui_.state, *row.rung); }));
  const float spare =
      area.h - verdict_h - gap - (ui_.px(kStrip) + gap) - ui_.px(kLadder + kRow * rows);
  if (spare >= 0) {
    const float more = std::clamp(spare - ui_.px(kRoomierRow - kRow) * rows, 0.0f, ui_.px(kStrip));
    strip_.draw(ui_, area.take_bottom(ui_.px(kStrip) + more, gap));
  }
  verdict_.draw(ui_, area.take_bottom(verdict_h, gap));
  chart_.draw(ui_, area);
}

void Screen::draw_regions(Area all) {
  ViewState& view = ui_.state.view;
  const float gap = ui_.px(kGap);
  is_low_ = all.h < ui_.px(kLow);
  const bool narrow = all.w < ui_.px(kNarrow);
  top_bar_.draw(ui_, all.take_top(ui_.px(is_low_ ? kTop - 6 : kTop), gap));
  bottom_.draw(ui_, all.take_bottom(ui_.px(is_low_ ? kBottom - 8 : kBottom), gap));
  all = all.inset(gap, 0);
  if (view.show_log) log_.draw(ui_, all.take_bottom(std::min(ui_.px(kLog), all.h * 0.4f), gap));
  // Narrow: the rail goes first, since the chart's rows and the keys do all that it does.
  const float most = all.w - 2 * gap;
  if (!narrow) {
    const Area left = all.take_left(std::min(ui_.px(view.left_width), most * 0.26f), gap);
    left_rail_.draw(ui_, left);
    splitter("split_left", {left.right(), left.y, gap, left.h}, left.w, &view.left_width, 1);
  }
  // 460 px show 50 columns of code; a smaller window keeps seven tenths for the rest.
  const float fitting = std::min(ui_.px(460), most * (narrow ? 0.34f : 0.3f));
  const float chosen =
      view.right_width > 0 ? std::min(ui_.px(view.right_width), most * 0.55f) : fitting;
  const Area right = all.take_right(chosen, gap);
  right_.draw(ui_, right);
  draw_centre(all);
  splitter("split_right", {right.x - gap, right.y, gap, right.h}, right.w, &view.right_width, -1);
}

void Screen::draw(float width, float height) {
  ui_.widgets.clear();
  ui_.reads_again = false;
  handle_keys(ui_.state);
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings |
                                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                 ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("ridgepoint", nullptr, flags);
  ui_.list = ImGui::GetWindowDrawList();
  draw_regions({0, 0, width, height});
  ImGui::End();
  if (ui_.state.view.show_shortcuts) shortcuts_.draw(ui_, {0, 0, width, height});
  if (ui_.state.dirty) ui_.reads_again = true;
}

}  // namespace ridge::window
