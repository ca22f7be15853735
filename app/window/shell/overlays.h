// The lists that lie over a screen: the menu, the palette (everything that can be done, found by a few letters), the
// glossary.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/shell/state.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

/// How well `text` matches letters typed in order, not necessarily side by side; nullopt: not at all.
/// Higher is better: beginnings of words and runs of letters count most. Case does not matter.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text);

struct PaletteEntry {
  std::string title, kind, keys;  ///< kind: "action", "lab", "rung"
  std::string blocker;            ///< cannot be done now, and why; empty: it can
  std::function<void(State&)> act;
};

/// Actions (screens among them), labs, and the rungs of the lab in view; those that match, what can be done now first, then
/// the best.
std::vector<PaletteEntry> palette_entries(const State& state, std::string_view typed);

// ---- drawn --------------------------------------------------------------------------------

/// Neither the menu nor the levels are open any more.
void close_menus(State& state);
/// The list of screens behind the button at the top left. Up and Down move the mark, Enter takes the marked line.
void draw_menu(Ui& ui);
/// A level as people read it: "Learn", and what it shows.
struct LevelChoice {
  const char *title, *about;
};
const LevelChoice& level_choice(Level level);
/// The levels with a line each, under the button that names the one chosen; a digit takes its line too.
void draw_levels(Ui& ui);
/// The list of everything that can be done.
void draw_palette(Ui& ui);
/// The glossary: its terms, found by what is typed, and the text of one.
void draw_glossary(Ui& ui);
/// What such a list is searched by: takes this frame's characters and Backspace, true when it changed;
/// and the field it stands in, with a hint while it is empty.
bool edit_typed(std::string* typed);
void draw_field(Ui& ui, const Area& field, const std::string& typed, const char* hint);

}  // namespace ridge::window
