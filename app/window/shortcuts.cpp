#include <algorithm>
#include <utility>

#include "app/window/actions.h"
#include "app/window/panels.h"

namespace ridge::window {

void ShortcutsOverlay::draw(Ui& ui, Area area) {
  int shown = 0;
  for (const Action& entry : actions()) shown += *entry.keys != 0;
  const float line_h = ui.px(32), pad = ui.px(28);
  const float w = std::min(ui.px(560), area.w - ui.px(40));
  const float h =
      std::min(area.h - ui.px(40), line_h * static_cast<float>(shown) + ui.px(48) + 2 * pad);
  // A window over all others, so that the panels under it take no clicks.
  ImGui::SetNextWindowPos({area.x, area.y});
  ImGui::SetNextWindowSize({area.w, area.h});
  ImGui::SetNextWindowFocus();
  ImGui::Begin(
      "shortcuts", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  ui.fill(area, ui.color(Role::canvas, 0.72f));
  const Area box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
  if (ui.touch("close_shortcuts", area).clicked) ui.state.view.show_shortcuts = false;
  ui.fill(box, ui.raised(1), ui.px(8));
  Area inner = box.inset(pad);
  const Area title = inner.take_top(ui.px(30), ui.px(18));
  ui.text(title.x, title.middle(), "Keys", kHeading_px, Role::text, Face::strong);
  ui.text(title.right(), title.middle(), "Esc closes", kSmall_px, Role::muted, Face::body,
          Anchor::end);
  for (const Action& entry : actions()) {
    if (!*entry.keys || inner.h < line_h) continue;
    const Area line = inner.take_top(line_h);
    const float key_w =
        std::max(ui.px(34), ui.width(entry.keys, kSmall_px, Face::mono) + ui.px(16));
    const Area key = {line.x, line.y + ui.px(3), key_w, line.h - ui.px(7)};
    ui.fill(key, ui.raised(3), ui.px(4));
    ui.text(key.x + key.w / 2, key.middle(), entry.keys, kSmall_px, Role::text, Face::mono,
            Anchor::middle);
    ui.text(line.x + ui.px(110), line.middle(), entry.title, kSmall_px + 1, Role::text);
  }
  ui.list = outer;
  ImGui::End();
}

}  // namespace ridge::window
