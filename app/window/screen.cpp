#include "app/window/screen.h"

#include <algorithm>

#include "app/window/actions.h"
#include "app/window/settings.h"

namespace ridge::window {
namespace {

// Heights at scale 1, pixels.
constexpr float kGap = 12, kTop = 60, kBottom = 68, kVerdict = 108, kStrip = 158, kLog = 170;
// The ladder: its head and foot, and a row at its least and at its best.
constexpr float kChart = 150, kRow = 34, kRoomyRow = 52;

}  // namespace

bool Screen::prepare() {
  const ViewState& view = ui_.state.view;
  if (styled_scale_ != view.scale || styled_light_ != view.light_theme) {
    apply_style(view);
    styled_scale_ = view.scale;
    styled_light_ = view.light_theme;
  }
  if (!fonts_.wants_build()) return false;
  fonts_.build();
  return !compat::kDynamicFonts;
}

void Screen::splitter(const char* name, const Area& area, float* width, float direction) {
  const auto touched = ui_.touch(name, area);
  if (touched.hovered || touched.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const float line = ui_.px(2);
    ui_.fill({area.x + (area.w - line) / 2, area.y, line, area.h}, ui_.color(Role::muted, touched.held ? 0.8f : 0.4f));
  }
  if (touched.held) {
    *width = std::clamp(*width + direction * ImGui::GetIO().MouseDelta.x / ui_.state.view.scale, 200.0f, 900.0f);
    ui_.reads_again = true;
  }
  if (ImGui::IsItemDeactivated()) save_settings(&ui_.state);
}

void Screen::draw_centre(Area area) {
  const float gap = ui_.px(kGap);
  params_bar_.draw(ui_, area.take_top(params_bar_.height(ui_, area.w), gap));
  // The strip is there when the ladder keeps its row height beside it, and takes what the ladder
  // cannot use, up to twice its least height.
  const auto rows = static_cast<float>(std::max<size_t>(ui_.state.ladder.size(), 4));
  const float spare = area.h - ui_.px(kVerdict + kStrip + 2 * kGap) - ui_.px(kChart + kRow * rows);
  if (spare >= 0) {
    const float more = std::clamp(spare - ui_.px(kRoomyRow - kRow) * rows, 0.0f, ui_.px(kStrip));
    strip_.draw(ui_, area.take_bottom(ui_.px(kStrip) + more, gap));
  }
  verdict_.draw(ui_, area.take_bottom(ui_.px(kVerdict), gap));
  ladder_.draw(ui_, area);
}

void Screen::draw_regions(Area all) {
  ViewState& view = ui_.state.view;
  const float gap = ui_.px(kGap);
  top_bar_.draw(ui_, all.take_top(ui_.px(kTop), gap));
  bottom_.draw(ui_, all.take_bottom(ui_.px(kBottom), gap));
  all = all.inset(gap, 0);
  if (view.show_log) log_.draw(ui_, all.take_bottom(std::min(ui_.px(kLog), all.h * 0.4f), gap));
  // The side panels give way before the chart does.
  const float most = all.w - 2 * gap;
  const float left_w = std::min(ui_.px(view.left_width), most * 0.26f);
  const float right_w = std::min(ui_.px(view.right_width), most * 0.32f);
  const Area left = all.take_left(left_w, gap), right = all.take_right(right_w, gap);
  left_rail_.draw(ui_, left);
  right_.draw(ui_, right);
  draw_centre(all);
  splitter("split_left", {left.right(), left.y, gap, left.h}, &view.left_width, 1);
  splitter("split_right", {right.x - gap, right.y, gap, right.h}, &view.right_width, -1);
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
