// The table of actions as keys, and as a list for the terminal.
#include <algorithm>
#include <vector>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/window.h"

namespace ridge::window {

using compat::Key;

std::string actions_text() {
  std::string text;
  for (const Action& entry : actions()) {
    const auto padded = [](std::string cell, size_t width) {
      cell.resize(std::max(cell.size() + 1, width), ' ');
      return cell;
    };
    // "−" and "…" are three bytes wide but one column.
    const std::string keys = entry.keys.text;
    const size_t extra = static_cast<size_t>(std::count_if(keys.begin(), keys.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    }));
    text += padded(entry.id, 18) + padded(keys, 9 + extra) + entry.title + "\n";
  }
  return text;
}

void open_lab_at(State& state, size_t place) {
  const auto labs = all_labs();
  if (place < labs.size()) {
    open_lab(state, labs[place]->id);
    state.view.screen = ScreenId::lab;
  } else {
    state.notice = {"There is no lab " + std::to_string(place + 1) + " in this build.", false};
  }
}

void handle_keys(State& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_typing = state.view.show_palette || state.view.show_glossary;
  for (const Action& entry : actions()) {
    const bool is_its_own = entry.id == "palette" || entry.id == "cancel";
    if (is_typing && !is_its_own) continue;
    if (entry.keys.key && entry.keys.ctrl == io.KeyCtrl && compat::key_pressed(*entry.keys.key)) {
      perform(state, entry.id);
    }
  }
  if (io.KeyCtrl && compat::key_pressed(Key::keypad_plus)) perform(state, "larger");
  if (io.KeyCtrl && compat::key_pressed(Key::keypad_minus)) perform(state, "smaller");
  if (io.WantTextInput || io.KeyCtrl || is_typing) return;
  // A copy: an action may change what the loop walks over in a later version of ImGui.
  const std::vector<ImWchar> typed(io.InputQueueCharacters.begin(), io.InputQueueCharacters.end());
  for (const ImWchar character : typed) {
    if (character == ' ' && io.NavVisible) continue;  // it presses what has the focus
    if (character >= '1' && character <= '9') {
      const int digit = static_cast<int>(character) - '0';
      const ScreenDesc& screen = screen_of(state.view.screen);
      if (screen.digit)
        screen.digit(state, digit);
      else
        open_lab_at(state, static_cast<size_t>(digit - 1));
      continue;
    }
    for (const Action& entry : actions()) {
      const bool same =
          entry.keys.typed && (character == static_cast<ImWchar>(entry.keys.typed) ||
                               (entry.keys.typed >= 'a' && entry.keys.typed <= 'z' &&
                                character == static_cast<ImWchar>(entry.keys.typed - 32)));
      if (same) perform(state, entry.id);
    }
  }
  // The key that opened a list is not the first letter looked for in it.
  if (state.view.show_glossary) ImGui::GetIO().InputQueueCharacters.resize(0);
}

}  // namespace ridge::window
