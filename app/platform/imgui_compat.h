// Every difference between Dear ImGui 1.86 (Debian 12) and the current release, so that no panel
// knows a version. Panels include this instead of imgui.h.
#pragma once

#include <imgui.h>

#include <string>

#if IMGUI_VERSION_NUM < 18600
#error "Dear ImGui 1.86 or newer is needed"
#endif

namespace ridge::compat {

/// The keys the window uses beside typed characters, which arrive as text and so follow the
/// keyboard's layout ("[" is not where a US keyboard has it).
enum class Key {
  f1,
  f5,
  f11,
  escape,
  e,
  plus,
  minus,
  keypad_plus,
  keypad_minus,
  zero,
  one,  ///< to nine, in order
  two,
  three,
  four,
  five,
  six,
  seven,
  eight,
  nine,
  k,
  s,
  up,
  down,
  left,
  right,
  enter,
  backspace,
  page_up,
  page_down,
  tab,
  space
};

#if IMGUI_VERSION_NUM >= 18700
inline ImGuiKey native(Key key) {
  if (key >= Key::one && key <= Key::nine)
    return static_cast<ImGuiKey>(ImGuiKey_1 + (static_cast<int>(key) - static_cast<int>(Key::one)));
  switch (key) {
    case Key::f1:
      return ImGuiKey_F1;
    case Key::left:
      return ImGuiKey_LeftArrow;
    case Key::right:
      return ImGuiKey_RightArrow;
    case Key::f5:
      return ImGuiKey_F5;
    case Key::f11:
      return ImGuiKey_F11;
    case Key::escape:
      return ImGuiKey_Escape;
    case Key::e:
      return ImGuiKey_E;
    case Key::plus:
      return ImGuiKey_Equal;
    case Key::minus:
      return ImGuiKey_Minus;
    case Key::keypad_plus:
      return ImGuiKey_KeypadAdd;
    case Key::keypad_minus:
      return ImGuiKey_KeypadSubtract;
    case Key::page_up:
      return ImGuiKey_PageUp;
    case Key::page_down:
      return ImGuiKey_PageDown;
    case Key::tab:
      return ImGuiKey_Tab;
    case Key::space:
      return ImGuiKey_Space;
    case Key::zero:
      return ImGuiKey_0;
    case Key::k:
      return ImGuiKey_K;
    case Key::s:
      return ImGuiKey_S;
    case Key::up:
      return ImGuiKey_UpArrow;
    case Key::down:
      return ImGuiKey_DownArrow;
    case Key::enter:
      return ImGuiKey_Enter;
    case Key::backspace:
      return ImGuiKey_Backspace;
    default:
      break;
  }
  return ImGuiKey_None;
}
#else
// 1.86 names only 22 keys; the GLFW backend reports GLFW's own codes, which are written out here so
// that the headless tests need no GLFW.
inline int native(Key key) {
  if (key >= Key::one && key <= Key::nine)
    return 49 + (static_cast<int>(key) - static_cast<int>(Key::one));
  switch (key) {
    case Key::f1:
      return 290;
    case Key::left:
      return 263;
    case Key::right:
      return 262;
    case Key::f5:
      return 294;
    case Key::f11:
      return 300;
    case Key::escape:
      return 256;
    case Key::e:
      return 69;
    case Key::plus:
      return 61;
    case Key::minus:
      return 45;
    case Key::keypad_plus:
      return 334;
    case Key::keypad_minus:
      return 333;
    case Key::page_up:
      return 266;
    case Key::page_down:
      return 267;
    case Key::tab:
      return 258;
    case Key::space:
      return 32;
    case Key::zero:
      return 48;
    case Key::k:
      return 75;
    case Key::s:
      return 83;
    case Key::up:
      return 265;
    case Key::down:
      return 264;
    case Key::enter:
      return 257;
    case Key::backspace:
      return 259;
    default:
      break;
  }
  return 0;
}
#endif

inline bool key_pressed(Key key, bool repeats = false) {
  return ImGui::IsKeyPressed(native(key), repeats);
}

/// While it lives a widget does not see the key: ImGui's text field takes Escape for "bring back the text that was here
/// before", whatever was typed, and saved, since.
class HiddenKey {
 public:
  explicit HiddenKey(Key key) : held_s_(held_s(key)), was_s_(held_s_) { held_s_ = -1; }
  ~HiddenKey() { held_s_ = was_s_; }
  HiddenKey(const HiddenKey&) = delete;
  HiddenKey& operator=(const HiddenKey&) = delete;

