// Keys and characters in the order in which they came, handed out to frames. A text field applies all characters of a
// frame first and its keys after them, so a frame gets either characters or one key that acts. No ImGui and no
// GLFW here; the key codes and modifiers are GLFW's.
#pragma once

#include <deque>
#include <functional>
#include <string>

namespace ridge::window {

/// What one frame is told.
struct KeyFrame {
  std::u32string characters;
  std::u32string
      pressed;        ///< codes of the keys that are down in it whatever the keyboard says by now
  int released = -1;  ///< a key that is up in it: its next press waits for the frame after
  int modifiers = 0;
  bool is_empty = true;  ///< nothing waited: the keyboard as it is now
};

class KeyQueue {
 public:
  void press(int key, int modifiers) { waiting_.push_back({key, modifiers, 0}); }
  void type(char32_t character) { waiting_.push_back({-1, 0, character}); }
  bool empty() const { return waiting_.empty(); }
  /// A press of this key has not been handed out: to the frames before, it is up.
  bool waits(int key) const;
  /// The next frame's share. `in_text`: a text field has the keyboard, so what is typed may come many at a time;
  /// elsewhere each key may act and has a frame of its own. `was_down`: in the frame before.
  KeyFrame take(bool in_text, const std::function<bool(int key)>& was_down);

 private:
  struct Event {
    int key;  ///< -1: a character
    int modifiers;
    char32_t character;
  };
  std::deque<Event> waiting_;
};

}  // namespace ridge::window
