// Places that screens draw into: the dimmed window over all others, a part that scrolls; and what
// several screens say alike.
#include <algorithm>
#include <utility>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"

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

Scroll::Scroll(Ui& ui, const char* name, const Area& area) : ui_(ui), place_(area) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::BeginChild(name, {area.w, area.h}, false);
  outer_ = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  top_ = at.y;
  rest = {at.x, at.y, area.w - bar(ui), 0};  // always kept: nothing jumps when a bar appears
}

Scroll::~Scroll() {
  ImGui::SetCursorScreenPos({rest.x, top_});
  ImGui::Dummy({rest.w, rest.y - top_});
  ImGui::EndChild();
  ui_.list = outer_;
}

bool Scroll::sees(const Area& area) const {
  return area.bottom() >= place_.y && area.y <= place_.bottom();
}

void draw_heading(Ui& ui, Area* rest, const char* text) {
  const Area line = rest->take_top(ui.px(34));
  ui.text(line.x, line.y + ui.px(12), text, kTiny_px, Role::muted, Face::strong);
}

bool draw_nothing(Ui& ui, const Area& area, const char* sentence, const std::string& next,
                  const std::string& button) {
  const float w = std::min(area.w - ui.px(48), ui.px(520));
  const float next_h = ui.paragraph({0, 0, w, 0}, next, kSmall_px, Role::muted, Face::body, true);
  const float head_h =
      ui.paragraph({0, 0, w, 0}, sentence, kHeading_px, Role::text, Face::strong, true);
  const float gap = ui.px(10), button_h = ui.px(40);
  Area box = {area.x + (area.w - w) / 2, 0, w, head_h + next_h + button_h + 3 * gap};
  box.y = area.y + std::max(0.0f, (area.h - box.h) * 0.4f);
  ui.paragraph(box.take_top(head_h, gap), sentence, kHeading_px, Role::text, Face::strong);
  ui.paragraph(box.take_top(next_h, 2 * gap), next, kSmall_px, Role::muted);
  if (button.empty()) return false;
  const float button_w = std::min(w, ui.width(button, kSmall_px + 1, Face::strong) + ui.px(40));
  return ui.button("nothing", {box.x, box.y, button_w, button_h}, button, Ui::Kind::primary);
}

void draw_not_measured(Ui& ui, const Area& area, const char* sentence, const std::string& next,
                       const char* button, const char* action) {
  const bool live = !ui.state.is_replay();
  if (!draw_nothing(ui, area, sentence, next, live ? button : "Go to Home")) return;
  if (live)
    ui.dispatch_action(action);
  else
    ui.dispatch([](State& state) { state.view.screen = ScreenId::home; });
}

void draw_menu(Ui& ui) {
  const auto close = [](State& state) { state.view.show_menu = false; };
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
    ui.dispatch(close);
    if (!here) ui.dispatch_action(action_id);
  };
  for (const ScreenDesc& screen : screens()) {
    line(std::string("show_") + screen.name, screen.title, screen.about, screen.keys,
         screen.id == ui.state.view.screen);
  }
  if (overlay.clicked_outside(box)) ui.dispatch(close);
}

}  // namespace ridge::window