 private:
  static float& held_s(Key key) {
#if IMGUI_VERSION_NUM >= 19150
    return ImGui::GetIO().KeysData[native(key) - ImGuiKey_NamedKey_BEGIN].DownDuration;
#elif IMGUI_VERSION_NUM >= 18700
    return ImGui::GetIO().KeysData[native(key) - ImGuiKey_KeysData_OFFSET].DownDuration;
#else
    return ImGui::GetIO().KeysDownDuration[native(key)];
#endif
  }
  float& held_s_;
  float was_s_;
};

/// Whichever it is, at the moment it goes down.
inline bool any_key_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_GamepadStart; ++key) {
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) return true;
  }
#else
  for (const float held_s : ImGui::GetIO().KeysDownDuration) {
    if (held_s == 0.0f) return true;
  }
#endif
  return false;
}

/// From 1 to 9.
constexpr Key digit_key(int digit) {
  return static_cast<Key>(static_cast<int>(Key::one) + digit - 1);
}

/// For the headless driver.
inline void send_key(Key key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddKeyEvent(native(key), down);
#else
  ImGui::GetIO().KeysDown[native(key)] = down;
#endif
}

/// What a backend does at start: 1.86 must be told which codes mean its own named keys, or keyboard
/// navigation asserts. GLFW's codes; nothing to do from 1.87 on.
inline void map_keys() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Space] = 32;
  io.KeyMap[ImGuiKey_Escape] = 256;
  io.KeyMap[ImGuiKey_Enter] = 257;
  io.KeyMap[ImGuiKey_Tab] = 258;
  io.KeyMap[ImGuiKey_RightArrow] = 262;
  io.KeyMap[ImGuiKey_LeftArrow] = 263;
  io.KeyMap[ImGuiKey_DownArrow] = 264;
  io.KeyMap[ImGuiKey_UpArrow] = 265;
#endif
}

inline void send_ctrl(bool down) {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
#elif IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModCtrl, down);
#else
  ImGui::GetIO().KeyCtrl = down;
#endif
}

inline void send_mouse(float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMousePosEvent(x, y);
#else
  ImGui::GetIO().MousePos = ImVec2(x, y);
#endif
}

inline void send_button(int button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseButtonEvent(button, down);
#else
  ImGui::GetIO().MouseDown[button] = down;
#endif
}

inline void send_wheel(float notches) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseWheelEvent(0, notches);
#else
  ImGui::GetIO().MouseWheel = notches;
#endif
}

/// A font at the height it was loaded for; 1.92 takes the height with every push.
inline void push_font(ImFont* font, float size_px) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, size_px);
#else
  (void)size_px;
  ImGui::PushFont(font);
#endif
}

/// From 1.92 the atlas bakes sizes as they are asked for, and its texture follows by itself.
inline constexpr bool kDynamicFonts = IMGUI_VERSION_NUM >= 19200;

/// Pixels a text takes in a font at a height, without wrapping.
inline float text_width(ImFont* font, float size_px, const char* begin, const char* end) {
  return font->CalcTextSizeA(size_px, 1e9f, 0.0f, begin, end).x;
}

inline bool begin_child(const char* id, float width, float height, bool scroll) {
  // `true` is "border" in 1.86 and ImGuiChildFlags_Borders from 1.90: it keeps the padding in both.
  const ImGuiWindowFlags flags =
      scroll ? ImGuiWindowFlags_None
             : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  return ImGui::BeginChild(id, ImVec2(width, height), true, flags);
}

/// 1.92.8 swapped the last two arguments of AddRect; compiled either way, drawn wrongly.
inline void add_rect(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 color, float rounding,
                     float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  list->AddRect(a, b, color, rounding, thickness, ImDrawFlags_None);
#else
  list->AddRect(a, b, color, rounding, ImDrawFlags_None, thickness);
#endif
}

inline void add_polyline(ImDrawList* list, const ImVec2* points, int count, ImU32 color,
                         float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  list->AddPolyline(points, count, color, thickness, ImDrawFlags_None);
#else
  list->AddPolyline(points, count, color, ImDrawFlags_None, thickness);
#endif
}

}  // namespace ridge::compat
