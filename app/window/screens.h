// The screens: one file each (screen_<name>.cpp) and one row each in the table of screens.cpp, which
// the menu, the palette, the keys and `ridgepoint shot` read. Between the top bar and the bottom bar
// the window belongs to the screen that is chosen. docs/ui.md says how one is added.
#pragma once

#include <memory>
#include <span>

#include "app/window/ui.h"

namespace ridge::window {

/// Holds only what it can make again from State, like a panel.
class ScreenView {
 public:
  virtual ~ScreenView() = default;
  virtual void draw(Ui& ui, Area area) = 0;
  /// The chart in its centre, for tests; empty where there is none.
  virtual const chart::Scene& scene() const;
};

struct ScreenDesc {
  ScreenId id;
  const char* name;   ///< of the scene for `shot`; its action is "show_<name>"
  const char* title;  ///< in the menu and at the top
  const char* about;  ///< what it is for, one phrase
  const char* keys;   ///< as printed: "M"; "" where it has no key
  char typed;
  std::unique_ptr<ScreenView> (*make)();
  void (*show)(State& state);
};

/// In the order of the menu.
std::span<const ScreenDesc> screens();
const ScreenDesc& screen_of(ScreenId id);
/// Leads there; from there, back to the lab.
void show_screen(State& state, ScreenId id);

std::unique_ptr<ScreenView> make_lab_screen();
std::unique_ptr<ScreenView> make_home_screen();

/// A window over all others, dimmed behind, that takes every click; draws into it while it lives.
class Overlay {
 public:
  Overlay(Ui& ui, const char* name, float dim);
  ~Overlay();
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;
  bool clicked_outside(const Area& box) const;

 private:
  Ui& ui_;
  ImDrawList* outer_;
};

/// The list of screens behind the button at the top left.
void draw_menu(Ui& ui);

}  // namespace ridge::window
