#include "app/platform/key_queue.h"

#include <algorithm>

namespace ridge::window {
namespace {

constexpr int kControl = 0x2, kAlt = 0x4, kSuper = 0x8;   // GLFW_MOD_...
constexpr int kFirstKey = 32, kLastLetter = 255;          // GLFW_KEY_SPACE; then named keys
constexpr int kFirstOfPad = 320, kLastOfPad = 334;        // digits and signs, without Enter
constexpr int kFirstModifier = 340, kLastModifier = 347;  // GLFW_KEY_LEFT_SHIFT ...

/// In a text field it does nothing but for the character that follows it.
bool only_types(int key, int modifiers) {
  if (key >= kFirstModifier && key <= kLastModifier) return true;
  if (modifiers & (kControl | kAlt | kSuper)) return false;
  return (key >= kFirstKey && key <= kLastLetter) || (key >= kFirstOfPad && key <= kLastOfPad);
}

}  // namespace

bool KeyQueue::waits(int key) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Event& event) { return event.key == key; });
}

KeyFrame KeyQueue::take(bool in_text, const std::function<bool(int key)>& was_down) {
  KeyFrame frame;
  while (!waiting_.empty()) {
    const Event event = waiting_.front();
    const bool is_press = event.key >= 0;
    const bool types = is_press && in_text && only_types(event.key, event.modifiers);
    const bool acts = is_press && !types;
    if (acts && !frame.is_empty) break;
    if (acts && was_down(event.key)) {
      frame.released = event.key;
      frame.is_empty = false;
      break;
    }
    frame.is_empty = false;
    waiting_.pop_front();
    if (!is_press) {
      frame.characters += event.character;
      continue;
    }
    frame.pressed += static_cast<char32_t>(event.key);
    frame.modifiers = event.modifiers;
    // A key that acts ends its frame; outside a text field its own character comes with it.
    if (acts && in_text) break;
  }
  return frame;
}

}  // namespace ridge::window
