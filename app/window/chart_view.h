// A chart in a place of its own: laid out when the model, the place or the scale changes, scrolled
// where it is higher than its place, explained when hovered. The lab's chart, which zooms and selects,
// is ChartPanel.
#pragma once

#include <string>

#include "app/window/ui.h"
#include "common/chart/model.h"

namespace ridge::window {

class ChartView {
 public:
  void set(chart::ChartModel model);
  /// Height that the rows need at this width.
  float height(Ui& ui, float width);
  /// Fills `area` (rows grow to its height; more rows scroll). Returns the row clicked, else -1.
  int draw(Ui& ui, const std::string& name, const Area& area);
  /// As high as it needs, without scrolling: inside a page that scrolls itself.
  int draw_in_page(Ui& ui, const std::string& name, const Area& area);

  const chart::Scene& scene() const { return scene_; }
  const chart::ChartModel& model() const { return model_; }

 private:
  void lay_out(Ui& ui, float width, float height);
  void draw_part(Ui& ui, const Area& area, float top) const;
  int take_mouse(Ui& ui, const std::string& name, float x, float y, bool hovered, bool clicked);

  chart::ChartModel model_;
  chart::Scene scene_;
  bool fresh_ = true;
  float width_ = 0, height_ = 0, font_px_ = 0;
  int fonts_version_ = -1;
};

}  // namespace ridge::window
