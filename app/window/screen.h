// The whole picture: regions with draggable splitters, each drawn by its panel. Used alike by the
// window, by `shot` and by the headless tests, which differ only in where the pixels go.
#pragma once

#include "app/window/panels.h"

namespace ridge::window {

class Screen {
 public:
  explicit Screen(State& state) : ui_(state, fonts_) {}

  /// Before ImGui::NewFrame(): style and fonts. True when the font texture has to be made again
  /// (never from ImGui 1.92 on, whose backends follow the atlas).
  bool prepare();
  /// Between NewFrame() and Render(): keys, then everything.
  void draw(float width, float height);
  /// Another frame would look different even with no event (a font was missing, a drag goes on).
  bool wants_frame() const { return fonts_.wants_build() || ui_.reads_again; }

  const std::map<std::string, Area>& widgets() const { return ui_.widgets; }
  const chart::Scene& chart_scene() const { return chart_.scene(); }

 private:
  void draw_regions(Area all);
  void draw_centre(Area area);
  void splitter(const char* name, const Area& area, float now, float* width, float direction);

  Fonts fonts_;
  Ui ui_;
  TopBar top_bar_;
  LeftRail left_rail_;
  ParamsBar params_bar_;
  ChartPanel chart_;
  VerdictCard verdict_;
  StripPanel strip_;
  RightPanel right_;
  BottomBar bottom_;
  LogPanel log_;
  ShortcutsOverlay shortcuts_;
  float styled_scale_ = 0;
  bool styled_light_ = false, is_low_ = false;
};

}  // namespace ridge::window
