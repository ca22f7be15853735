// Drives the whole window with neither a display nor OpenGL: ImGui builds its font atlas and its
// draw lists, and nobody looks at them. 1 ms a frame, so tests can press every button.
#pragma once

#include <string>

#include "app/window/shell/shell.h"

struct ImGuiContext;

namespace ridge::window {

class Headless {
 public:
  explicit Headless(State& state, float width = 1600, float height = 1000);
  ~Headless();
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;

  /// Polls the session, refreshes the state and draws, `count` times.
  void frames(int count = 2);
  /// Moves to the middle of a widget, presses and releases. False when there is none of that name.
  bool click(const std::string& widget);
  bool hover(const std::string& widget);
  /// Presses at the widget's middle, moves by (dx, dy), releases.
  bool drag(const std::string& widget, float dx, float dy);
  /// The same anywhere: the mouse to a place, a press and release of a button, notches of the wheel.
  void move(float x, float y);
  void press_at(float x, float y, int button = 0);
  void drag_from(float x, float y, float dx, float dy);
  void wheel(float notches);
  void key(compat::Key key, bool ctrl = false);
  void type(char character);

  const Area* find(const std::string& widget) const;
  const Shell& shell() const { return shell_; }
  /// Triangles of the last frame, so that a test can see that something was drawn.
  int triangles() const { return triangles_; }
  double seconds() const { return now_s_; }

 private:
  void press(bool down);
  State& state_;
  Shell shell_;
  ImGuiContext* context_;
  float width_, height_;
  double now_s_ = 0;
  int triangles_ = 0;
};

}  // namespace ridge::window
