// The whole picture: the bars above and below, and between them the screen that is chosen. Used alike by the
// window, by `shot` and by the headless tests, which differ only in where the pixels go.
#pragma once

#include <map>
#include <memory>

#include "app/window/shell/screens.h"

namespace ridge::window {

/// The same on every screen: the menu, the tabs, the level. Under them on the lab its title and parameters, machine, quiet
/// badge, baseline, Compare, Export, Run.
struct TopBar {
  static float height(const Ui& ui);
  void draw(Ui& ui, Area area);
};

/// What the bottom bar says beside "Ready": what F5 runs, and how long the worker expects that to take. Nothing on Home.
std::string idle_words(const State& state);

/// Progress, what is still to be satisfied, notices.
struct BottomBar {
  void draw(Ui& ui, Area area);

 private:
  void draw_progress(Ui& ui, Area area);
  void draw_idle(Ui& ui, Area area);
};

struct LogPanel {
  void draw(Ui& ui, Area area);
};

class Shell {
 public:
  explicit Shell(State& state) : state_(state), ui_(state, fonts_) {}

  /// Before ImGui::NewFrame(): style and fonts for a window of this size. True when the font texture has to be made
  /// again (never from ImGui 1.92 on, whose backends follow the atlas).
  bool prepare(float width, float height);
  /// Between NewFrame() and Render(): keys, then everything.
  void draw(float width, float height);
  /// Another frame would look different even with no event (a font was missing, a drag goes on).
  bool needs_frame() const { return fonts_.wants_build() || ui_.needs_redraw; }

  /// Seconds after which something that moves wants its next frame; 0: nothing moves.
  double wake_s() const { return ui_.wake_s; }

  const std::map<std::string, Area>& widgets() const { return ui_.widgets; }
  /// The smallest text of the frame drawn last.
  const Ui::Smallest& smallest_text() const { return ui_.smallest; }
  /// What the last place of that frame that has nothing to show says; empty: each shows something.
  const std::string& empty_state() const { return ui_.empty; }
  /// The primary buttons of that frame.
  const std::vector<std::string>& primary_buttons() const { return ui_.primary; }
  /// The chart of the screen that is shown.
  const chart::Scene& chart_scene() const;
  /// Where that chart stands; empty where there is none.
  Area chart_place() const;
  /// It in words; empty where there is none.
  std::string chart_words() const;

 private:
  void draw_regions(Area all);
  Screen& view_of(ScreenId id);

  State& state_;
  Fonts fonts_;
  Ui ui_;
  TopBar top_bar_;
  std::map<ScreenId, std::unique_ptr<Screen>> views_;  ///< made when first shown
  BottomBar bottom_;
  LogPanel log_;
  float styled_scale_ = 0;
  bool styled_light_ = false;
};

}  // namespace ridge::window
