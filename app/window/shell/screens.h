// The screens: one file each (screen_<name>.cpp) and one row each in the table of screens.cpp, which
// the menu, the palette, the keys and `ridgepoint shot` read. Between the top bar and the bottom bar
// the window belongs to the screen that is chosen. docs/ui.md says how one is added.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/window/shell/ui.h"

namespace ridge::window {

class ChartView;

/// Holds only what it can make again from State, like a panel.
class Screen {
 public:
  virtual ~Screen() = default;
  virtual void draw(Ui& ui, Area area) = 0;
  /// The chart that actions mean: of several the one pointed at last; null: there is none.
  virtual ChartView* chart() { return nullptr; }
  /// It as it was laid out; empty where there is none.
  virtual const chart::Scene& scene();
};

struct ScreenDesc {
  ScreenId id;
  const char* name;   ///< of the scene for `shot`; its action is "show_<name>"
  const char* title;  ///< in the menu and at the top
  const char* about;  ///< what it is for, one phrase
  const char* keys;   ///< as printed: "M"; "" where it has no key
  char typed;
  std::unique_ptr<Screen> (*make)();
  void (*show)(State& state);
  /// What 1 to 9 mean there; null: nothing. With Ctrl they open a lab everywhere.
  void (*digit)(State& state, int digit) = nullptr;
  Level level = Level::kLab;  ///< of its tab at the top; menu, keys and palette have all
  /// What it is for, as its neighbours: a heading over their tabs at level Bench, where there are many.
  const char* group = "";
};

/// In the order of the menu.
std::span<const ScreenDesc> screens();
const ScreenDesc& screen_of(ScreenId id);
/// Leads there; from there, back to the lab.
void show_screen(State& state, ScreenId id);

std::unique_ptr<Screen> make_lab_screen();
std::unique_ptr<Screen> make_workbench_screen();
std::unique_ptr<Screen> make_home_screen();
std::unique_ptr<Screen> make_cards_screen();
std::unique_ptr<Screen> make_compare_screen();
std::unique_ptr<Screen> make_beside_screen();
std::unique_ptr<Screen> make_timeline_screen();
std::unique_ptr<Screen> make_machine_screen();
std::unique_ptr<Screen> make_binds_screen();
std::unique_ptr<Screen> make_report_screen();
std::unique_ptr<Screen> make_class_screen();
std::unique_ptr<Screen> make_settings_screen();
std::unique_ptr<Screen> make_shortcuts_screen();
std::unique_ptr<Screen> make_tour_screen();
std::unique_ptr<Screen> make_presenter_screen();

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

/// Inside a child window: where its content goes on above or below, the edge that cuts it fades into `ground`, so that a
/// row cut in half reads as one that goes on. Its widgets: "more:<name>:above", "more:<name>:below".
void draw_cut_edges(Ui& ui, const std::string& name, const Area& place, ImU32 ground);

/// A place that scrolls where its content is longer; draws into it while it lives. `ground`: what it lies on, if no panel.
class Scroll {
 public:
  Scroll(Ui& ui, const char* name, const Area& area, std::optional<ImU32> ground = {});
  ~Scroll();
  Scroll(const Scroll&) = delete;
  Scroll& operator=(const Scroll&) = delete;
  /// What is left of the content: as wide as it may be, as high as it needs. take_top() from it.
  Area rest;
  /// Room that is kept for the bar at the right.
  static float bar(const Ui& ui) { return ui.px(14); }
  /// Turns to the page that was asked for, one at a time, and back to the first where fewer were asked for than were
  /// turned. Whether there is more below.
  bool turn_pages(int asked, int* turned);
  /// From its beginning again.
  void to_top();
  /// Scrolls to a row of the content where that is not wholly seen.
  void show_row(const Area& row);
  /// Whether some of it is seen: what is not need not be drawn.
  bool sees(const Area& area) const;

 private:
  Ui& ui_;
  ImDrawList* outer_;
  std::string name_;
  Area place_;
  ImU32 ground_;
  float top_ = 0;
};

/// A small heading in capitals over a part of a screen.
void draw_heading(Ui& ui, Area* rest, const char* text);
/// Nothing to show: one sentence, why or what next, and the one action that changes it. True when its
/// button was pressed.
bool draw_nothing(Ui& ui, const Area& area, const char* sentence, const std::string& next,
                  const std::string& button);
/// The same where only something measured would fill the screen: the button performs `action`, or, in a
/// saved run, which can measure nothing, leads to Home.
void draw_not_measured(Ui& ui, const Area& area, const char* sentence, const std::string& next,
                       const char* button, const char* action);

}  // namespace ridge::window
