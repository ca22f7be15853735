#include "tests/headless.h"

namespace ridge::window {

Headless::Headless(State& state, float width, float height)
    : state_(state),
      shell_(state),
      context_(ImGui::CreateContext()),
      width_(width),
      height_(height) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  // As the OpenGL renderer has: a window of 12,000 pixels, with a whole lesson, has over 65,536 vertices.
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  compat::map_keys();
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  compat::send_mouse(1, 1);  // it lies somewhere when a window comes up
  frames(3);
}

Headless::~Headless() {
  ImGui::DestroyContext(context_);
}

void Headless::frames(int count) {
  ImGuiIO& io = ImGui::GetIO();
  for (int i = 0; i < count; ++i) {
    now_s_ += 1.0 / 60;
    state_.sessions.shown->poll();
    refresh(state_, now_s_);
    if (shell_.prepare(width_, height_)) {
      unsigned char* pixels = nullptr;
      int width = 0, height = 0;
      io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    }
    io.DisplaySize = {width_, height_};
    io.DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    shell_.draw(width_, height_);
    ImGui::Render();
    triangles_ = ImGui::GetDrawData()->TotalIdxCount / 3;
  }
}

const Area* Headless::find(const std::string& widget) const {
  const auto found = shell_.widgets().find(widget);
  return found == shell_.widgets().end() ? nullptr : &found->second;
}

void Headless::press(bool down) {
  compat::send_button(0, down);
  frames(2);
}

bool Headless::hover(const std::string& widget) {
  const Area* area = find(widget);
  if (!area) return false;
  compat::send_mouse(area->x + area->w / 2, area->y + area->h / 2);
  frames(2);
  return true;
}

bool Headless::click(const std::string& widget) {
  if (!hover(widget)) return false;
  press(true);
  press(false);
  return true;
}

bool Headless::drag(const std::string& widget, float dx, float dy) {
  const Area* found = find(widget);
  if (!found) return false;
  drag_from(found->x + found->w / 2, found->y + found->h / 2, dx, dy);
  return true;
}

void Headless::move(float x, float y) {
  compat::send_mouse(x, y);
  frames(2);
}

void Headless::press_at(float x, float y, int button) {
  move(x, y);
  compat::send_button(button, true);
  frames(2);
  compat::send_button(button, false);
  frames(2);
}

/// In two steps, as a hand does it.
void Headless::drag_from(float x, float y, float dx, float dy) {
  move(x, y);
  press(true);
  move(x + dx / 2, y + dy / 2);
  move(x + dx, y + dy);
  press(false);
}

void Headless::wheel(float notches) {
  compat::send_wheel(notches);
  frames(3);
}

void Headless::key(compat::Key key, bool ctrl) {
  compat::send_ctrl(ctrl);
  compat::send_key(key, true);
  frames(1);
  compat::send_key(key, false);
  compat::send_ctrl(false);
  frames(2);
}

void Headless::type(char character) {
  ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(character));
  frames(2);
}

}  // namespace ridge::window
