// What lies over a screen: the dimmed window that takes every click, and the menu of screens in it.
#include <utility>

#include "app/window/actions.h"
#include "app/window/screens.h"

namespace ridge::window {

Overlay::Overlay(Ui& ui, const char* name, float dim) : ui_(ui) {
  ImGui::SetNextWindowPos({ui.window.x, ui.window.y});
  ImGui::SetNextWindowSize({ui.window.w, ui.window.h});
  ImGui::SetNextWindowFocus();
  ImGui::Begin(
      name, nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove);
  outer_ = std::exchange(ui.list, ImGui::GetWindowDrawList());
  ui.fill(ui.window, ui.color(Role::canvas, dim));
}

Overlay::~Overlay() {
  ui_.list = outer_;
  ImGui::End();
}

bool Overlay::clicked_outside(const Area& box) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside =
      mouse.x >= box.x && mouse.x < box.right() && mouse.y >= box.y && mouse.y < box.bottom();
  return ImGui::IsMouseClicked(0) && !inside;
}

void draw_menu(Ui& ui) {
  Overlay overlay(ui, "menu", 0.4f);
  const float line_h = ui.px(36), pad = ui.px(8);
  const auto count = static_cast<float>(screens().size());
  const Area box = {ui.px(12), ui.px(54), ui.px(430), line_h * count + 2 * pad};
  ui.fill(box, ui.raised(1), ui.px(8));
  ui.frame(box, ui.color(Role::grid), ui.px(8));
  Area inner = box.inset(pad);
  const auto line = [&](const std::string& action_id, const char* title, const char* about,
                        const char* keys, bool here) {
    const Area row = inner.take_top(line_h);
    const auto touched = ui.touch("menu:" + action_id, row);
    if (touched.hovered || here)
      ui.fill(row, here ? ui.color(Role::highlight) : ui.raised(3), ui.px(5));
    const float x = row.x + ui.px(12);
    ui.text(x, row.middle(), title, kSmall_px + 1, Role::text, here ? Face::strong : Face::body);
    ui.text(x + ui.px(104), row.middle(), about, kSmall_px - 1, Role::muted, Face::body,
            Anchor::start, row.w - ui.px(160));
    ui.text(row.right() - ui.px(12), row.middle(), keys, kTiny_px + 1, Role::muted, Face::mono,
            Anchor::end);
    if (!touched.clicked) return;
    ui.state.view.show_menu = false;
    if (!here) perform(ui.state, action_id);
  };
  for (const ScreenDesc& screen : screens()) {
    line(std::string("show_") + screen.name, screen.title, screen.about, screen.keys,
         screen.id == ui.state.view.screen);
  }
  if (overlay.clicked_outside(box)) ui.state.view.show_menu = false;
}

}  // namespace ridge::window
